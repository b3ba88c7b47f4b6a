"""What a record says of itself: who it is, where it is, when it was verified.

These rules are cheap and need no bytecode; they hold for every record, proved or not.
"""

import re
from collections.abc import Callable, Container, Iterator

from statuary.domain.catalogue import ContractSource
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Finding
from statuary.domain.primitives import Malformed, is_hex_digits, parse_address, parse_chain_id, shortened

VERIFIED_AT = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ")
"""Seconds, no fraction, `Z`: as the real server spells it."""

DECIMAL = re.compile(r"0|[1-9]\d{0,38}")
"""A number as text, as match ids and block numbers are served."""


def identity_findings(
    record: RecordValue, source: ContractSource, chains: Container[str]
) -> Iterator[Finding]:
    """Yield what is wrong with a record's own statements, all at once."""
    for check in IDENTITY_CHECKS:
        for finding in check(record):
            yield finding.within(source.path)
    yield from (finding.within(source.path) for finding in path_names_contract(record, source))
    yield from (finding.within(source.path) for finding in known_chain(record, chains))


def right_address(record: RecordValue) -> Iterator[Finding]:
    """An address is 0x and 40 hex digits, spelled as EIP-55 has it."""
    try:
        address = parse_address(record["address"])
    except Malformed as malformed:
        yield _finding("right-address", "address", malformed)
        return
    if record["address"] != address:
        yield Finding(
            rule="right-address",
            pointer=("address",),
            message=f"address {record['address']!r} is not in its EIP-55 spelling, which records carry",
            remedy=f"write {address}",
        )


def right_chain_id(record: RecordValue) -> Iterator[Finding]:
    """A chain id is 1 to 20 digits without a leading zero."""
    try:
        parse_chain_id(record["chainId"])
    except Malformed as malformed:
        yield _finding("right-chain-id", "chainId", malformed)


def right_match_id(record: RecordValue) -> Iterator[Finding]:
    """A match id is a decimal number, written as text."""
    if not DECIMAL.fullmatch(record["matchId"]):
        yield Finding(
            rule="right-match-id",
            pointer=("matchId",),
            message=f"match id {shortened(record['matchId'])} is no decimal number",
            remedy='write digits in quotes, such as "42"',
        )


def right_verified_at(record: RecordValue) -> Iterator[Finding]:
    """The instant of verification is in UTC and whole seconds."""
    if not VERIFIED_AT.fullmatch(record["verifiedAt"]):
        yield Finding(
            rule="right-verified-at",
            pointer=("verifiedAt",),
            message=f"verifiedAt {shortened(record['verifiedAt'])} is not an instant in UTC and whole seconds",
            remedy="write it like 2026-11-02T10:00:00Z",
        )


def match_of_sides(record: RecordValue) -> Iterator[Finding]:
    """The overall match is the better of the two sides', and one side at least matches."""
    sides = (record["creationMatch"], record["runtimeMatch"])
    overall = "exact_match" if "exact_match" in sides else "match" if "match" in sides else None
    if overall is None:
        yield Finding(
            rule="match-of-sides",
            pointer=("match",),
            message="neither creationMatch nor runtimeMatch says that anything matched",
            remedy="remove the record: it verifies nothing",
        )
    elif record["match"] != overall:
        yield Finding(
            rule="match-of-sides",
            pointer=("match",),
            message=f"match is {record['match'] or 'null'}, but its sides are {sides[0] or 'null'} and {sides[1] or 'null'}",
            remedy=f"write {overall}",
        )


def right_deployment(record: RecordValue) -> Iterator[Finding]:
    """A deployment's hash has 32 bytes, its numbers are decimal text, its deployer is an address."""
    deployment = record.get("deployment") or {}
    transaction = deployment.get("transactionHash")
    if transaction is not None and not (
        transaction.startswith("0x") and len(transaction) == 66 and is_hex_digits(transaction[2:])
    ):
        yield Finding(
            rule="right-deployment",
            pointer=("deployment", "transactionHash"),
            message=f"transaction hash {shortened(transaction)} is not 32 bytes of hex",
            remedy="write 0x and 64 hex digits",
        )
    for member in ("blockNumber", "transactionIndex"):
        number = deployment.get(member)
        if number is not None and number != "-1" and not DECIMAL.fullmatch(number):
            yield Finding(
                rule="right-deployment",
                pointer=("deployment", member),
                message=f"{member} {shortened(number)} is no decimal number",
                remedy='write digits in quotes, or "-1" for a contract of the genesis block',
            )
    if deployment.get("deployer") is not None:
        try:
            parse_address(deployment["deployer"])
        except Malformed as malformed:
            yield _finding("right-deployment", "deployment", malformed, "deployer")


def hex_bytecode(record: RecordValue) -> Iterator[Finding]:
    """Bytecode is 0x and an even number of lower-case hex digits."""
    for side in ("creationBytecode", "runtimeBytecode"):
        for member in ("onchainBytecode", "recompiledBytecode"):
            code = (record.get(side) or {}).get(member)
            if code is None:
                continue
            if not (code.startswith("0x") and is_hex_digits(code[2:]) and code == code.lower()):
                yield Finding(
                    rule="hex-bytecode",
                    pointer=(side, member),
                    message=f"{member} {shortened(code)} is not bytes in lower-case hex",
                    remedy="write 0x and an even number of lower-case hex digits",
                )


def path_names_contract(record: RecordValue, source: ContractSource) -> Iterator[Finding]:
    """A record lies under its own chain id and address."""
    if record["chainId"] != source.chain_id:
        yield Finding(
            rule="path-names-contract",
            pointer=("chainId",),
            message=f"chainId is {record['chainId']!r}, but the folder is {source.chain_id!r}",
            remedy="move the file, or mend the record",
        )
    if record["address"].lower() != source.address.lower():
        yield Finding(
            rule="path-names-contract",
            pointer=("address",),
            message=f"address is {record['address']!r}, but the path says {source.address!r}",
            remedy="move the file, or mend the record",
        )


def known_chain(record: RecordValue, chains: Container[str]) -> Iterator[Finding]:
    """A record's chain is one of the site's."""
    if record["chainId"] not in chains:
        yield Finding(
            rule="known-chain",
            pointer=("chainId",),
            message=f"chain {record['chainId']!r} is not in site.yaml",
            remedy="add it under `chains:`",
        )


def _finding(rule: str, member: str, malformed: Malformed, *below: str) -> Finding:
    return Finding(rule=rule, pointer=(member, *below), message=str(malformed), remedy=malformed.remedy)


IDENTITY_CHECKS: tuple[Callable[[RecordValue], Iterator[Finding]], ...] = (
    right_address,
    right_chain_id,
    right_match_id,
    right_verified_at,
    match_of_sides,
    right_deployment,
    hex_bytecode,
)
"""The rules for a record alone, in the order of its members."""
