"""Chain ids, addresses, hex values and instants, made only by their parsers."""

import re
from binascii import a2b_hex
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NewType
from zoneinfo import ZoneInfo

from statuary.base.errors import StatuaryError

ChainId = NewType("ChainId", str)
"""An EVM chain id as decimal text: 1 to 20 digits without a leading zero ("0" is the genesis/test chain)."""

Address = NewType("Address", str)
"""A 20-byte address as text: `0x` and 40 hex digits, in the mixed case of its EIP-55 checksum."""

Hex = NewType("Hex", str)
"""Bytes as text: `0x` and an even number of lower-case hex digits."""

Instant = NewType("Instant", datetime)
"""A point in time: an aware datetime in UTC, in whole milliseconds, the precision of Statuspage."""

CHAIN_ID_DIGITS = 20
ADDRESS_DIGITS = 40


class InvalidValueError(StatuaryError, ValueError):
    """A string does not have the format of its type."""


try:  # eight times as fast on short input, but available only for Linux
    from sha3 import keccak_256
except ImportError:
    from Crypto.Hash import keccak

    def keccak256(data: bytes) -> bytes:
        """Return Ethereum's Keccak-256 digest (32 bytes); NIST's SHA3-256 differs."""
        return keccak.new(digest_bits=256, data=data).digest()
else:

    def keccak256(data: bytes) -> bytes:
        """Return Ethereum's Keccak-256 digest (32 bytes); NIST's SHA3-256 differs."""
        digest: bytes = keccak_256(data).digest()
        return digest


def parse_chain_id(text: str) -> ChainId:
    """Parse a chain id of 1 to 20 decimal digits.

    Raises:
        InvalidValueError: if the text is not such a number, or starts with a zero, such as `01`.
    """
    if not (text.isascii() and text.isdigit()):
        raise InvalidValueError(
            f"chain id {text!r} is not a decimal number", "write digits only, such as 1 or 8453"
        )
    if len(text) > CHAIN_ID_DIGITS:
        raise InvalidValueError(
            f"chain id {shorten(text)} has {len(text)} digits; the limit is {CHAIN_ID_DIGITS}"
        )
    if text != "0" and text[0] == "0":
        raise InvalidValueError(f"chain id {text!r} starts with a zero", f"write {text.lstrip('0') or '0'}")
    return ChainId(text)


@lru_cache(maxsize=1024)
def checksum_address(address: str) -> Address:
    """Return an address with its EIP-55 checksum.

    Args:
        address: `0x` and 40 hex digits in any case.
    """
    digits = address[2:].lower().encode("ascii")
    digest = keccak256(digits).hex()[:ADDRESS_DIGITS].encode("ascii")
    # EIP-55 makes a letter a capital if the hash digit at the same place is 8 or more. In ASCII, a capital is
    # 32 less than its small letter. So subtract 32 from all these letters at once, as one integer of 40
    # bytes.
    capitals = int.from_bytes(digest.translate(_IF_8_OR_MORE), "big") & int.from_bytes(
        digits.translate(_IF_LETTER), "big"
    )
    mixed = (int.from_bytes(digits, "big") - capitals).to_bytes(ADDRESS_DIGITS, "big")
    return Address("0x" + mixed.decode("ascii"))


_IF_8_OR_MORE = bytes(32 if chr(code) in "89abcdef" else 0 for code in range(256))
"""Maps the code of a hex digit to 32 if the digit is 8 or more, else to 0."""
_IF_LETTER = bytes(32 if chr(code) in "abcdef" else 0 for code in range(256))
"""Maps the code of a hex digit to 32 if the digit is a letter, else to 0."""


def parse_address(text: str) -> Address:
    """Parse an address in lower case, upper case or EIP-55 mixed case.

    Raises:
        InvalidValueError: if the text is not `0x` and 20 bytes of hex, or its EIP-55 checksum is wrong.
    """
    digits = text[2:]
    if not text.startswith("0x"):
        raise InvalidValueError(
            f"address {shorten(text)} does not start with 0x", "write 0x and 40 hex digits"
        )
    if len(digits) != ADDRESS_DIGITS:
        raise InvalidValueError(
            f"address {shorten(text)} has {len(digits)} hex digits instead of {ADDRESS_DIGITS}",
            "write 0x and 40 hex digits",
        )
    if not is_hex_digits(digits):
        raise InvalidValueError(
            f"address {text!r} has a character that is not a hex digit", "write 0x and 40 hex digits"
        )
    address = checksum_address(text)
    if text != address and digits not in (digits.lower(), digits.upper()):
        raise InvalidValueError(
            f"address {text!r} has a wrong EIP-55 checksum",
            f"check the digits; if they are right, write {address}",
        )
    return address


def is_hex_digits(digits: str) -> bool:
    """Return whether a string consists of pairs of hex digits, without `0x`."""
    return decode_hex_digits(digits) is not None


def decode_hex_digits(digits: str) -> bytes | None:
    """Decode hex without `0x`.

    Returns:
        The bytes, or None if the string is not hex with an even number of digits.
    """
    try:
        return a2b_hex(digits)  # twice as fast as `bytes.fromhex`, which also skips white space
    except ValueError:
        return None


def parse_lowercase_hex(text: str) -> Hex:
    """Check that a string is `0x` and lower-case hex.

    Raises:
        InvalidValueError: for any other string, or an odd number of digits.
    """
    if not text.startswith("0x"):
        raise InvalidValueError(f"hex value {shorten(text)} does not start with 0x")
    if not is_hex_digits(text[2:]):
        raise InvalidValueError(f"hex value {shorten(text)} is not an even number of hex digits")
    if text.lower() != text:
        raise InvalidValueError(
            f"hex value {shorten(text)} has upper-case digits", "write lower-case hex digits"
        )
    return Hex(text)


