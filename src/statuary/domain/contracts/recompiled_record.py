"""The members of a record from a new run of its compiler."""

from statuary.domain.contracts.compiled_members import compiled_members
from statuary.domain.contracts.match_sides import match_sides, transformation_members
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json


def recompiled_members(record: RecordValue, std_json_output: Json) -> dict[Pointer, Json]:
    """Return every member of a record that follows from the compiler's output and the on-chain code.

    Raises:
        InvalidValueError: if the output is incomplete or cannot be parsed.
    """
    compilation = record["compilation"]
    compiled = compiled_members(
        std_json_output,
        compilation["fullyQualifiedName"],
        language=compilation["language"],
        version=compilation["compilerVersion"],
    )
    sides = ("creation", "runtime")
    onchain = [record[f"{side}Bytecode"]["onchainBytecode"] for side in sides]
    members: dict[Pointer, Json] = {}
    for side, artifacts, match in zip(
        sides, (compiled.creation, compiled.runtime), match_sides(compiled, *onchain), strict=True
    ):
        members[f"{side}Match",] = match and match.level.value
        for name, value in {**artifacts, **transformation_members(match)}.items():
            members[f"{side}Bytecode", name] = value
    members |= {(name,): value for name, value in compiled.artifacts.items()}
    return members | {("sourceIds",): compiled.source_ids}
