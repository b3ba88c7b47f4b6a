"""Checks against public facts: grammars, compiler releases and rules of the EVM.

Each is an error where no true record can break the rule. Exceptions that some chains allow are warnings or
notes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from statuary.base.findings import Pointer, Severity
from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.base.primitives import shorten
from statuary.base.rules import check
from statuary.contracts.checks.check import (
    Evidence,
    NotApplicable,
    NotKnown,
    Observation,
    Violation,
    reads_only_compilation,
)
from statuary.contracts.checks.deceptive_text import describe_deceptive_character
from statuary.contracts.checks.record_view import RecordView, decode_lowercase_hex
from statuary.contracts.model.compiler import SHORTEST_COMMIT, library_addresses
from statuary.contracts.model.record import unknown_member_paths
from statuary.system.files import read_file

ITEM_TYPES: Final = ("function", "event", "error", "constructor", "fallback", "receive")
"""The types of items of an ABI; of the last three there is at most one each."""

_NAMED_ITEMS: Final = ITEM_TYPES[:3]


@check
@reads_only_compilation
def invalid_identifier(record: RecordView) -> Iterator[Observation]:
    """Names in the ABI and of Solidity contracts must consist of ASCII letters, digits, `_` and `$`.

    They must not begin with a digit. Other languages have other names: a Yul object can have any name, and a
    Vyper contract has the name of its file.
    """
    name, count = record.compilation.get("name"), 0
    if record.language == "Solidity":
        count += 1
        if not _is_identifier(name):
            yield Violation(
                f"the contract's name {_quote_ascii(name)} is not an identifier", ("compilation", "name")
            )
    for place, item in enumerate(map(as_object, as_list(record.value.get("abi")))):
        for text in _names_in_abi_item(item):
            count += 1
            if not _is_identifier(text):
                yield Violation(f"{_quote_ascii(text)} is not an identifier", ("abi", place))
    if count:
        yield Evidence({"names": count})


MAX_NAME: Final = 1_000
"""Characters of a contract's name that are looked at."""


@check
@reads_only_compilation
def deceptive_name(record: RecordView) -> Iterator[Observation]:
    """A contract's name must not contain invisible or lookalike characters.

    Names of Solidity contracts are identifiers, which another check restricts to ASCII.
    """
    if record.language == "Solidity":
        return  # all names are valid identifiers
    name = as_text(record.compilation.get("name"))[:MAX_NAME]
    yield Evidence({"name": name[:80]})
    if fault := describe_deceptive_character(name):
        yield Violation(f"the contract's name {_quote_ascii(name)} {fault}", ("compilation", "name"))


def _names_in_abi_item(abi_item: Mapping[str, Json]) -> Iterator[Json]:
    if abi_item.get("type", "function") in _NAMED_ITEMS or abi_item.get("name") not in (None, ""):
        yield abi_item.get("name")
    waiting = [*as_list(abi_item.get("inputs")), *as_list(abi_item.get("outputs"))]
    while waiting:
        parameter = as_object(waiting.pop())
        if parameter.get("name") not in (None, ""):
            yield parameter["name"]
        waiting += as_list(parameter.get("components"))


def _is_identifier(name: Json) -> bool:
    return isinstance(name, str) and name.isascii() and name.replace("$", "_").isidentifier()


def _quote_ascii(value: Json) -> str:
    return ascii(str(value))[:80]


@check
@reads_only_compilation
def invalid_abi_item(record: RecordView) -> Iterator[Observation]:
    """Items of the ABI must have known types, with at most one constructor, fallback and receive function."""
    abi = record.value.get("abi")
    if not isinstance(abi, list):
        yield NotApplicable("the record has no ABI")
        return
    types = Counter(as_text(as_object(item).get("type", "function")) for item in abi)
    yield Evidence({"items": len(abi)})
    for name, number in types.items():
        if name not in ITEM_TYPES:
            yield _report_unlisted_value(record, "type of an ABI item", name, ("abi",))
        elif number > 1 and name not in _NAMED_ITEMS:
            yield Violation(
                f"the ABI has {number} items of type {name}; a contract has at most one", ("abi",)
            )


