import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.cli.old_names import OLD_OPTIONS, OLD_RULES
from statuary.contracts.checks.proof_rule_list import PROOF
from statuary.engine.rule_catalogue import all_rules
from statuary.status.section import STATUS_RULES

COMMANDS = {
    "--init-log": "build",
    "--allow-log-rollback": "build",
    "--allow-clock-rollback": "tick",
    "--exclude-packed": "publish",
    "--state": "notify",
}


@pytest.mark.parametrize(("old", "new"), OLD_OPTIONS.items())
def test_renamed_option_suggests_new_name(old, new):
    result = CliRunner().invoke(command, [COMMANDS[new], old])
    assert result.exit_code == 2
    assert f"Did you mean {new}?" in result.output.replace("'", "")


def test_option_renamed_elsewhere_suggests_nothing():
    result = CliRunner().invoke(command, ["check", "--leave-out-packed"])
    assert "exclude" not in result.output


@pytest.mark.parametrize("old", sorted(OLD_RULES))
def test_renamed_rule_suggests_new_name(old):
    optional = {rule.name for rule in all_rules() if rule.group in (PROOF, STATUS_RULES)}
    assert old not in optional
    result = CliRunner().invoke(command, ["check", "--skip", old])
    assert result.exit_code == 2
    if OLD_RULES[old] in optional:
        assert f"did you mean '{OLD_RULES[old]}'?" in result.output.replace("\n", " ")
