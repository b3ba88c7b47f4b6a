"""A record as checks see it, decoded and hashed once.

A record is a plain dict whose shape has been validated; nothing more is assumed. A value that cannot be
decoded is None here, and the check for it reports that. The module also compares JSON values.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

import orjson

from statuary.base.json_values import Json, as_object, as_text
from statuary.base.limits import MAX_INTEGRITY_TEXTS
from statuary.base.primitives import Address, InvalidValueError, decode_hex_digits, unlocked_cached_property
from statuary.contracts.model.abi import TupleType
from statuary.contracts.model.auxdata import (
    Auxdata,
    AuxdataFields,
    CodeReference,
    find_trailing_auxdata,
    parse_auxdata,
    parse_cbor_auxdata,
    parse_immutable_references,
    parse_link_references,
)
from statuary.contracts.model.compiler_evidence import AuxdataStyle, compiler_evidence
from statuary.contracts.model.matching import (
    MatchLevel,
    RecompiledSide,
    SideMatch,
    constructor_argument_types,
    match_creation,
    match_runtime,
)
from statuary.contracts.model.metadata_hashes import has_repeated_keys, metadata_hash, possible_metadata_texts
from statuary.contracts.model.open_lists import is_known_compilation
from statuary.contracts.model.transformations import (
    ReplayError,
    TransformationStep,
    parse_transformation,
    replay_transformations,
)
from statuary.contracts.model.vyper_immutables import appended_immutables_size
from statuary.contracts.model.vyper_integrity import VyperProgram, integrity_hashed_paths, integrity_hashes

Part = TypeVar("Part")
Computed = Mapping[str, object]

_OF_COMPILATION: Final[set[str]] = set()
"""The members of views that depend only on the compilation."""

Compute = TypeVar("Compute", bound=Callable[..., object])


def depends_on_compilation(compute: Compute) -> Compute:
    """Mark a property whose value all copies of a contract share.

    Copies have the same sources, settings and compiler output. The value depends only on these, so it is
    computed once for all copies.
    """
    _OF_COMPILATION.add(compute.__name__)
    return compute


def parse_or_return_error(parser: Callable[[Json], Part], value: Json) -> Part | InvalidValueError:
    """Parse a value of a contract's record; return the error if it is invalid."""
    try:
        return parser(value)
    except InvalidValueError as error:
        return error.with_traceback(None)


def decode_lowercase_hex(hex_text: Json) -> bytes | None:
    """Decode a string of `0x` and lower-case hex digits.

    Returns:
        The bytes, or None for any other value.
    """
    if not isinstance(hex_text, str) or not hex_text.startswith("0x"):
        return None
    digits = hex_text[2:]
    data = decode_hex_digits(digits)
    return data if data is not None and data.hex() == digits else None  # capitals are decoded too


