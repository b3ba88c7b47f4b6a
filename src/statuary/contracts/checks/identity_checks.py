"""Checks of a record's chain, address, match id, time and deployment."""

import re
from collections.abc import Iterator
from datetime import datetime

from statuary.base.findings import Pointer
from statuary.base.json_values import as_object, as_text
from statuary.base.primitives import InvalidValueError, parse_address, parse_chain_id, shorten
from statuary.base.rules import check
from statuary.contracts.checks.check import Evidence, Observation, Violation
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.record import RecordValue

VERIFIED_AT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)
"""Seconds, no fraction, `Z`: as the real server spells it."""

FIRST_YEAR = 2015
"""Ethereum began in 2015; nothing was verified before."""

DECIMAL = re.compile(r"0|[1-9][0-9]{0,38}")
"""A number as text, as match ids and block numbers are served."""

TRANSACTION_HASH = re.compile(r"0x[0-9a-fA-F]{64}")

TRANSACTION_HASH_LENGTH = 66
"""Characters of `0x` and 32 bytes."""


@check
def invalid_chain_id(record: RecordView) -> Iterator[Observation]:
    """A chain id must have 1 to 20 digits, without a leading zero."""
    try:
        yield Evidence({"chainId": parse_chain_id(as_text(record.value["chainId"]))})
    except InvalidValueError as malformed:
        yield Violation(str(malformed), ("chainId",), malformed.hint)


@check
def invalid_address(record: RecordView) -> Iterator[Observation]:
    """An address must be `0x` and 40 hex digits with a valid EIP-55 checksum."""
    text = as_text(record.value["address"])
    try:
        address = parse_address(text)
    except InvalidValueError as malformed:
        yield Violation(str(malformed), ("address",), malformed.hint)
        return
    yield Evidence({"address": text})
    if text != address:
        yield Violation(
            f"address {text!r} does not have its EIP-55 checksum", ("address",), f"write {address}"
        )


@check
def invalid_match_id(record: RecordView) -> Iterator[Observation]:
    """A match id must be a decimal number, written as a string.

    It is Sourcify's number for a verification.
    """
    text = as_text(record.value["matchId"])
    yield Evidence({"matchId": shorten(text)})
    if not DECIMAL.fullmatch(text):
        yield Violation(
            f"match id {shorten(text)} is not a decimal number",
            ("matchId",),
            'write digits in quotes, such as "42"',
        )


@check
def invalid_verified_at(record: RecordView) -> Iterator[Observation]:
    """The time `verifiedAt` must be in UTC and whole seconds, such as 2026-11-02T10:00:00Z."""
    text = as_text(record.value["verifiedAt"])
    yield Evidence({"verifiedAt": shorten(text)})
    if not _is_utc_time(text):
        yield Violation(
            f"verifiedAt {shorten(text)} is not an instant in UTC and whole seconds",
            ("verifiedAt",),
            "write it like 2026-11-02T10:00:00Z",
        )


def _is_utc_time(time_text: str) -> bool:
    try:
        return bool(VERIFIED_AT.fullmatch(time_text)) and datetime.fromisoformat(time_text).year >= FIRST_YEAR
    except ValueError:
        return False


@check
def invalid_deployment(record: RecordView) -> Iterator[Observation]:
    """A deployment's transaction hash must be 32 bytes, its numbers decimal strings, its deployer valid."""
    deployment = as_object(record.value.get("deployment"))
    if deployment.get("transactionHash") is not None:
        transaction = as_text(deployment["transactionHash"])
        yield Evidence({"transactionHash": shorten(transaction, TRANSACTION_HASH_LENGTH)})
        if not TRANSACTION_HASH.fullmatch(transaction):
            yield Violation(
                f"transaction hash {shorten(transaction)} is not 32 bytes of hex",
                ("deployment", "transactionHash"),
                "write 0x and 64 hex digits",
            )
    for member in ("blockNumber", "transactionIndex"):
        number = as_text(deployment.get(member))
        if deployment.get(member) is not None and number != "-1" and not DECIMAL.fullmatch(number):
            yield Violation(
                f"{member} {shorten(number)} is not a decimal number",
                ("deployment", member),
                'write digits in quotes, or "-1" for a contract of the genesis block',
            )
    if deployment.get("deployer") is not None:
        yield from _address_violations(as_text(deployment["deployer"]), ("deployment", "deployer"))


def _address_violations(address_text: str, pointer: Pointer) -> Iterator[Observation]:
    try:
        parse_address(address_text)
    except InvalidValueError as error:
        yield Violation(str(error), pointer, error.hint)


def passes_identity_checks(record: RecordValue) -> bool:
    """Return whether a contract's record passes all checks of this module.

    The checks concern the chain id, address, match id, time and deployment. This function is five times faster than
    running them.
    """
    deployment = record["deployment"]
    transaction = deployment["transactionHash"]
    deployer = deployment["deployer"]
    numbers = (record["matchId"], deployment["blockNumber"], deployment["transactionIndex"])
    try:
        parse_chain_id(record["chainId"])
        is_checksummed = parse_address(record["address"]) == record["address"]
        is_deployer = deployer is None or bool(parse_address(deployer))
    except InvalidValueError:
        return False
    is_transaction = transaction is None or TRANSACTION_HASH.fullmatch(transaction) is not None
    are_numbers = all(number is None or DECIMAL.fullmatch(number) for number in numbers)
    return (
        is_checksummed
        and is_deployer
        and is_transaction
        and are_numbers
        and _is_utc_time(record["verifiedAt"])
    )