def parse_instant(text: str) -> Instant:
    """Parse an ISO 8601 time with an offset: `2026-11-02T10:00:00Z`.

    Microseconds are truncated to milliseconds.

    Raises:
        InvalidValueError: if the string is not a date and time, has no offset, or is outside the years 1 to
            9999 in UTC.
    """
    if len(text) < len("2026-11-02T10:00") or text[10] not in "T t":
        raise InvalidValueError(
            f"{shorten(text)} is not a date and time", "write it like 2026-11-02T10:00:00Z"
        )
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        # Python's message "Invalid isoformat string" only repeats the string, so leave this message out.
        reason = "" if str(error).startswith("Invalid isoformat") else f": {error}"
        raise InvalidValueError(
            f"{shorten(text)} is not a date and time{reason}", "write it like 2026-11-02T10:00:00Z"
        ) from None
    if moment.tzinfo is None:
        raise InvalidValueError(f"{text!r} has no offset from UTC", f"write {text}Z for UTC, or {text}+01:00")
    try:
        return to_instant(moment)
    except OverflowError:
        raise InvalidValueError(f"{text!r} is outside the years 1 to 9999 in UTC") from None


def to_instant(date_time: datetime) -> Instant:
    """Convert an aware datetime to UTC, truncated to milliseconds.

    Raises:
        ValueError: if the datetime has no offset from UTC.
    """
    if date_time.tzinfo is None:
        raise ValueError("the datetime has no time zone, so it is not a point in time")
    utc = date_time.astimezone(UTC)
    return Instant(utc.replace(microsecond=utc.microsecond // 1000 * 1000))


def format_instant(moment: Instant, zone: ZoneInfo) -> str:
    """Format a time as Statuspage does, in the page's time zone.

    The result has milliseconds and the offset from UTC at that time. For UTC the offset is `Z`; for London in
    winter it is `+00:00`.
    """
    text = moment.astimezone(zone).isoformat(timespec="milliseconds")
    return text[:-6] + "Z" if text.endswith("+00:00") and is_utc(zone) else text


DURATION = re.compile(r"(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?")


def parse_duration(text: str) -> timedelta | None:
    """Parse a duration such as `90m`, `2h` or `1d12h`.

    Returns:
        The duration, or None if the string is not a duration or means zero.
    """
    match = DURATION.fullmatch(text)
    days, hours, minutes = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    return timedelta(days=days, hours=hours, minutes=minutes) or None


def format_utc_shortest(date_time: datetime) -> str:
    """Format a time in UTC, such as `2026-11-02T10:00:00Z`.

    Milliseconds are included unless they are zero.
    """
    return _format_in_utc(date_time, "milliseconds" if date_time.microsecond else "seconds")


def format_utc(date_time: datetime) -> str:
    """Format a time in UTC and whole seconds, such as `2026-11-02T10:00:00Z`."""
    return _format_in_utc(date_time, "seconds")


def format_utc_milliseconds(date_time: datetime) -> str:
    """Format a time in UTC with milliseconds, such as `2026-11-02T10:00:00.000Z`."""
    return _format_in_utc(date_time, "milliseconds")


def _format_in_utc(date_time: datetime, precision: str) -> str:
    return date_time.astimezone(UTC).isoformat(timespec=precision).removesuffix("+00:00") + "Z"


def is_utc(zone: ZoneInfo) -> bool:
    """Return whether a time zone is UTC, under any name."""
    return zone.key in UTC_NAMES


UTC_NAMES = frozenset(
    {"UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu", "Etc/GMT", "GMT"}
)


def one_line(text: str) -> str:
    """Put a string on one line, with single spaces."""
    return " ".join(text.split())


def count_text(number: int, noun: str) -> str:
    """Format a number with its noun: `1 error`, `1,200 errors`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shorten(text: str, limit: int = 60) -> str:
    """Quote a string for a message, cutting out the middle if long.

    A cut string is followed by its length, such as `(1,200 characters)`.

    Args:
        limit: the maximum number of characters of a string that is not cut.
    """
    if len(text) <= limit:
        return repr(text)
    half = limit // 2
    return f"{text[:half]!r}…{text[-half // 2 :]!r} ({len(text):,} characters)"


ONE_DAY = timedelta(days=1)


def day_of(instant_in_day: Instant, zone: ZoneInfo) -> date:
    """Return the date in a time zone at a given time."""
    return instant_in_day.astimezone(zone).date()


@lru_cache(maxsize=4096)
def day_start(day: date, zone: ZoneInfo) -> Instant:
    """Return the time at which a day begins in a time zone.

    If the clocks skip midnight on that day, it begins when they are moved forward.
    """
    return to_instant(datetime.combine(day, time(), zone))


def midnights(zone: ZoneInfo, start: Instant, until: Instant) -> Iterator[Instant]:
    """Yield the start of each local day after `start`, up to `until`."""
    day = day_of(start, zone) + ONE_DAY
    while (midnight := day_start(day, zone)) <= until:
        yield midnight
        day += ONE_DAY


if TYPE_CHECKING:
    unlocked_cached_property = cached_property
else:

    class unlocked_cached_property:  # noqa: N801 - a decorator
        """`functools.cached_property` without the lock that Python 3.11 takes.

        The lock costs four times as much as everything else. Use this for values that a build makes for every
        contract or transition, and `cached_property` everywhere else.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self.compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value
