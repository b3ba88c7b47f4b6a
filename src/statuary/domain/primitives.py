"""Values that prove their own parsing: chain ids, addresses, hex, instants.

Each type here is produced by its parser alone; from there on the type checker guarantees it. A parser
that refuses raises `InvalidValueError`, whose text is a sentence for the person who typed the value.
"""

from datetime import UTC, datetime
from functools import lru_cache
from typing import NewType
from zoneinfo import ZoneInfo

from sha3 import keccak_256

ChainId = NewType("ChainId", str)
"""An EVM chain number as decimal text, 1 to 20 digits, no leading zero ("0" is the genesis/test chain)."""

Address = NewType("Address", str)
"""A 20-byte address as text: `0x` and 40 hex digits in the capitals that EIP-55 prescribes."""

Hex = NewType("Hex", str)
"""Bytes as text: `0x` and an even number of lower-case hex digits."""

Instant = NewType("Instant", datetime)
"""A point in time: an aware datetime in UTC, whole milliseconds (the precision that Statuspage serves)."""

CHAIN_ID_DIGITS = 20
ADDRESS_DIGITS = 40


class InvalidValueError(ValueError):
    """A text that is not what it must be; `str(error)` says what is wrong with it.

    Attributes:
        remedy: what to write instead, or empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def keccak256(data: bytes) -> bytes:
    """Return the Keccak-256 digest of `data` (32 bytes), as Ethereum uses it (not NIST SHA3-256)."""
    digest: bytes = keccak_256(data).digest()
    return digest


def parse_chain_id(text: str) -> ChainId:
    """Read a chain id: decimal digits, 1 to 20 of them as the specification has it, and no leading zero.

    Raises:
        Malformed: if it is not such a number. A leading zero matches the pattern but names no chain:
            the measured server answers `Chain 01 not found`.
    """
    if not (text.isascii() and text.isdigit()):
        raise InvalidValueError(
            f"chain id {text!r} is not a decimal number", "write digits only, such as 1 or 8453"
        )
    if len(text) > CHAIN_ID_DIGITS:
        raise InvalidValueError(f"chain id {text!r} has {len(text)} digits, more than {CHAIN_ID_DIGITS}")
    if text != "0" and text[0] == "0":
        raise InvalidValueError(f"chain id {text!r} starts with a zero", f"write {text.lstrip('0') or '0'}")
    return ChainId(text)


@lru_cache(maxsize=1024)
def checksum_address(address: str) -> Address:
    """Return the EIP-55 spelling of an address, given `0x` and 40 hex digits in any case."""
    digits = address[2:].lower()
    digest = keccak256(digits.encode("ascii")).hex()
    spelled = "".join(
        digit.upper() if nibble >= "8" else digit for digit, nibble in zip(digits, digest, strict=False)
    )
    return Address("0x" + spelled)


def parse_address(text: str) -> Address:
    """Read an address: all-lower, all-upper, or mixed case with the right EIP-55 checksum.

    The case rule is the measured one: a mixed-case address whose checksum is wrong is refused.

    Raises:
        Malformed: if it is not 20 bytes of hex, or its capitals are wrong.
    """
    digits = text[2:]
    if not text.startswith("0x"):
        raise InvalidValueError(f"address {text!r} does not start with 0x", "write 0x and 40 hex digits")
    if len(digits) != ADDRESS_DIGITS:
        raise InvalidValueError(
            f"address {text!r} has {len(digits)} hex digits, not {ADDRESS_DIGITS}",
            "write 0x and 40 hex digits",
        )
    if not is_hex_digits(digits):
        raise InvalidValueError(
            f"address {text!r} holds a character that is not a hex digit", "write 0x and 40 hex digits"
        )
    address = checksum_address(text)
    if text != address and digits not in (digits.lower(), digits.upper()):
        raise InvalidValueError(
            f"address {text!r} has a wrong EIP-55 checksum", f"if no digit is wrong, write {address}"
        )
    return address


def is_hex_digits(digits: str) -> bool:
    """Say whether `digits` is an even number of hex digits and nothing else."""
    return decode_hex_digits(digits) is not None


def decode_hex_digits(digits: str) -> bytes | None:
    """Return the bytes of an even number of hex digits; None if there is anything else among them."""
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return None
    # fromhex is the fastest check there is, but it skips white space: hence the length
    return data if len(data) * 2 == len(digits) else None


def parse_hex(text: str) -> Hex:
    """Read bytes as hex text: `0x`, then an even number of lower-case digits.

    Raises:
        Malformed: if it is anything else.
    """
    if not text.startswith("0x"):
        raise InvalidValueError(f"hex value {shorten(text)} does not start with 0x")
    if not is_hex_digits(text[2:]):
        raise InvalidValueError(f"hex value {shorten(text)} is not an even number of hex digits")
    if text.lower() != text:
        raise InvalidValueError(
            f"hex value {shorten(text)} has capital digits", "write lower-case hex digits"
        )
    return Hex(text)


def parse_instant(text: str) -> Instant:
    """Read an ISO 8601 date and time with an offset, such as `2026-11-02T10:00:00Z`.

    Digits beyond milliseconds are cut, since no published document shows them.

    Raises:
        Malformed: if it is no such text, or has no offset (a time without one is a different instant
            for every reader).
    """
    if len(text) < len("2026-11-02T10:00") or text[10] not in "T t":
        raise InvalidValueError(f"{text!r} is not a date and time", "write it like 2026-11-02T10:00:00Z")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidValueError(
            f"{text!r} is not a date and time: {error}", "write it like 2026-11-02T10:00:00Z"
        ) from None
    if moment.tzinfo is None:
        raise InvalidValueError(f"{text!r} has no offset from UTC", f"write {text}Z for UTC, or {text}+01:00")
    try:
        return instant(moment)
    except OverflowError:
        raise InvalidValueError(f"{text!r} is outside the years 1 to 9999 in UTC") from None


def instant(moment: datetime) -> Instant:
    """Make an instant of an aware datetime: UTC, cut to whole milliseconds.

    Raises:
        ValueError: if `moment` is naive.
    """
    if moment.tzinfo is None:
        raise ValueError("a naive datetime is no instant")
    utc = moment.astimezone(UTC)
    return Instant(utc.replace(microsecond=utc.microsecond // 1000 * 1000))


def format_instant(moment: Instant, zone: ZoneInfo) -> str:
    """Spell an instant as Statuspage does: the page's time zone, milliseconds, `Z` for a zero offset of UTC.

    The offset is the one in force at that instant (status-page measurement: both -08:00 and -07:00 in one
    document of America/Tijuana). Only UTC itself is spelled `Z`; London in winter is `+00:00`.
    """
    text = moment.astimezone(zone).isoformat(timespec="milliseconds")
    return text[:-6] + "Z" if text.endswith("+00:00") and is_utc(zone) else text


def is_utc(zone: ZoneInfo) -> bool:
    """Say whether a time zone is UTC itself, by any of its IANA names."""
    return zone.key in UTC_NAMES


UTC_NAMES = frozenset(
    {"UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu", "Etc/GMT", "GMT"}
)


def shorten(text: str, limit: int = 60) -> str:
    """Quote a text for a message, its middle left out when it is longer than `limit` characters."""
    if len(text) <= limit:
        return repr(text)
    half = limit // 2
    return f"{text[:half]!r}…{text[-half // 2 :]!r} ({len(text):,} characters)"