@check(Severity.NOTE)
def unknown_member(record: RecordView) -> Iterator[Observation]:
    """All members of a record and of its groups should be known from Sourcify's API.

    Unknown members are published unchanged, but nothing confirms them.
    """
    yield Evidence({"members": len(record.value)})
    for path in unknown_member_paths(record.value):
        yield NotKnown("member", ".".join(path), path)


class Release(NamedTuple):
    """A release of a compiler, with its commits and date."""

    commits: tuple[str, ...]  # commits of the release's builds, 7 or 8 digits each; empty if unknown
    not_before: str  # the earliest possible date of the release, as YYYY-MM-DD; empty if unknown


@cache
def known_releases(compiler: str) -> Mapping[str, Release]:
    """Return the known releases of a compiler by version, oldest first.

    The table is generated from the compiler's packages by tests/support/compiler_releases.py.

    Args:
        compiler: `solc` or `vyper`.

    Returns:
        The releases; empty for another compiler.
    """
    table = orjson.loads(read_file(Path(__file__).with_name("compiler_releases.json")))
    by_version: dict[str, Release] = {}
    day = ""
    for version, row in table.get(compiler, {}).items():
        day = max(day, row.get("released", "")) if compiler == "solc" else row["released"]
        by_version[version] = Release(tuple(row["commits"]), day)
    return by_version


_VERSION: Final = re.compile(
    r"v?(?P<number>\d{1,6}\.\d{1,6}\.\d{1,6}(?:(?:a|b|rc)\d{1,6})?)"
    r"(?:-nightly\.(?P<nightly>\d{4}\.\d{1,2}\.\d{1,2})|-(?P<before>[0-9A-Za-z.]+))?(?:\+commit\.(?P<commit>[0-9a-f]+))?(?:\.mod)?"
)


@check
@reads_only_compilation
def unknown_compiler_release(record: RecordView) -> Iterator[Observation]:
    """The compiler version must be a release with its commit, a pre-release, or an actual nightly build.

    A version that is newer than the list of releases is "not known here", which is not an error. Vyper's
    packages and programs can have different commits, so another commit is only a warning for Vyper.
    """
    releases, parts = _parse_known_version(record)
    if parts is None:
        yield NotApplicable(f"no releases of {as_text(record.compilation.get('compiler'))!r} are known here")
        return
    if parts["nightly"]:
        yield Evidence({"nightly": parts["nightly"]})
        if _parse_day(parts["nightly"]) is None:
            yield Violation(f"there is no day {parts['nightly']}", _VERSION_POINTER)
    elif parts["number"] in releases:
        yield Evidence({"beforeRelease" if parts["before"] else "release": parts["number"]})
        if not parts["before"]:
            yield from _commit_violations(releases[parts["number"]], parts["commit"] or "", record.language)
    else:
        newest = [*releases][-1]
        is_newer = _version_numbers(parts["number"]) > _version_numbers(newest)
        yield Evidence({"release": "not known here" if is_newer else "none", "newestKnown": newest})
        if is_newer:
            yield NotKnown(f"release of {record.compilation['compiler']}", record.version, _VERSION_POINTER)
        else:
            compiler = record.compilation["compiler"]
            yield Violation(f"there is no release {parts['number']} of {compiler}", _VERSION_POINTER)


def _report_unlisted_value(
    record: RecordView, value_kind: str, value: str, pointer: Pointer
) -> Violation | NotKnown:
    # The list has every value of the releases that are known here, so another value contradicts them. A
    # later release, or a compiler that is not known here, may write others.
    known, parts = _parse_known_version(record)
    if record.is_known and parts is not None and parts["number"] in known:
        return Violation(
            f"{_quote_ascii(value)} is not a known {value_kind} of {record.compilation['compiler']}", pointer
        )
    return NotKnown(value_kind, value, pointer)


_VERSION_POINTER: Final = ("compilation", "compilerVersion")


def _commit_violations(release: Release, commit: str, language: str) -> Iterator[Violation]:
    if (
        commit
        and release.commits
        and not any(_is_same_commit(commit, known_commit) for known_commit in release.commits)
    ):
        yield Violation(
            f"this release was built from commit {' or '.join(release.commits)}, not of {commit[:40]}",
            _VERSION_POINTER,
            severity=Severity.WARNING if language == "Vyper" else None,
        )


