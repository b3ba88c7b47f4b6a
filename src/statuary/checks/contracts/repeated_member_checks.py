"""Checks of members that repeat others.

stdJsonInput and stdJsonOutput repeat the record in the compiler's form, so a change in one place only is
found.
"""

from collections.abc import Iterator, Mapping, Sequence

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.json_comparison import as_object, same_json
from statuary.checks.contracts.record_view import RecordView, SideView
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json

_PLAIN_MEMBERS = ("abi", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")
_CODE_MEMBERS = ("sourceMap", "linkReferences", "immutableReferences")
_OUTPUT_MEMBERS = {*_PLAIN_MEMBERS, "metadata", "evm"}
_OVERRIDES = "storage_layout_overrides"


def name_ends_fully_qualified_name(record: RecordView) -> Iterator[Observation]:
    """The fullyQualifiedName is the path of one of the sources, a colon, and name."""
    path, name = record.path_and_name
    yield Evidence({"path": path, "name": name})
    if name != record.compilation.get("name"):
        yield Violation(
            f"name is {record.compilation.get('name')!r}, but the fully qualified name ends in {name!r}",
            ("compilation", "name"),
        )
    if path not in record.sources:
        yield Violation(f"{path!r} is not among the sources", ("compilation", "fullyQualifiedName"))


def std_json_input_repeats_the_record(record: RecordView) -> Iterator[Observation]:
    """The stdJsonInput has the record's language, sources, settings and storage layout overrides."""
    given = as_object(record.value.get("stdJsonInput"))
    extra = as_object(record.value.get("additionalInput"))
    # sources are plain texts, so == is exact; nearly always it is the same object twice, which is fast
    if given.get("sources") != record.value.get("sources"):
        yield _difference(("stdJsonInput", "sources"), ("sources",))
    pairs: dict[str, tuple[Json, Pointer]] = {
        "language": (record.compilation.get("language"), ("compilation", "language")),
        "settings": (record.compilation.get("compilerSettings"), ("compilation", "compilerSettings")),
        _OVERRIDES: (extra.get(_OVERRIDES), ("additionalInput", _OVERRIDES)),
    }
    for member, (repeated, pointer) in pairs.items():
        if not same_json(given.get(member), repeated):
            yield _difference(("stdJsonInput", member), pointer)
    for member in sorted(extra.keys() - ({_OVERRIDES} if record.language == "Vyper" else set())):
        yield Violation(f"{record.language} takes no input {member[:80]!r}", ("additionalInput", member))
    yield Evidence({"sources": len(record.sources), "members": len(pairs) + 1})


def std_json_output_repeats_the_record(record: RecordView) -> Iterator[Observation]:
    """The stdJsonOutput has the record's artifacts, bytecode and source maps, and nothing else."""
    where: Pointer = ("stdJsonOutput", "contracts", *record.path_and_name)
    output = as_object(record.value.get("stdJsonOutput"))
    if not same_json(output.get("sources"), record.value.get("sourceIds")):
        yield _difference(("stdJsonOutput", "sources"), ("sourceIds",))
    if record.output_contract is None:
        yield Violation("stdJsonOutput has no contract of the record's fully qualified name", where[:2])
        return
    contracts = as_object(output.get("contracts"))
    if sum(len(as_object(held)) for held in contracts.values()) != 1 or len(contracts) != 1:
        yield Violation("stdJsonOutput has other contracts too", where[:2])
    for member in sorted(record.output_contract.keys() - _OUTPUT_MEMBERS):
        yield Violation(f"stdJsonOutput has an unknown member {member[:80]!r}", (*where, member))
    held = record.output_contract
    yield from _compare_members(_PLAIN_MEMBERS, held, where, record.value, ())
    if not _is_metadata(record):
        yield _difference((*where, "metadata"), ("metadata",))
    evm = as_object(held.get("evm"))
    for side, member in ((record.creation, "bytecode"), (record.runtime, "deployedBytecode")):
        yield from _compare_code(side, as_object(evm.get(member)), (*where, "evm", member))
    yield Evidence({"members": len(_PLAIN_MEMBERS) + 2, "bytecodes": 2})


def _difference(pointer: Pointer, other: Pointer) -> Violation:
    return Violation(
        f"{'.'.join(map(str, pointer))} is not the same as {'.'.join(map(str, other))}",
        pointer,
        "write both from one run of the compiler",
    )


def _compare_code(side: SideView, code: Mapping[str, Json], pointer: Pointer) -> Iterator[Violation]:
    recompiled = side.value.get("recompiledBytecode")
    digits = recompiled[2:] if isinstance(recompiled, str) else ""
    if (code.get("object") or "") != digits:
        yield _difference((*pointer, "object"), (side.member, "recompiledBytecode"))
    yield from _compare_members(_CODE_MEMBERS, code, pointer, side.value, (side.member,))


def _compare_members(
    members: Sequence[str], given: Mapping[str, Json], where: Pointer, own: Mapping[str, Json], other: Pointer
) -> Iterator[Violation]:
    for member in members:
        if not same_json(given.get(member), own.get(member)):
            yield _difference((*where, member), (*other, member))


def _is_metadata(record: RecordView) -> bool:
    """Return whether the compiler's metadata text is the record's metadata, or both are absent."""
    text = as_object(record.output_contract).get("metadata")
    if text is None or record.value.get("metadata") is None:
        return text is None and record.value.get("metadata") is None
    return record.metadata_hashes.text is not None
