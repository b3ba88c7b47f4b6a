"""Checks of hashes in bytecode: solc's metadata and sources, Vyper's integrity.

A difference from metadata whose hash is in the bytecode is an error. Without a hash, stored metadata is known
to differ in records that are otherwise true (Sourcify's issue 2924), so it is a warning.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from statuary.base.findings import Severity
from statuary.base.json_values import Json, as_object
from statuary.base.primitives import InvalidValueError, keccak256, shorten
from statuary.base.rules import check
from statuary.contracts.checks.check import (
    Evidence,
    Match,
    NotApplicable,
    Observation,
    Violation,
    reads_only_compilation,
    required_for,
)
from statuary.contracts.checks.record_view import RecordView, SideView, is_same_json, is_same_json_by_sorting
from statuary.contracts.model.compiler_evidence import SOLIDITY, AuxdataStyle, SourceHash, compiler_evidence
from statuary.contracts.model.solc_settings import setting_differences
from statuary.contracts.model.vyper_integrity import UnknownModuleError

CACHED_SOURCES: Final = 65_536
"""The number of cached hashes, about 16 MB; the oldest are dropped."""


class KeccakCache:
    """A cache of Keccak-256 hashes of source texts."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._known: dict[bytes, str] = {}

    def hash_text(self, text: str) -> str:
        """Return the Keccak-256 of a string as `0x` and 64 hex digits.

        The hash is computed only once for each string.
        """
        data = text.encode("utf-8", "surrogatepass")
        key = sha256(data).digest()
        digest = self._known.get(key)
        return digest if digest is not None else self._add(key, data)

    def _add(self, key: bytes, data: bytes) -> str:
        if len(self._known) >= self._capacity:
            del self._known[next(iter(self._known))]
        computed = self._known[key] = "0x" + keccak256(data).hex()
        return computed

    def clear(self) -> None:
        """Forget all hashes."""
        self._known.clear()


SOURCE_KECCAK_CACHE: Final = KeccakCache(CACHED_SOURCES)
"""The cache of this process."""


_INTERFACE = ("abi", "devdoc", "userdoc")


@check
@required_for(Match("creation", is_exact=True, language="Solidity"))
@reads_only_compilation
def creation_metadata_hash_mismatch(record: RecordView) -> Iterator[Observation]:
    """The hash in the contract's auxdata in the creation bytecode must be that of the record's metadata.

    solc appends auxdata to code; its metadata is a JSON text with settings and hashes of the sources.
    """
    return _metadata_hash_violations(record.creation)


@check
@required_for(Match("runtime", is_exact=True, language="Solidity"))
@reads_only_compilation
def runtime_metadata_hash_mismatch(record: RecordView) -> Iterator[Observation]:
    """The hash in the auxdata at the end of the runtime bytecode must be that of the record's metadata.

    solc appends auxdata to code; its metadata is a JSON text with settings and hashes of the sources.
    """
    return _metadata_hash_violations(record.runtime)


@check
@required_for(Match(is_exact=True, language="Solidity"))
@reads_only_compilation
def metadata_sources_mismatch(record: RecordView) -> Iterator[Observation]:
    """Each source that the metadata lists must be in the record, with the listed Keccak-256."""
    if record.metadata is None:
        yield NotApplicable("the record has no metadata")
        return
    # In some records of Sourcify, the sources differ from those in the metadata. Report an error only if the
    # matching bytecode contains the metadata's hash, because then the metadata is certainly right.
    severity = Severity.ERROR if record.has_hashed_metadata else Severity.WARNING
    metadata_sources = as_object(record.metadata.get("sources"))
    if not metadata_sources:
        yield Violation("the metadata lists no sources", ("metadata", "sources"), severity=severity)
    for path, entry in metadata_sources.items():
        content = record.sources.get(path)
        if content is None:
            yield Violation(
                f"the metadata lists {path!r}, which is not among the sources",
                ("sources",),
                severity=severity,
            )
            continue
        expected = as_object(entry).get("keccak256")
        computed = SOURCE_KECCAK_CACHE.hash_text(content)
        if expected != computed:
            yield Violation(
                f"the source {path!r} has Keccak-256 {computed}, the metadata states {expected}",
                ("sources", path, "content"),
                "give the source exactly as it was compiled, line ends included",
                severity,
            )
        literal = as_object(entry).get("content")
        if literal is not None and literal != content:
            yield Violation(
                f"the metadata has another text of {path!r}",
                ("metadata", "sources", path, "content"),
                severity=severity,
            )
    if metadata_sources:
        yield Evidence({"sources": len(metadata_sources)})


