"""Rules on where a record is: its path, its chain, and duplicates."""

from collections.abc import Collection, Iterator

from statuary.base.findings import Finding, Position
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.record import RecordValue
from statuary.contracts.sources.contract_source import ContractSource


def path_mismatch(record: RecordValue, source: ContractSource) -> Iterator[Finding]:
    """The path of a record must contain the chain id and the address in the record.

    Yields an error for each that differs.
    """
    if record["chainId"] != source.chain_id:
        yield Finding(
            rule="path-mismatch",
            path=source.path,
            pointer=("chainId",),
            message=f"chainId is {record['chainId']!r}, but the folder is named {source.chain_id!r}",
            hint="move the file, or fix the record",
        )
    if record["address"].lower() != source.address.lower():
        yield Finding(
            rule="path-mismatch",
            path=source.path,
            pointer=("address",),
            message=f"address is {record['address']!r}, but the path has {source.address!r}",
            hint="move the file, or fix the record",
        )


def unknown_chain(record: RecordValue, source: ContractSource, chains: Collection[str]) -> Iterator[Finding]:
    """The chain of a record must be listed in site.yaml.

    Yields an error otherwise.
    """
    if record["chainId"] not in chains:
        yield Finding(
            rule="unknown-chain",
            path=source.path,
            pointer=("chainId",),
            message=f"chain {record['chainId']!r} is not listed under `chains`",
            hint="add the chain to `chains` in site.yaml or site.json",
        )


def duplicate_contract(row: ContractRow, source: ContractSource, other_location: str) -> Finding:
    """A contract must have one record on each chain. If it has two, the build keeps the one that was published first. In a first build, it keeps the one with the better match, or else the one that was verified first.

    The caller has found the duplicate; this makes the error about it.

    Args:
        row: the record that is excluded, and `source` its file.
        other_location: the file of the record that stays.
    """
    message = f"{row.address} on chain {row.chainId} has another record, in {other_location}, which stays"
    return _record_finding("duplicate-contract", "address", source, message, "remove one of the two records")


def duplicate_match_id(row: ContractRow, source: ContractSource, other_location: str) -> Finding:
    """A match id must be used by one record. The record that was published first is kept.

    The caller has found the duplicate; this makes the error about it.

    Args:
        row: the record that is excluded, and `source` its file.
        other_location: the file of the record that stays.
    """
    message = f"match id {row.matchId} is already used by {other_location}, which stays"
    return _record_finding(
        "duplicate-match-id", "matchId", source, message, "give this record the next free match id"
    )


def verified_in_future(row: ContractRow, source: ContractSource) -> Finding:
    """The verification date of a record must not be more than a day after the build.

    The caller has compared the dates; this makes the error about a later one.
    """
    message = f"verifiedAt is {row.verifiedAt}, which is later than this build"
    return _record_finding(
        "verified-in-future",
        "verifiedAt",
        source,
        message,
        "write the time at which the contract was verified",
    )


def _record_finding(rule: str, member: str, source: ContractSource, message: str, hint: str) -> Finding:
    return Finding(
        rule=rule,
        path=source.path,
        pointer=(member,),
        message=message,
        hint=hint,
        position=Position(source.line, 1) if source.line else None,
    )


LOCATION_RULES = (
    path_mismatch,
    unknown_chain,
    duplicate_contract,
    duplicate_match_id,
    verified_in_future,
)
"""The rules of this module, for the catalogue."""
