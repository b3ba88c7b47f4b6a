"""Checks that compare language and compiler with what the code names."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from statuary.base.json_values import as_list, as_object, as_text
from statuary.base.rules import check
from statuary.contracts.checks.check import Evidence, NotKnown, Observation, Violation, reads_only_compilation
from statuary.contracts.checks.record_view import RecordView, format_json_line
from statuary.contracts.model.code_maker import CodeMaker, find_code_maker
from statuary.contracts.model.compiler import parse_compiler_version
from statuary.contracts.model.compiler_evidence import AuxdataStyle
from statuary.contracts.model.evm_forks import FORKS, find_unsupported_opcode
from statuary.contracts.model.solc_settings import default_evm_version
from statuary.contracts.model.vyper_settings import NAMES, SettingSupport, vyper_setting_support


class Traces(NamedTuple):
    """The marks that a compiler leaves at the end of its code."""

    compiler: str  # the only compiler that the code may name; empty if it may name none
    from_sources: bool = False  # whether the code may end with bytes that the sources contain literally


TRACES: Final[Mapping[str, Traces]] = {
    "Solidity": Traces("solc"),
    "Vyper": Traces("vyper"),
    "Yul": Traces("", from_sources=True),  # solc writes none, but an object may have the metadata of another
    "Fe": Traces(""),
}
"""The languages whose records can be checked. Which versions write what: `compiler_evidence`."""


@check
@reads_only_compilation
def relabelled_code(record: RecordView) -> Iterator[Observation]:
    """The end of the recompiled code must fit the record's language and compiler, and name no other.

    Compilers write their name, version or a hash there.
    """
    if not (record.runtime.recompiled_code or record.creation.recompiled_code):
        return
    maker = _compiler_named_in_code(record)
    if maker is not None:
        yield Evidence({"compiler": maker.compiler, "version": maker.version or "before 0.5.9"})
        yield from _compiler_contradictions(record, maker)
        yield from _hash_kind_violations(record)
        return
    metadata = as_object(as_object(record.compilation.get("compilerSettings")).get("metadata"))
    has_metadata = record.auxdata_style is AuxdataStyle.SOLIDITY and metadata.get("appendCBOR") is not False
    if has_metadata and record.runtime.recompiled_code:
        yield Violation(
            f"the code does not end with metadata, as that of {_compiler_label(record)} does",
            ("compilation", "language"),
            "correct the language, the compiler version or the bytecode",
        )


def _compiler_contradictions(record: RecordView, code_maker: CodeMaker) -> Iterator[Violation]:
    traces, member = _language_traces(record), ""
    if code_maker.compiler != traces.compiler:
        member = "" if traces.from_sources and _sources_contain_auxdata(record, code_maker) else "language"
    elif not record.is_known:
        member = "" if code_maker.is_compatible_with_version(record.version) else "compilerVersion"
    elif record.auxdata_style is AuxdataStyle.NONE or not code_maker.is_compatible_with_version(
        record.version
    ):
        member = "compilerVersion"
    if member:
        yield Violation(
            f"the code names {code_maker.compiler} {code_maker.version or 'before 0.5.9'}, which is not {_compiler_label(record)}",
            ("compilation", member),
            "write the language and the version of the compiler that made the code",
        )


def _language_traces(record: RecordView) -> Traces:
    if record.is_known:
        return TRACES[record.language]
    return Traces(as_text(record.compilation.get("compiler")))


def _compiler_label(record: RecordView) -> str:
    return f"{record.language} {record.version[:80]}"


def _compiler_named_in_code(record: RecordView) -> CodeMaker | None:
    # Vyper from 0.3.10 on names the compiler only at the end of the creation code.
    runtime = record.runtime.recompiled_code or b""
    creation = record.creation.recompiled_code or b""
    of_creation = find_code_maker(creation)
    if of_creation is not None and of_creation.compiler == "vyper":
        return find_code_maker(runtime) or of_creation
    return find_code_maker(runtime) if runtime else of_creation


def _sources_contain_auxdata(record: RecordView, code_maker: CodeMaker) -> bool:
    digits = code_maker.auxdata.hex()
    return any(digits in text.lower() for text in record.sources.values())


@check
@reads_only_compilation
def missing_metadata(record: RecordView) -> Iterator[Observation]:
    """A Solidity record must have solc's metadata (since 0.4.7); other records must not have it."""
    if record.auxdata_style is not AuxdataStyle.SOLIDITY:
        yield from _foreign_metadata_violations(record)
        return
    yield Evidence({"metadata": "given" if record.metadata is not None else "absent"})
    if record.metadata is None:
        yield Violation(
            f"solc {record.version[:80]} writes metadata for every contract, and the record has none",
            ("metadata",),
            "give the metadata exactly as the compiler wrote it",
        )