@check
@required_for(Match(is_exact=True, language="Solidity"))
@reads_only_compilation
def metadata_compilation_mismatch(record: RecordView) -> Iterator[Observation]:
    """The metadata must name the record's compiler version, language, contract and settings."""
    if record.metadata is None:
        yield NotApplicable("the record has no metadata")
        return
    path, name = record.qualified_name
    settings = as_object(record.metadata.get("settings"))
    version = as_object(record.metadata.get("compiler")).get("version")
    if isinstance(version, str):
        version = version.partition(".Emscripten")[0]  # old compilers append their platform
    compared: dict[str, tuple[Json, Json]] = {
        "compiler.version": (version, record.version),
        "language": (record.metadata.get("language"), record.language),
        "settings.compilationTarget": (settings.get("compilationTarget"), {path: name}),
    }
    compiler_settings = as_object(record.compilation.get("compilerSettings"))
    compared |= {
        f"settings.{difference.name}": (difference.in_metadata, difference.in_input)
        for difference in setting_differences(settings, compiler_settings, record.version)
    }
    for member, (in_metadata, in_record) in compared.items():
        if not is_same_json(in_metadata, in_record):
            yield Violation(
                f"the metadata's {member} is {shorten(str(in_metadata))},"
                f" the record has {shorten(str(in_record))}",
                ("metadata", *member.split(".")),
            )
    yield Evidence({"target": f"{path}:{name}", "settings": len(compiler_settings)})


@check
@required_for(Match(is_exact=True, language="Solidity"))
@reads_only_compilation
def metadata_interface_mismatch(record: RecordView) -> Iterator[Observation]:
    """The ABI and the documentation in the metadata must equal those in the record."""
    if record.metadata is None:
        yield NotApplicable("the record has no metadata")
        return
    output = as_object(record.metadata.get("output"))
    members = _members_in_metadata(record)
    yield Evidence(dict.fromkeys(members, "equal"))
    if is_same_json_by_sorting([output.get(member) for member in members], list(members.values())):
        return
    for member, value in members.items():
        if not is_same_json_by_sorting(output.get(member), value):
            yield Violation(f"the metadata's {member} is not the record's", (member,))


def _members_in_metadata(record: RecordView) -> dict[str, Json]:
    # Only solc writes metadata. So check a record with metadata by solc's rules, whatever its `language`
    # says.
    has_documentation = compiler_evidence(SOLIDITY, record.version).has_documentation
    members = {member: record.value.get(member) for member in _INTERFACE}
    return {
        member: value
        for member, value in members.items()
        if member == "abi" or has_documentation or value is not None
    }


def _metadata_hash_violations(side: SideView) -> Iterator[Observation]:
    reason = _reason_for_missing_hash(side)
    fields = side.trailing_auxdata_fields
    if reason or fields is None:
        yield NotApplicable(reason)
        return
    for scheme, digest in fields.hashes.items():
        if side.record.metadata_hashes.includes_digest(scheme, digest):
            yield Evidence({scheme: digest.hex()})
            continue
        computed = next(side.record.metadata_hashes.possible_digests(scheme), b"")
        yield Violation(
            f"the metadata's {scheme} hash is {computed.hex()}, the {side.name} bytecode has {digest.hex()}",
            ("metadata",),
            "give the metadata exactly as the compiler wrote it",
        )
    if side.trailing_auxdata not in side.auxdata.values():
        yield Violation(
            f"cborAuxdata does not list the contract's own, at byte {getattr(side.trailing_auxdata, 'offset', 0)}",
            (side.member, "cborAuxdata"),
        )


def _reason_for_missing_hash(side: SideView) -> str:
    if side.claimed_level is None:
        return f"the {side.name} bytecode is not claimed to match"
    if side.record.auxdata_style is not AuxdataStyle.SOLIDITY:
        return f"{side.record.language} {side.record.version} writes no metadata hash"
    if side.trailing_auxdata_fields is None or not side.trailing_auxdata_fields.hashes:
        return f"the {side.name} bytecode does not end with a metadata hash"
    return "the record has no metadata" if side.record.metadata is None else ""


@check
@reads_only_compilation
def vyper_integrity_mismatch(record: RecordView) -> Iterator[Observation]:
    """The integrity hash in Vyper's creation bytecode (since 0.4.1) must match the sources and imports.

    Vyper computes this hash from the sources, and appends it to the code.
    """
    if record.evidence.source_hash is not SourceHash.INTEGRITY:
        yield NotApplicable(f"{record.language} {record.version} writes no integrity hash")
        return
    for number, fields in record.creation.auxdata_fields.items():
        if "integrity" not in fields.hashes:
            continue
        recorded_hash = fields.hashes["integrity"].hex()
        pointer = ("creationBytecode", "cborAuxdata", number)
        computed = record.vyper_integrity_hashes
        if isinstance(computed, UnknownModuleError):
            yield NotApplicable(str(computed))
            return
        if isinstance(computed, InvalidValueError):
            yield Violation(f"the integrity hash cannot be computed: {computed}", pointer)
            return
        if recorded_hash in computed:
            yield Evidence({"integrity": recorded_hash})
            continue
        yield Violation(
            f"the integrity hash of the sources is {(computed or ['unknown'])[0]}, the bytecode has {recorded_hash}",
            pointer,
            "give the sources exactly as they were compiled, line ends included",
        )
