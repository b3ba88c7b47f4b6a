"""Broken files of deployments and of a repository: each is named, nothing is written, and the others come in."""

import json
import shutil

import pytest

from statuary.cli.exit_codes import ExitCode
from support.imported_projects import DEPLOYMENTS, empty_site, imported
from support.sites import tree

JOURNAL = "ignition/deployments/chain-31337/journal.jsonl"
RUN = "broadcast/Line.s.sol/31337/run-latest.json"
TURNSTILE = "deployments/local/Turnstile.json"


def text(old, new):
    def change(file):
        content = file.read_text()
        assert old in content
        file.write_text(content.replace(old, new))

    return change


def member(name, value):
    def change(file):
        file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))

    return change


def gone(file):
    shutil.rmtree(file) if file.is_dir() else file.unlink()


def gone_with_sources(path):
    gone(path)
    gone(path.with_name("contracts"))


def gone_with_artifacts(path):
    gone(path)
    gone(path.parents[3] / "artifacts")


def gone_but_journal(path):
    gone(path / "artifacts")
    gone_with_artifacts(path / "build-info")


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


BROKEN = {
    "no journal": ("ignition", JOURNAL, gone, "has no ignition/deployments/*/journal.jsonl"),
    "a journal that is cut": ("ignition", JOURNAL, cut, "journal.jsonl:12 is not a message"),
    "a journal of something else": (
        "ignition",
        JOURNAL,
        text('"type":', '"kind":'),
        "journal.jsonl:2 is not a message",
    ),
    "a journal without a chain": (
        "ignition",
        JOURNAL,
        text("DEPLOYMENT_INITIALIZE", "RUN_START"),
        "names no chain",
    ),
    "an address that is none": ("ignition", JOURNAL, text("0x5FbDB2", "0xZZZZZZ"), "is not a hex digit"),
    "a deployment that failed": (
        "ignition",
        JOURNAL,
        text('"type":"SUCCESS"', '"type":"REVERTED"'),
        "did not succeed",
    ),
    "no artifacts": (
        "ignition",
        "ignition/deployments/chain-31337",
        gone_but_journal,
        "Line#Fare.json, and no build-info of",
    ),
    "no build-infos": (
        "ignition",
        "ignition/deployments/chain-31337/build-info",
        gone_with_artifacts,
        "the build-info of the artifact",
    ),
    "no broadcasts": ("foundry", "broadcast", gone, "has no broadcast/**/run-*.json"),
    "a run that is cut": ("foundry", RUN, cut, "is not JSON"),
    "a run without transactions": (
        "foundry",
        RUN,
        member("transactions", None),
        "is incomplete or malformed",
    ),
    "a run of text": ("foundry", RUN, member("transactions", "none"), "is incomplete or malformed"),
    "a chain id that is none": ("foundry", RUN, member("chain", "0x7a69"), "is not a decimal number"),
    "transactions that failed": ("foundry", RUN, text('"status": "0x1"', '"status": "0x0"'), "failed"),
    "no out and no sources": (
        "foundry",
        "out",
        gone_with_sources,
        "check out the revision that was deployed, then run `forge build --force",
    ),
    "changed sources": (
        "foundry",
        "contracts/Fare.sol",
        text("3 gwei", "4 gwei"),
        "has changed since it was compiled",
    ),
    "no network": (
        "hardhat-deploy",
        "deployments/local/.chainId",
        gone,
        "has no deployments/<network>/.chainId",
    ),
    "a chain that is none": (
        "hardhat-deploy",
        "deployments/local/.chainId",
        text("31337", "?"),
        "is not a decimal number",
    ),
    "a deployment that is cut": ("hardhat-deploy", TURNSTILE, cut, "is not JSON"),
    "a deployment without an address": (
        "hardhat-deploy",
        TURNSTILE,
        member("address", None),
        "Turnstile.json has no address",
    ),
    "a deployment without metadata": (
        "hardhat-deploy",
        TURNSTILE,
        member("metadata", ""),
        "its file has no metadata of a compiler",
    ),
    "metadata that is none": (
        "hardhat-deploy",
        TURNSTILE,
        member("metadata", "{"),
        "is incomplete or malformed",
    ),
    "an input elsewhere": (
        "hardhat-deploy",
        TURNSTILE,
        member("solcInputHash", "../../x"),
        "names no compiler input",
    ),
}


@pytest.fixture
def content(tmp_path):
    return empty_site(tmp_path)


@pytest.mark.parametrize("case", BROKEN)
def test_broken_deployment_file_is_reported(case, content, tmp_path):
    kind, path, change, reported = BROKEN[case]
    project = shutil.copytree(DEPLOYMENTS / kind, tmp_path / "project")
    for other in project.glob("broadcast/*/*/run-1*.json"):
        other.unlink()
    change(project / path)
    before = tree(content)
    result = imported(content, kind, "--dry-run", source=project)
    assert reported in " ".join(result.output.split())
    assert result.exit_code in (ExitCode.FINDINGS, ExitCode.FAILED)
    assert "Traceback" not in result.output
    assert tree(content) == before


def test_journal_before_broken_line_is_imported(content, tmp_path):
    project = shutil.copytree(DEPLOYMENTS / "ignition", tmp_path / "project")
    cut(project / JOURNAL)
    result = imported(content, "ignition", source=project)
    assert "verified and added: 1 contract\n" in result.output
    assert "the rest is not read" in result.output