class _KnownVersion(NamedTuple):
    releases: Mapping[str, Release]
    parts: re.Match[str] | None  # the parsed version


def _parse_known_version(record: RecordView) -> _KnownVersion:
    known = known_releases(as_text(record.compilation.get("compiler")))
    return _KnownVersion(known, _VERSION.fullmatch(record.version) if known else None)


def _is_same_commit(commit: str, other_commit: str) -> bool:
    short, long = sorted((commit, other_commit), key=len)
    return len(short) >= SHORTEST_COMMIT and long.startswith(short)


def _version_numbers(version: str) -> list[int]:
    return [int(digits) for digits in re.split(r"\.|a|b|rc", version)[:3]]


_DAY: Final = re.compile(r"(\d{4})[-.](\d{1,2})[-.](\d{1,2})", re.ASCII)


def _parse_day(day_text: str) -> date | None:
    numbers = _DAY.fullmatch(day_text)
    try:
        return date(*map(int, numbers.groups())) if numbers else None
    except ValueError:
        return None


RELEASED_WITHIN: Final = timedelta(days=7)
"""The longest time between a compiler's publication elsewhere and its package."""


@check
def verified_before_release(record: RecordView) -> Iterator[Observation]:
    """A record's compiler must have been released before the record was verified.

    If the date of the release is not known, the date of the release before it is used.
    """
    released = _earliest_release_day(as_text(record.compilation.get("compiler")), record.version)
    verified = _parse_day(as_text(record.value.get("verifiedAt"))[:10])
    if released is None or verified is None:
        yield NotApplicable("the day of the compiler's release is not known here")
        return
    yield Evidence({"released": f"{released} or later"})
    if verified < released - RELEASED_WITHIN:
        yield Violation(
            f"verifiedAt is {verified}, but {shorten(record.version)} was not released before {released}",
            ("verifiedAt",),
        )


@lru_cache(maxsize=1024)
def _earliest_release_day(compiler: str, version: str) -> date | None:
    known = known_releases(compiler)
    parts = _VERSION.fullmatch(version) if known else None
    if parts is None:
        return None
    day = parts["nightly"] or _release_day_in_table(
        known, parts["number"], is_prerelease=bool(parts["before"])
    )
    return _parse_day(day.replace(".", "-"))


def _release_day_in_table(
    releases_by_version: Mapping[str, Release], version_number: str, *, is_prerelease: bool
) -> str:
    # Return the first day on which a compiler can have this version. For a prerelease, and for a version that is not
    # in the table, it is the day of the newest release before it. Empty if there is none.
    if version_number in releases_by_version and not is_prerelease:
        return releases_by_version[version_number].not_before
    earlier = takewhile(
        lambda version: _version_numbers(version) < _version_numbers(version_number), releases_by_version
    )
    return max((releases_by_version[version].not_before for version in earlier), default="")


@check
def library_address_mismatch(record: RecordView) -> Iterator[Observation]:
    """A linked library must have the same address in the compiler settings and in the bytecode's values."""
    settings = library_addresses(as_object(record.compilation.get("compilerSettings")).get("libraries"))
    if settings:
        yield Evidence({"libraries": len(settings)})
    for side in record.sides:
        linked = as_object(side.transformation_values.get("libraries"))
        for name in sorted(linked.keys() & settings.keys()):
            if settings[name] != as_text(linked[name]).lower():
                yield Violation(
                    f"the settings link {_quote_ascii(name)} at {settings[name][:42]}, the {side.name} bytecode at"
                    f" {as_text(linked[name])[:42]}",
                    (side.member, "transformationValues", "libraries", name),
                )


_NO_ADDRESS: Final = "0x" + "0" * 40

GENESIS: Final = "-1"
"""The block number, and the index, of a contract that was there when its chain began."""