def _hash_kind_violations(record: RecordView) -> Iterator[Observation]:
    fields = record.runtime.trailing_auxdata_fields
    is_solidity = record.auxdata_style is AuxdataStyle.SOLIDITY
    if fields is None or not is_solidity or parse_compiler_version(record.version) < _HASH_SETTING_SINCE:
        return
    settings = as_object(as_object(record.compilation.get("compilerSettings")).get("metadata"))
    named = as_text(settings.get("bytecodeHash", "ipfs"))
    written = next(iter(fields.hashes), "none")
    if named != written:
        yield Violation(
            f"the settings say that the metadata hash is {named[:80]}, but that in the compiled code is {written}",
            ("compilation", "compilerSettings", "metadata", "bytecodeHash"),
        )


_HASH_SETTING_SINCE = (0, 6)


def _foreign_metadata_violations(record: RecordView) -> Iterator[Observation]:
    if record.metadata is None or not record.is_known:
        return
    language = as_object(record.metadata).get("language")
    yield Evidence({"metadata": str(language)[:80]})
    if language != record.language:
        yield Violation(
            f"the metadata is for {format_json_line(language)[:80]}, but the record is for {record.language}",
            ("metadata", "language"),
            "write null: its compiler writes no metadata",
        )


@check
@reads_only_compilation
def invented_interface(record: RecordView) -> Iterator[Observation]:
    """A Yul record must not have an ABI or documentation, because solc writes none for Yul."""
    if record.evidence.has_interface:
        return
    abi = as_list(record.value.get("abi"))
    yield Evidence({"items": len(abi)})
    if abi:
        yield Violation(
            f"the ABI has {len(abi):,} items, but solc writes no ABI for Yul", ("abi",), "write null"
        )


@check
@reads_only_compilation
def refused_setting(record: RecordView) -> Iterator[Observation]:
    """The compiler must accept `optimize` and `evmVersion`, and Yul code must not use later opcodes.

    These opcodes were added to the EVM after the version that the setting names.
    """
    if record.is_known and record.language == "Vyper":
        yield from _refused_vyper_settings(record)
    if record.is_known and record.language == "Yul":
        yield from _refused_yul_opcodes(record)


def _refused_vyper_settings(record: RecordView) -> Iterator[Observation]:
    settings = as_object(record.compilation.get("compilerSettings"))
    for name in NAMES:
        value = settings.get(name)
        if value is None:
            continue
        yield Evidence({name: str(value)[:80]})
        pointer = ("compilation", "compilerSettings", name)
        match vyper_setting_support(record.version.partition("+")[0], name, value):
            case SettingSupport.REJECTED:
                message = f"Vyper {record.version[:80]} takes no {name} {format_json_line(value)[:80]}"
                yield Violation(message, pointer, "write the settings that the contract was compiled with")
            case SettingSupport.UNKNOWN:
                yield NotKnown(f"setting {name}", str(value)[:80], pointer)
            case SettingSupport.ACCEPTED:
                pass


def _refused_yul_opcodes(record: RecordView) -> Iterator[Observation]:
    given = as_object(record.compilation.get("compilerSettings")).get("evmVersion")
    default = default_evm_version(record.version)
    fork = default if given is None else as_text(given)
    pointer = ("compilation", "compilerSettings", "evmVersion")
    if not fork:
        return
    if fork not in FORKS:
        if default:
            message = f"solc {record.version[:80]} takes no evmVersion {format_json_line(given)[:80]}"
            yield Violation(message, pointer, "write the settings that the contract was compiled with")
        return
    yield Evidence({"evmVersion": fork})
    if any("verbatim" in text for text in record.sources.values()):  # bytes of any kind
        return
    later = find_unsupported_opcode(record.runtime.recompiled_code or b"", fork)
    if later is not None:
        yield Violation(
            f"the code has the opcode 0x{later.opcode:02x} of {later.fork} at {later.offset}, but it is compiled for {fork}",
            pointer,
            "write the version and the settings of the compiler that made the code",
        )
