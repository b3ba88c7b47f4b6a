"""Parse records without loss: numbers keep their spelling.

Text is canonical if orjson parses it and writes the same bytes; those bytes are published. Any other text
goes through a slower parser, which also reports what orjson does not: number spellings, duplicate keys, lone
surrogates.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import orjson
from pydantic import TypeAdapter, ValidationError

from statuary.base.findings import Finding
from statuary.base.json_values import Json, has_many_values
from statuary.base.limits import MAX_JSON_VALUES
from statuary.contracts.chain.anchor import Anchor
from statuary.contracts.model.compiled_part import COMPILED_PARTS, CompiledPart, split_record_text
from statuary.contracts.model.derivation import standard_json_members
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record import Compilation, Record, RecordValue
from statuary.source.parse_json import parse_json
from statuary.source.source_files import decode_utf8
from statuary.source.unreadable import BeyondLimitError

ADAPTER = TypeAdapter(Record, config=None)

_INSTEAD_OF_REPEATS = b',"stdJsonInput":{"language":"","sources":{},"settings":{}},"stdJsonOutput":{"sources":null,"contracts":{}}'


_NOTHING_COMPILED: RecordValue = {
    **dict.fromkeys(("abi", "metadata", "storageLayout", "userdoc", "devdoc", "sourceIds"), None),
    "sources": {},
    "stdJsonInput": {"language": "", "sources": {}, "settings": {}},
    "compilation": dict.fromkeys(Compilation.__annotations__, "") | {"compilerSettings": {}},
    "stdJsonOutput": {"sources": None, "contracts": {}},
    "signatures": {"function": [], "event": [], "error": []},
}
"""Placeholders for members that were validated before."""


class ParsedContract(NamedTuple):
    """A contract's parsed record with its evidence, or the errors in it."""

    record: RecordValue | None  # a record whose members have the right types; None if there is none
    canonical: bytes | None = None  # the bytes to publish if the source has exactly them; else None
    findings: Sequence[Finding] = ()
    digest: bytes = b""  # SHA-256 of a record file without white space at its end; empty for all other forms
    compilation: CompilationEvidence | None = None
    """The stored result of an earlier recompilation; None if there is none."""
    anchor: Anchor | None = None  # the Merkle proofs from the chain, stored with the contract
    notes: Sequence[Finding] = ()  # errors in the evidence, which do not exclude the record
    part: CompiledPart | None = None  # the compilation that the record shares with others, if it is canonical


def parse_record_json(raw: bytes, path: str) -> ParsedContract:
    """Parse a contract's record from JSON, and check its types.

    Args:
        raw: the content of the file.
        path: the path of the file, which errors name.

    Raises:
        UnreadableError: if the bytes are not JSON in UTF-8, an object repeats a key, or there are more values
            than `MAX_JSON_VALUES`.
    """
    if len(raw) > MAX_JSON_VALUES and has_many_values(raw):
        raise BeyondLimitError(f"the record has more than {MAX_JSON_VALUES:,} values")
    trimmed = raw if raw[-1:] == b"}" else raw.rstrip(b" \t\r\n")
    if (pieces := split_record_text(trimmed)) is None:
        return _parse_whole_record(raw, trimmed, path)
    if (part := COMPILED_PARTS.find_compilation(pieces)) is not None:
        with suppress(ValueError, TypeError, KeyError):
            record = part.record_with_deployment(pieces.deployed)
            if ADAPTER.validator.isinstance_python(record | _NOTHING_COMPILED):
                return ParsedContract(record, trimmed, part=part)
    parsed = _parse_whole_record(raw, trimmed, path)
    if part is not None or parsed.record is None or parsed.canonical is None:
        return parsed
    return parsed._replace(part=COMPILED_PARTS.add_compilation(pieces, parsed.record))


def _parse_whole_record(raw: bytes, trimmed: bytes, path: str) -> ParsedContract:
    with suppress(ValueError, TypeError):  # orjson's two errors, and a value that is not a record
        record = _parse_without_standard_json(trimmed)
        if orjson.dumps(record) == trimmed:
            return ParsedContract(record, trimmed)
    value: Json
    try:
        value = orjson.loads(trimmed)
        canonical = trimmed if orjson.dumps(value) == trimmed else None
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        canonical = None
    if canonical is None:
        value = parse_json(decode_utf8(raw))
    return validate_record(value, canonical, path)


def _parse_without_standard_json(record_text: bytes) -> dict[str, Json]:
    """Parse a record in canonical JSON faster, without two derived members.

    `stdJsonInput` and `stdJsonOutput` are half of the text, and nearly always equal what the other members give. So they
    are derived; the caller encodes the result and compares it with the file.

    Raises:
        ValueError: if the rest is not a record, or cannot be separated from these two.
    """
    start = record_text.index(b',"stdJsonInput":')
    end = record_text.rindex(b',"signatures":')
    value: dict[str, Json] = orjson.loads(
        b"%b%b%b" % (record_text[:start], _INSTEAD_OF_REPEATS, record_text[end:])
    )
    if not ADAPTER.validator.isinstance_python(value):
        raise ValueError("the file is not a contract record")
    return value | standard_json_members(value)


IDENTITY = ("chainId", "address", "compilation")
"""Members that every record has, and no artifact of a compiler."""


def validate_record(value: Json, canonical: bytes | None, path: str) -> ParsedContract:
    """Check that the members of a contract's record have the right types.

    Args:
        value: the parsed JSON.
        canonical: the bytes of the record if they are in canonical form, else None.
        path: the path of the file, which errors name.
    """
    if not isinstance(value, dict):
        message = "the file is not a JSON object"
        finding = Finding(
            rule="invalid-value",
            path=path,
            message=message,
            hint="write one record, a JSON object, into each file",
        )
        return ParsedContract(None, findings=[finding])
    if ADAPTER.validator.isinstance_python(value):  # three quarters of the time of `validate_python`
        return ParsedContract(value, canonical)
    try:
        ADAPTER.validator.validate_python(value)
    except ValidationError as error:
        missing = [name for name in IDENTITY if name not in value]
        if len(missing) > 1:
            message = f"this is not a record of a contract: it has no {', '.join(missing)}"
            hint = "make a record of an artifact or a build-info with `statuary contract add`"
            finding = Finding(rule="invalid-value", path=path, message=message, hint=hint)
            return ParsedContract(None, findings=[finding])
        from statuary.source.load_model import validation_findings

        findings = [finding.with_path(path) for finding in validation_findings(error, Record, value)]
        return ParsedContract(None, findings=findings)
    return ParsedContract(value, canonical)
