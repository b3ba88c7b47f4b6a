"""Hints in errors of usage."""

import pytest
from click.testing import CliRunner

from statuary.cli.main import command


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("incident update slow --status resloved", "Did you mean 'resolved'?"),
        ("incident update slow --status fixed", "'identified', 'monitoring', 'resolved'.\n"),
        ("setup github", "Did you mean 'github-pages'?"),
        ("setup githb", "Did you mean 'github-pages'?"),
        ("schema incidents", "Did you mean 'incident'?"),
        ("component set rpc major", "Did you mean 'major_outage'?"),
        ("component add faucet", "No such command 'add'. Use one of list, set."),
        ("import github https://example.org", "Use one of ape, "),
        ("incident opne --name x", "(Did you mean one of: 'open', 'reopen'?)\n"),
        ("publish build", "Missing option '--to'. "),
        ("buld", "Did you mean 'build'?"),
        ("log init", "Missing argument 'ORIGIN'. For example: statuary log init "),
        ("serve --port http", "'http' is not a whole number from 0 to 65535\n"),
        ("build --workers many", "'many' is not a whole number from 1 to 1024\n"),
    ],
)
def test_usage_error_prints_matching_hint(typed: str, hint: str) -> None:
    done = CliRunner().invoke(command, typed.split())
    assert (done.exit_code, hint in done.stderr) == (2, True), done.stderr