def encode_compact_json(value: Json, *, sort_keys: bool = False) -> bytes | None:
    """Encode a JSON value without white space.

    Args:
        sort_keys: whether to sort the keys of objects.

    Returns:
        The bytes, or None if the value is nested too deeply for the output of a compiler.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if sort_keys else 0)
    except (TypeError, ValueError):  # orjson raises a TypeError
        return None


def format_json_line(value: Json) -> str:
    """Format a JSON value as one line, for error messages."""
    if isinstance(value, str):
        return repr(str(value))
    text = encode_compact_json(value)
    return repr(value) if text is None else text.decode()


def is_same_json(value: Json, other_value: Json) -> bool:
    """Return whether two JSON values are equal, ignoring the order of keys.

    Unlike in Python, `1`, `1.0` and `true` are different values.
    """
    if value is other_value:
        return True
    if value is None or other_value is None or isinstance(value, str) or isinstance(other_value, str):
        return bool(type(value) is type(other_value) and value == other_value)
    text = encode_compact_json(value)
    if text is not None and text == encode_compact_json(other_value):
        return True  # most values have equal orders of keys, which is fast to compare
    return text is not None and is_same_json_by_sorting(value, other_value)


def is_same_json_by_sorting(value: Json, other_value: Json) -> bool:
    """Return whether two JSON values are equal, ignoring the order of keys.

    The result is that of `is_same_json`. This function is faster if the orders of the keys usually differ.
    """
    text = encode_compact_json(value, sort_keys=True)
    return text is not None and text == encode_compact_json(other_value, sort_keys=True)


class MetadataHashes:
    """The hashes that bytecode may contain for a contract's metadata.

    There are several, because a record does not preserve the order of keys in the compiler's JSON.

    Args:
        metadata: the record's `metadata`.
        output_text: the metadata in the compiler's output, or None.
    """

    def __init__(self, metadata: Json, output_text: Json) -> None:
        self._value = metadata if isinstance(metadata, dict) else None
        self._output_text = output_text
        self._known: dict[tuple[str, bytes], bool] = {}

    @unlocked_cached_property
    def compiler_metadata_text(self) -> str | None:
        """The metadata exactly as solc wrote it, or None without metadata."""
        text = self._output_text
        if not isinstance(text, str) or self._value is None:
            return None
        encoded = text.encode("utf-8", "surrogatepass")
        if encoded == encode_compact_json(self._value) or encoded == encode_compact_json(
            self._value, sort_keys=True
        ):
            return text  # solc wrote this text, so no key is repeated
        try:
            is_same = is_same_json(orjson.loads(text), self._value)
        except (ValueError, TypeError):
            return None
        return text if is_same and not has_repeated_keys(text) else None

    def includes_digest(self, scheme: str, digest: bytes) -> bool:
        """Return whether a digest is one of the metadata's possible hashes.

        Args:
            scheme: the kind of hash in the bytecode, such as `ipfs`.
            digest: the digest in the bytecode.
        """
        key = scheme, digest
        if key not in self._known:
            self._known[key] = any(digest == candidate for candidate in self.possible_digests(scheme))
        return self._known[key]

    def possible_digests(self, scheme: str) -> Iterator[bytes]:
        """Yield the hashes that a compiler may have computed for the metadata.

        Args:
            scheme: the kind of hash in the bytecode, such as `ipfs`.
        """
        if self._value is None:
            return
        try:
            for text in possible_metadata_texts(self._value, self.compiler_metadata_text):
                yield metadata_hash(text, scheme)
        except InvalidValueError:
            return


class SideView:
    """The creation code or the runtime code in a contract's record, decoded.

    Attributes:
        side_name: `creation` or `runtime`.
        member: `creationBytecode` or `runtimeBytecode`.
        value: the value of that member; empty if the record has none.
        claimed_level: the match level that the record claims.
        is_exact: whether the record claims an exact match.
    """

    def __init__(self, record: "RecordView", side_name: str) -> None:
        self.record = record
        self.name = side_name
        self.member = f"{side_name}Bytecode"
        self.value: Mapping[str, Json] = as_object(record.value.get(self.member))
        self.claimed_level: Json = record.value.get(f"{side_name}Match")
        self.is_exact = bool(self.claimed_level == MatchLevel.EXACT_MATCH)

    @unlocked_cached_property
    def onchain_code(self) -> bytes | None:
        """The code on the chain, decoded.

        None if the record does not contain the code, or it is not valid hex.
        """
        return decode_lowercase_hex(self.value.get("onchainBytecode"))

    @unlocked_cached_property
    @depends_on_compilation
    def recompiled_code(self) -> bytes | None:
        """The code that the compiler wrote, decoded.

        It has zeros in place of library addresses and immutables (variables set by the constructor). None if the code is missing or
        invalid hex.
        """
        text = self.value.get("recompiledBytecode")
        onchain = as_text(self.value.get("onchainBytecode"))
        if not isinstance(text, str) or self.onchain_code is None:
            return decode_lowercase_hex(text)
        if not text or len(text) % 2 or not onchain.startswith(text):
            return decode_lowercase_hex(text)
        # The on-chain code usually begins with the recompiled code. To save time, take a slice of its decoded
        # bytes instead of decoding again. Each byte is two hex digits, and both texts begin with `0x`.
        return self.onchain_code if len(text) == len(onchain) else self.onchain_code[: len(text) // 2 - 1]

    @unlocked_cached_property
    def transformation_values(self) -> Mapping[str, Json]:
        """The values that transformations (edits) insert: `transformationValues`."""
        return as_object(self.value.get("transformationValues"))

    @unlocked_cached_property
    def transformation_steps_or_errors(self) -> list[TransformationStep | InvalidValueError]:
        """The record's `transformations` in order, parsed.

        An invalid transformation is replaced by its error.
        """
        transformations = self.value.get("transformations")
        return (
            [parse_or_return_error(parse_transformation, step) for step in transformations]
            if isinstance(transformations, list)
            else []
        )

    @unlocked_cached_property
    def transformations(self) -> tuple[TransformationStep, ...] | None:
        """The edits that turn recompiled into on-chain code, parsed.

        None if the list is missing, or contains an invalid transformation.
        """
        steps = tuple(
            step for step in self.transformation_steps_or_errors if not isinstance(step, InvalidValueError)
        )
        is_list = isinstance(self.value.get("transformations"), list)
        return steps if is_list and len(steps) == len(self.transformation_steps_or_errors) else None

    @unlocked_cached_property
    def replayed_code(self) -> bytes | ReplayError | None:
        """The recompiled code after the record's transformations (edits).

        An error if a transformation fails, and None if the code or a transformation cannot be decoded.
        """
        if self.recompiled_code is None or self.onchain_code is None or self.transformations is None:
            return None
        max_bytes = len(self.recompiled_code) + len(self.onchain_code)
        try:
            return replay_transformations(
                self.recompiled_code, self.transformations, self.transformation_values, max_bytes=max_bytes
            )
        except ReplayError as error:
            return error

    @unlocked_cached_property
    @depends_on_compilation
    def parsed_auxdata(self) -> dict[str, Auxdata] | InvalidValueError:
        """The metadata sections in bytecode that the record lists, by number.

        The parser's error if a section of `cborAuxdata` is invalid.
        """
        return parse_or_return_error(parse_cbor_auxdata, self.value.get("cborAuxdata"))

    @unlocked_cached_property
    @depends_on_compilation
    def auxdata(self) -> Mapping[str, Auxdata]:
        """The metadata sections in bytecode that the record lists, by number.

        Empty if `cborAuxdata` is invalid.
        """
        pieces = self.parsed_auxdata
        return {} if isinstance(pieces, InvalidValueError) else pieces

    @unlocked_cached_property
    @depends_on_compilation
    def library_references(self) -> list[CodeReference] | InvalidValueError:
        """The positions of library addresses in the code (`linkReferences`).

        The parser's error if a position is invalid.
        """
        return parse_or_return_error(parse_link_references, self.value.get("linkReferences"))

    @unlocked_cached_property
    @depends_on_compilation
    def immutable_references(self) -> list[CodeReference] | InvalidValueError:
        """The positions of immutable variables in the code.

        The parser's error if a position is invalid. Vyper stores immutables after the code.
        """
        return parse_or_return_error(parse_immutable_references, self.value.get("immutableReferences"))

    @unlocked_cached_property
    @depends_on_compilation
    def auxdata_fields(self) -> dict[str, AuxdataFields]:
        """The decoded fields of each metadata section in the code, by number.

        For example, a section of Solidity has the fields `ipfs` and `solc`. Invalid sections are excluded.
        """
        return dict(self._readable_auxdata())

    def _readable_auxdata(self) -> Iterator[tuple[str, AuxdataFields]]:
        for number, piece in self.auxdata.items():
            try:
                yield number, parse_auxdata(piece.value, self.record.auxdata_style)
            except InvalidValueError:
                continue

    @unlocked_cached_property
    @depends_on_compilation
    def trailing_auxdata(self) -> Auxdata | None:
        """The compiler's metadata at the end of the contract's code, or None.

        Creation code may continue with other contracts, which the constructor creates. Their metadata is
        ignored.
        """
        if self.recompiled_code is None:
            return None
        runtime, code = self.record.runtime.recompiled_code, self.recompiled_code
        if runtime and self.name == "creation" and (place := code.find(runtime)) > 0:
            code = code[: place + len(runtime)]
        return find_trailing_auxdata(code, self.record.auxdata_style)

    @unlocked_cached_property
    @depends_on_compilation
    def trailing_auxdata_fields(self) -> AuxdataFields | None:
        """The decoded fields of the metadata at the code's end.

        For example, Solidity writes the fields `ipfs` and `solc`. None if there is no metadata, or it is invalid.
        """
        if self.trailing_auxdata is None:
            return None
        try:
            return parse_auxdata(self.trailing_auxdata.value, self.record.auxdata_style)
        except InvalidValueError:
            return None

    @unlocked_cached_property
    def recomputed_match(self) -> SideMatch | None:
        """The match between recompiled and on-chain code, computed as by Sourcify.

        None if they do not match.
        """
        libraries, immutables = self.library_references, self._immutable_positions
        if self.recompiled_code is None or not self.onchain_code or isinstance(libraries, InvalidValueError):
            return None
        if isinstance(immutables, InvalidValueError):
            return None
        is_runtime = self.name == "runtime"
        language = self.record.language
        side = RecompiledSide(
            code=self.recompiled_code,
            libraries=libraries,
            immutables=immutables if is_runtime else (),
            appended_immutables=self._appended_immutables_size if is_runtime and language == "Vyper" else 0,
            auxdata=self.auxdata,
            language=language,
            version=self.record.version,
        )
        if is_runtime:
            return match_runtime(side, self.onchain_code)
        return match_creation(side, self.onchain_code, self.record.constructor_parameter_types)

    @property
    def _immutable_positions(self) -> Sequence[CodeReference] | InvalidValueError:
        """The positions at which the code pushes an immutable's value.

        For Yul, Sourcify's records do not list them: they are found in the transformations and the sources. If the list in the
        record is invalid, this is the parser's error.
        """
        if self.record.language == "Solidity" or isinstance(self.immutable_references, InvalidValueError):
            return self.immutable_references
        if self.record.language != "Yul" or self.recompiled_code is None:
            return ()
        return list(self._yul_immutables(self.recompiled_code))

    def _yul_immutables(self, code: bytes) -> Iterator[CodeReference]:
        names = {name for text in self.record.sources.values() for name in _LOADED.findall(text)}
        for step in self.transformations or ():
            if step.reason == "immutable" and step.id in names and _is_zero_push(code, step.offset):
                yield CodeReference(str(step.id), step.offset, len(_ZERO_WORD))

    @property
    def _appended_immutables_size(self) -> int:
        record = self.record
        return appended_immutables_size(
            record.creation.recompiled_code,
            self.recompiled_code,
            language=record.language,
            version=record.version,
            auxdata=record.creation.auxdata,
        )


_LOADED = re.compile(r'\bloadimmutable\s*\(\s*"([^"]*)"\s*\)')
_PUSH32 = 0x7F
_ZERO_WORD = bytes(32)


def _is_zero_push(code: bytes, operand_offset: int) -> bool:
    return code[operand_offset - 1 : operand_offset + len(_ZERO_WORD)] == bytes([_PUSH32]) + _ZERO_WORD


class QualifiedName(NamedTuple):
    """A fully qualified name, such as `src/Token.sol:Token`, in its parts."""

    path: str
    name: str


class RecordView:
    """A contract record as checks see it, with values decoded on demand."""

    def __init__(self, record: Mapping[str, Json]) -> None:
        self.value = record
        self.compilation: Mapping[str, Json] = as_object(record.get("compilation"))
        self.language = as_text(self.compilation.get("language"))
        self.version = as_text(self.compilation.get("compilerVersion"))
        compiler = as_text(self.compilation.get("compiler"))
        self.is_known: bool = is_known_compilation(self.language, compiler)  # whether its rules are known
        self.evidence = compiler_evidence(self.language, self.version)
        self.auxdata_style: AuxdataStyle = self.evidence.auxdata if self.is_known else AuxdataStyle.NONE
        self.address = Address(as_text(record.get("address")))

    @unlocked_cached_property
    def creation(self) -> SideView:
        """The creation code, decoded: it runs once, to deploy the contract."""
        return SideView(self, "creation")

    @unlocked_cached_property
    def runtime(self) -> SideView:
        """The runtime code, decoded: it stays at the contract's address."""
        return SideView(self, "runtime")

    @unlocked_cached_property
    def sides(self) -> tuple[SideView, SideView]:
        """The creation code and the runtime code, decoded."""
        return self.creation, self.runtime

    def reusable_computed_values(self) -> tuple[Computed, Computed, Computed]:
        """Return the computed values that copies of this contract can reuse.

        Returns:
            Three dicts of values by name: those of the record, of its creation code and of its runtime code.
        """
        record, creation, runtime = (
            {name: value for name, value in vars(holder).items() if name in _OF_COMPILATION}
            for holder in (self, *self.sides)
        )
        return record, creation, runtime

    def adopt_computed_values(self, computed_values: tuple[Computed, Computed, Computed]) -> None:
        """Reuse values that were computed for a copy of this contract.

        Args:
            computed_values: the result of `reusable_computed_values` of the copy's record.
        """
        for holder, values in zip((self, *self.sides), computed_values, strict=True):
            vars(holder).update(values)

    def discard_computed_values(self) -> None:
        """Discard all computed values, to free their memory at once.

        Without this call, Python frees the values only at its next garbage collection, because the record and
        its code views refer to each other.
        """
        vars(self).clear()

    @unlocked_cached_property
    @depends_on_compilation
    def qualified_name(self) -> QualifiedName:
        """The contract's name and the path of its source.

        For example, `contracts/Token.sol` and `Token`, from the record's `fullyQualifiedName`.
        """
        path, _, name = as_text(self.compilation.get("fullyQualifiedName")).rpartition(":")
        return QualifiedName(path, name)

    @unlocked_cached_property
    @depends_on_compilation
    def sources(self) -> dict[str, str]:
        """The text of each source file of the contract, by path."""
        sources = as_object(self.value.get("sources"))
        return {path: as_text(as_object(source).get("content")) for path, source in sources.items()}

    @unlocked_cached_property
    @depends_on_compilation
    def metadata(self) -> Mapping[str, Json] | None:
        """The contract's metadata from solc, or None without metadata."""
        metadata = self.value.get("metadata")
        return metadata if isinstance(metadata, dict) else None

    @unlocked_cached_property
    @depends_on_compilation
    def compiler_output_of_contract(self) -> Mapping[str, Json] | None:
        """The compiler's output for this contract, or None if missing."""
        path, name = self.qualified_name
        contracts = as_object(as_object(self.value.get("stdJsonOutput")).get("contracts"))
        contract = as_object(contracts.get(path)).get(name)
        return contract if isinstance(contract, dict) else None

    @unlocked_cached_property
    @depends_on_compilation
    def metadata_hashes(self) -> MetadataHashes:
        """The hashes that bytecode may contain for the contract's metadata."""
        text = as_object(self.compiler_output_of_contract).get("metadata")
        return MetadataHashes(self.value.get("metadata"), text)

    @unlocked_cached_property
    @depends_on_compilation
    def has_hashed_metadata(self) -> bool:
        """Whether creation or runtime code ends with the hash of the metadata.

        Only code that the record claims to match counts.
        """
        return any(
            self.metadata_hashes.includes_digest(scheme, digest)
            for side in self.sides
            if side.claimed_level is not None and side.trailing_auxdata_fields is not None
            for scheme, digest in side.trailing_auxdata_fields.hashes.items()
        )

    @unlocked_cached_property
    @depends_on_compilation
    def vyper_program(self) -> VyperProgram:
        """The sources and settings that Vyper's integrity hash depends on."""
        overrides = as_object(self.value.get("additionalInput")).get("storage_layout_overrides")
        listed = as_object(self.compilation.get("compilerSettings")).get("search_paths")
        search_paths = [as_text(path) for path in listed] if isinstance(listed, list) else ["."]
        return VyperProgram(self.qualified_name[0], self.sources, self.version, overrides, search_paths)

    @unlocked_cached_property
    @depends_on_compilation
    def vyper_hashed_paths(self) -> frozenset[str]:
        """The paths of the sources that Vyper's integrity hash covers.

        Empty if the imports cannot be followed.
        """
        try:
            return integrity_hashed_paths(self.vyper_program)
        except InvalidValueError:
            return frozenset()

    @unlocked_cached_property
    @depends_on_compilation
    def vyper_integrity_hashes(self) -> list[str] | InvalidValueError:
        """The hashes that Vyper may write into bytecode for the contract's sources.

        An error if they cannot be computed.
        """
        try:
            return list(islice(integrity_hashes(self.vyper_program), MAX_INTEGRITY_TEXTS))
        except InvalidValueError as error:
            return error.with_traceback(None)

    @unlocked_cached_property
    @depends_on_compilation
    def constructor_parameter_types(self) -> TupleType | None:
        """The types of the constructor's arguments.

        None if the ABI is invalid.
        """
        return constructor_argument_types(self.value.get("abi"))
