"""A contract alone: where its findings point, and what the ledger keeps of its file."""

import os

import pytest

from statuary.base.findings import Finding, Position, Severity
from statuary.contracts.incremental import build_contract
from statuary.contracts.incremental.build_contract import BuiltContract
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.incremental.partitions import OutdatedSource, PartitionSettings, SingleSources
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.source_stat import source_stat
from statuary.site.settings import HostingSettings
from support.sites import CHAIN, address_of, path_of, record_of, write_files

SOURCE = ContractSource(path_of(1), CHAIN, address_of(1), ContractForm.RECORD)
BUILT_AT = 1_795_168_800 * 10**9
LONG_BEFORE = BUILT_AT - 3600 * 10**9


def test_excluded_contract_keeps_finding_positions():
    def fail() -> None:
        raise ZeroDivisionError

    known = Finding(
        rule="unknown-key", severity=Severity.WARNING, message="m", path=SOURCE.path, position=Position(7, 3)
    )
    built = BuiltContract(SOURCE._replace(line=40), make=fail, findings=(known,))
    findings = built.with_documents().contract.findings
    assert [finding.position for finding in findings] == [Position(7, 3), Position(40, 1)]


@pytest.fixture
def root(tmp_path):
    """A content folder with a record that was written long before the build."""
    write_files(tmp_path, {SOURCE.path: record_of(1)})
    os.utime(tmp_path / SOURCE.path, ns=(LONG_BEFORE, LONG_BEFORE))
    return tmp_path


def stat_kept(root) -> str:
    """Build the record, and return what the ledger keeps of its file's size and time."""
    settings = PartitionSettings(
        root, ContractBuildSettings(chains=frozenset((CHAIN,))), HostingSettings(), started_at_ns=BUILT_AT
    )
    [(_, row)] = SingleSources((OutdatedSource(SOURCE, "new", ""),)).build(settings)
    return row.stat


def test_unchanged_file_keeps_size_and_time(root):
    assert stat_kept(root) == source_stat(root, SOURCE).text != ""


def test_file_changed_during_read_loses_timestamp(root, monkeypatch):
    read = build_contract.read_contract

    def read_and_change(*arguments):
        contract = read(*arguments)
        (root / SOURCE.path).write_bytes(record_of(1) + b"\n")
        return contract

    monkeypatch.setattr(build_contract, "read_contract", read_and_change)
    assert stat_kept(root) == ""
