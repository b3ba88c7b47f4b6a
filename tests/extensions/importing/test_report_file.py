"""`--report` writes what became of every address that a source names; the terminal stays short and names the file."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from statuary.cli.exit_codes import ExitCode
from support.imported_projects import DEPLOYMENTS, empty_site, imported
from support.sites import write_files

OTHER = "0x" + "12" * 20


def report_of(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())


def accounts_of(file: Path) -> dict[tuple[str, str], dict[str, Any]]:
    rows = report_of(file)["addresses"]
    accounts = {(row["chainId"], row["address"]): row for row in rows}
    assert len(accounts) == len(rows), "an address is accounted for twice"
    return accounts


def many_deployments(count: int) -> dict[str, str]:
    """Return a broadcast of a contract without artifact on each of many chains."""
    creation = {"transactionType": "CREATE", "contractName": "Safe", "contractAddress": OTHER}
    runs = [{"transactions": [creation], "chain": chain} for chain in range(1, count + 1)]
    return {"broadcast/multi/Safe.s.sol-latest/run.json": json.dumps({"deployments": runs})}


def test_import_report_lists_all_addresses(tmp_path):
    source, report = write_files(tmp_path / "safe", many_deployments(3000)), tmp_path / "report.json"
    content = empty_site(tmp_path, [1, 2])
    result = imported(content, "foundry", "--report", str(report), source=source)
    assert result.exit_code == ExitCode.FINDINGS
    assert len(result.output.splitlines()) < 30
    assert f"every address with its outcome: {report}" in result.output
    accounts = accounts_of(report)
    assert accounts.keys() == {(str(chain), OTHER) for chain in range(1, 3001)}
    assert all(row["outcome"] == "not_imported" and row["reason"] for row in accounts.values())
    assert "has no artifact of Safe" in accounts["1", OTHER]["reason"]
    assert "not listed under `chains`" in accounts["3", OTHER]["reason"]
    assert report_of(report)["outcomes"] == {"not_imported": 3000}
    # an address a line, for grep
    assert sum(OTHER in line for line in report.read_text().splitlines()) == 3000


def test_removed_import_command_suggests_successor(tmp_path):
    result = imported(tmp_path, "safe-deployments", "--report", "report.json", source=tmp_path)
    assert result.exit_code == 2
    assert "statuary import sourcify" in result.output


def test_long_terminal_report_suggests_report_file(tmp_path):
    source = write_files(tmp_path / "safe", many_deployments(11))
    result = imported(empty_site(tmp_path, [1]), "foundry", source=source)
    assert "import again with --report FILE" in result.output
    few = write_files(tmp_path / "few", many_deployments(3))
    assert "--report" not in imported(empty_site(tmp_path / "b", [1]), "foundry", source=few).output


@pytest.mark.parametrize("kind", ["foundry", "ignition", "hardhat-deploy"])
def test_import_report_contains_match_levels(kind, tmp_path):
    content, report = empty_site(tmp_path), tmp_path / "report.json"
    result = imported(content, kind, "--report", str(report))
    rows = accounts_of(report).values()
    outcome = "incomplete" if kind == "hardhat-deploy" else "imported"
    expected = {path.parent.name for path in content.glob("contracts/*/*/contract.yaml")}
    assert {row["address"].lower() for row in rows if row["outcome"] == outcome} == {
        address.lower() for address in expected
    }, result.output
    if outcome == "imported":
        assert {row["match"] for row in rows if row["outcome"] == outcome} <= {"exact_match", "match"}
        assert not any(row["compiledAgain"] or row["anchored"] for row in rows if row["outcome"] == outcome)
    imported(content, kind, "--report", str(report))
    again = {row["outcome"] for row in accounts_of(report).values()}
    assert again <= {"present", "incomplete", "mentioned"}


def test_import_dry_run_writes_only_report(tmp_path):
    content, report = empty_site(tmp_path), tmp_path / "report.json"
    imported(content, "foundry", "--dry-run", "--report", str(report))
    assert report_of(report)["dryRun"] is True
    assert not list(content.glob("contracts/**/*"))


def test_unwritable_import_report_fails(tmp_path):
    (tmp_path / "file").write_text("")
    result = imported(empty_site(tmp_path), "foundry", "--report", str(tmp_path / "file/report.json"))
    assert result.exit_code == ExitCode.FAILED
    assert "cannot be written" in result.output


def changed(tmp_path, change):
    """Return a Foundry project whose runs were changed."""
    project = shutil.copytree(DEPLOYMENTS / "foundry", tmp_path / "project")
    for file in project.glob("broadcast/*/*/run-*.json"):
        run = json.loads(file.read_text())
        change(run)
        file.write_text(json.dumps(run))
    return project


def calls_and_links(run):
    run["transactions"].append({"transactionType": "CALL", "contractName": None, "contractAddress": OTHER})
    # a call of what the run created is no address of its own
    own = run["transactions"][0]["contractAddress"]
    run["transactions"].append({"transactionType": "CALL", "contractName": "Own", "contractAddress": own})
    run["libraries"] = [f"contracts/Old.sol:Old:0x{'34' * 20}"]


def test_import_report_mentions_called_contracts(tmp_path):
    report = tmp_path / "report.json"
    project = changed(tmp_path, calls_and_links)
    result = imported(empty_site(tmp_path), "foundry", "--report", str(report), source=project)
    assert result.exit_code == ExitCode.OK, result.output
    accounts = accounts_of(report)
    called, linked = accounts["31337", OTHER], accounts["31337", "0x" + "34" * 20]
    assert called["outcome"] == linked["outcome"] == "mentioned"
    assert "scripts call it" in called["reason"]
    assert linked["name"] == "contracts/Old.sol:Old"
    assert [row["outcome"] for row in accounts.values()].count("imported") == 4
    assert "scripts call it" in result.output


def failed(run):
    run["receipts"][-1]["status"] = "0x0"


def test_import_report_lists_failed_deployment_address(tmp_path):
    report = tmp_path / "report.json"
    imported(empty_site(tmp_path), "foundry", "--report", str(report), source=changed(tmp_path, failed))
    [row] = [row for row in accounts_of(report).values() if row["outcome"] == "not_imported"]
    assert row["address"].startswith("0x")
    assert "failed" in row["reason"]


def test_foundry_import_follows_foundry_toml_folders(tmp_path, monkeypatch):
    project = shutil.copytree(DEPLOYMENTS / "foundry", tmp_path / "project")
    for folder, other in {"out": "artifacts/forge", "broadcast": "runs", "cache": "temporary"}.items():
        (project / other).parent.mkdir(exist_ok=True)
        (project / folder).rename(project / other)
    text = (project / "foundry.toml").read_text().replace('out = "out"', 'out = "artifacts/forge"')
    stated = 'broadcast = "runs"\ncache_path = "temporary"\n'
    (project / "foundry.toml").write_text(f"{text.rstrip()}\n{stated}")
    result = imported(empty_site(tmp_path), "foundry", source=project)
    assert "verified and added: 4 contracts" in result.output
    # another profile takes what it lacks from the default one
    (project / "runs").rename(project / "sent")
    with (project / "foundry.toml").open("a") as stream:
        stream.write('\n[profile.live]\nbroadcast = "sent"\n')
    result = imported(empty_site(tmp_path / "a"), "foundry", source=project)
    assert "has no runs/**/run-*.json" in result.output
    monkeypatch.setenv("FOUNDRY_PROFILE", "live")
    result = imported(empty_site(tmp_path / "b"), "foundry", source=project)
    assert "verified and added: 4 contracts" in result.output


def test_invalid_foundry_toml_gives_error(tmp_path):
    project = shutil.copytree(DEPLOYMENTS / "foundry", tmp_path / "project")
    (project / "foundry.toml").write_text("[profile.default")
    result = imported(empty_site(tmp_path), "foundry", source=project)
    assert "foundry.toml is not TOML" in result.output
    assert result.exit_code == ExitCode.FAILED