@check
def impossible_deployment(record: RecordView) -> Iterator[Observation]:
    """A contract must not be its own deployer; a genesis contract must have no deployer or transaction.

    A genesis contract may name a placeholder transaction. Any other contract was deployed by an account, in a
    transaction whose hash is not zero.
    """
    deployment = as_object(record.value.get("deployment"))
    deployer, transaction = (as_text(deployment.get(name)) for name in ("deployer", "transactionHash"))
    block = deployment.get("blockNumber")
    index = deployment.get("transactionIndex")
    if not (deployer or transaction) and block is None and index is None:
        return
    yield Evidence({"deployer": deployer[:42], "block": as_text(block)[:40]})
    if deployer and deployer.lower() == record.address.lower():
        yield Violation("the deployer is the contract itself", ("deployment", "deployer"))
    if block == GENESIS:
        yield from _genesis_violations(deployer, index)
        return
    yield from _impossible_value_violations(deployer, transaction, index)


def _impossible_value_violations(
    deployer: str, transaction_hash: str, transaction_index: Json
) -> Iterator[Violation]:
    if transaction_index == GENESIS:
        yield Violation("transactionIndex is -1, which only a contract of the genesis block has", _INDEX)
    if deployer == _NO_ADDRESS:
        yield Violation("the deployer is the zero address", ("deployment", "deployer"), _IF_UNKNOWN)
    if transaction_hash == _NO_TRANSACTION:
        yield Violation("the transaction's hash is zero", ("deployment", "transactionHash"), _IF_UNKNOWN)


def _genesis_violations(deployer: str, transaction_index: Json) -> Iterator[Violation]:
    if deployer not in ("", _NO_ADDRESS):
        yield Violation("a contract of the genesis block has no deployer", ("deployment", "deployer"))
    if transaction_index not in (None, GENESIS):
        yield Violation("a contract of the genesis block has no transaction", _INDEX)


_INDEX: Final = ("deployment", "transactionIndex")
_NO_TRANSACTION: Final = "0x" + "0" * 64
_IF_UNKNOWN: Final = "write null if it is not known"

MAX_CODE_BYTES: Final = 24_576
"""EIP-170; some chains allow more."""

_DELEGATION: Final = re.compile(rb"\xef\x01\x00.{20}", re.DOTALL)

PRECOMPILES: Final = 0x0A
"""The last address of a precompiled program in the EVM; the zero address belongs to nobody."""

LATER_PRECOMPILES: Final = (*range(0x0B, 0x12), 0x100)
"""Those that some chains have."""


@check
def impossible_code(record: RecordView) -> Iterator[Observation]:
    """The address and the on-chain code must be possible for a contract on an EVM chain.

    Code does not begin with 0xef (EIP-3541), except in the EVM object format, which needs a compiler setting.
    Code that is 0xef0100 and an address belongs to an account (EIP-7702). Code above 24,576 bytes (EIP-170)
    is only a note, because some chains allow it.
    """
    address = decode_lowercase_hex(record.address.lower())
    if address is not None:
        yield Evidence({"bytes": len(record.runtime.onchain_code or b"")})
        yield from _reserved_address_violations(int.from_bytes(address, "big"))
    if record.runtime.onchain_code:
        yield from _impossible_code_violations(record, record.runtime.onchain_code)


def _reserved_address_violations(address: int) -> Iterator[Violation]:
    if address <= PRECOMPILES or address in LATER_PRECOMPILES:
        yield Violation(
            f"a contract cannot be at address {address:#x}, which the EVM reserves for its own programs",
            ("address",),
            severity=None if address <= PRECOMPILES else Severity.WARNING,
        )


def _impossible_code_violations(record: RecordView, code: bytes) -> Iterator[Violation]:
    pointer = ("runtimeBytecode", "onchainBytecode")
    settings = as_object(record.compilation.get("compilerSettings"))
    is_object_format = code[:2] == b"\xef\x00" and settings.get("eofVersion") is not None
    if _DELEGATION.fullmatch(code):
        account = code[3:].hex()
        yield Violation(
            f"the code is not a contract's: its account delegates to 0x{account} (EIP-7702)", pointer
        )
    elif code[0] == 0xEF and not is_object_format:
        yield Violation(
            "the code begins with 0xef, which the code of a contract cannot do (EIP-3541)", pointer
        )
    if len(code) > MAX_CODE_BYTES:
        message = f"the code has {len(code):,} bytes; most chains allow {MAX_CODE_BYTES:,} (EIP-170)"
        yield Violation(message, pointer, severity=Severity.NOTE)
