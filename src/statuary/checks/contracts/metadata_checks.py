"""What the compiler's hashes commit to: the metadata, and through it or directly the sources.

Two rules here are warnings because real records break them and are true all the same: among Sourcify's own
there are some whose stored sources are not those of the stored metadata (its issue 2227, the permit2 contract).
"""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, as_object, same_json, same_members
from statuary.checks.contracts.source_keccak import SOURCE_KECCAK_CACHE
from statuary.domain.contracts.bytecode.auxdata import metadata_hash
from statuary.domain.json_values import Json
from statuary.domain.primitives import shorten

_SCHEMES = ("ipfs", "bzzr1", "bzzr0")
_VYPER_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]", re.MULTILINE)

REPEATED_SETTINGS = ("optimizer", "evmVersion", "viaIR", "remappings", "metadata")
"""Settings that metadata and standard JSON input spell alike; metadata may have more of them, by default."""


def metadata_hash_is_in_the_bytecode(record: RecordView) -> Iterator[Observation]:
    """The hash of the metadata is the hash in the auxdata of the recompiled runtime bytecode."""
    if not record.metadata_texts:
        return
    hashes = [fields.hashes for fields in record.runtime.fields.values()]
    for scheme in _SCHEMES:
        written = [held[scheme] for held in hashes if scheme in held]
        if not written:
            continue
        computed = [metadata_hash(text, scheme) for text in record.metadata_texts]
        found = next((digest for digest in computed if digest in written), None)
        yield Evidence(
            {scheme: (found or computed[0]).hex(), "metadataBytes": len(record.metadata_texts[-1])}
        )
        if found is None:
            yield Violation(
                f"the metadata's {scheme} hash is {computed[-1].hex()}, the bytecode has {written[0].hex()}",
                ("metadata",),
                "give the metadata exactly as the compiler wrote it",
            )


def sources_are_those_of_the_metadata(record: RecordView) -> Iterator[Observation]:
    """Each source in the metadata is there, and has the Keccak-256 that the metadata gives."""
    listed = as_object(record.metadata.get("sources")) if record.metadata is not None else {}
    for path, entry in listed.items():
        content = as_object(record.sources.get(path)).get("content")
        if not isinstance(content, str):
            yield Violation(f"the metadata lists {path!r}, which is not among the sources", ("sources",))
            continue
        expected, computed = as_object(entry).get("keccak256"), SOURCE_KECCAK_CACHE.of(content)
        if expected != computed:
            yield Violation(
                f"the source {path!r} has Keccak-256 {computed}, the metadata says {expected}",
                ("sources", path, "content"),
                "give the source exactly as it was compiled, line ends included",
            )
        literal = as_object(entry).get("content")
        if literal is not None and literal != content:
            yield Violation(
                f"the metadata holds another text of {path!r}", ("metadata", "sources", path, "content")
            )
    if listed:
        yield Evidence({"sources": len(listed)})


def metadata_names_the_compilation(record: RecordView) -> Iterator[Observation]:
    """The metadata names the record's compiler version, language, target, settings and libraries."""
    if record.metadata is None:
        return
    path, name = record.path_and_name
    settings = as_object(record.metadata.get("settings"))
    claims: dict[str, tuple[Json, Json]] = {
        "compiler.version": (
            _plain(as_object(record.metadata.get("compiler")).get("version")),
            record.version,
        ),
        "language": (record.metadata.get("language"), record.language),
        "settings.compilationTarget": (settings.get("compilationTarget"), {path: name}),
        **_settings(settings, as_object(record.compilation.get("compilerSettings"))),
    }
    for member, (said, known) in claims.items():
        if not same_json(said, known):
            yield Violation(
                f"the metadata's {member} is {shorten(str(said))}, the record has {shorten(str(known))}",
                ("metadata", *member.split(".")),
            )
    yield Evidence({"members": len(claims)})


def metadata_repeats_the_interface(record: RecordView) -> Iterator[Observation]:
    """The ABI and the documentation in the metadata are the record's own."""
    output = as_object(record.metadata.get("output")) if record.metadata is not None else {}
    for member in ("abi", "devdoc", "userdoc"):
        # the oldest compilers gave no documentation of their own, only that in the metadata
        if output.get(member) is None or record.value.get(member) is None:
            continue
        yield Evidence({member: "equal"})
        if not same_members(output[member], record.value[member]):
            yield Violation(f"the metadata's {member} is not the record's", (member,))


def vyper_integrity_is_that_of_the_source(record: RecordView) -> Iterator[Observation]:
    """Vyper's integrity hash (0.4.1 on) is that of the source, where one source without imports is all there is."""
    contents = [as_object(source).get("content") for source in record.sources.values()]
    for number, fields in record.creation.fields.items():
        if "integrity" not in fields.hashes:
            continue
        if len(contents) != 1 or record.value.get("additionalInput") or _imports(contents[0]):
            yield Evidence({"integrity": "not computed: imports or a storage layout take part"})
            continue
        computed = vyper_integrity(str(contents[0]))
        yield Evidence({"integrity": computed})
        if computed != fields.hashes["integrity"].hex():
            yield Violation(
                f"the source's integrity hash is {computed}, the bytecode has {fields.hashes['integrity'].hex()}",
                ("creationBytecode", "cborAuxdata", number),
                "give the source exactly as it was compiled, line ends included",
            )


def vyper_integrity(source: str) -> str:
    """Return the integrity hash of a Vyper module that imports nothing: the hash of its one hash, as hex text."""
    inner = sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    return sha256(inner.encode("ascii")).hexdigest()


def _imports(content: Json) -> bool:
    return not isinstance(content, str) or _VYPER_IMPORT.search(content) is not None


def _plain(version: Json) -> Json:
    """Drop the platform that old compilers wrote behind their version (`.Emscripten.clang`)."""
    return version.partition(".Emscripten")[0] if isinstance(version, str) else version


def _settings(said: Mapping[str, Json], known: Mapping[str, Json]) -> dict[str, tuple[Json, Json]]:
    """Pair up the settings that both spell; of a group only the members that both have."""
    pairs: dict[str, tuple[Json, Json]] = {}
    for key in REPEATED_SETTINGS:
        if key not in said or key not in known:
            continue
        if isinstance(said[key], Mapping) and isinstance(known[key], Mapping):
            shared = [member for member in said[key] if member in known[key]]
            pairs |= {
                f"settings.{key}.{member}": (said[key][member], known[key][member]) for member in shared
            }
        else:
            pairs[f"settings.{key}"] = (said[key], known[key])
    if "libraries" in known and "libraries" in said:
        pairs["settings.libraries"] = _flat(said["libraries"]), _flat(known["libraries"])
    return pairs


def _flat(libraries: Json) -> dict[str, Json]:
    """Spell libraries by fully qualified name, addresses in lower case: metadata has them flat, standard JSON nested."""
    flat: dict[str, Json] = {}
    for path, held in as_object(libraries).items():
        if isinstance(held, Mapping):
            flat |= {f"{path}:{name}": str(address).lower() for name, address in held.items()}
        else:
            flat[path] = str(held).lower()
    return flat
