"""Checks of what Vyper's integrity hash commits to: the sources and their imports."""

from collections.abc import Iterator
from itertools import islice

from statuary.checks.contracts.check import Evidence, NotApplicable, Observation, Violation
from statuary.checks.contracts.json_comparison import as_object
from statuary.checks.contracts.record_view import RecordView
from statuary.domain.contracts.metadata.vyper_integrity import (
    UnknownModuleError,
    VyperProgram,
    has_integrity_hash,
    integrity_hashes,
)
from statuary.domain.limits import MAX_INTEGRITY_TEXTS
from statuary.domain.primitives import InvalidValueError


def vyper_integrity_is_that_of_the_sources(record: RecordView) -> Iterator[Observation]:
    """The integrity hash in Vyper's creation bytecode (0.4.1 on) is that of the sources and their imports."""
    if record.language != "Vyper" or not has_integrity_hash(record.version):
        yield NotApplicable(f"{record.language} {record.version} writes no integrity hash")
        return
    for number, fields in record.creation.fields.items():
        if "integrity" not in fields.hashes:
            continue
        written = fields.hashes["integrity"].hex()
        pointer = ("creationBytecode", "cborAuxdata", number)
        try:
            computed = list(islice(integrity_hashes(_program(record)), MAX_INTEGRITY_TEXTS))
        except UnknownModuleError as error:
            yield NotApplicable(str(error))
            return
        except InvalidValueError as error:
            yield Violation(f"the integrity hash cannot be computed: {error}", pointer)
            return
        if written in computed:
            yield Evidence({"integrity": written})
            continue
        yield Violation(
            f"the integrity hash of the sources is {(computed or ['unknown'])[0]}, the bytecode has {written}",
            pointer,
            "give the sources exactly as they were compiled, line ends included",
        )


def _program(record: RecordView) -> VyperProgram:
    extra = as_object(record.value.get("additionalInput"))
    return VyperProgram(
        main=record.path_and_name[0],
        sources=record.sources,
        version=record.version,
        overrides=extra.get("storage_layout_overrides"),
    )
