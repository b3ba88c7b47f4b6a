"""One record as the checks look at it: every text decoded once, every hash computed once.

A record is a plain dict whose shape has been validated; nothing more is taken for granted. What cannot be
decoded is None here, and the check whose rule it breaches says so.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

import orjson

from statuary.domain.contracts.abi.abi_types import TupleType
from statuary.domain.contracts.bytecode.auxdata import (
    Auxdata,
    AuxdataFields,
    auxdata_style,
    metadata_texts,
    parse_auxdata,
)
from statuary.domain.contracts.bytecode.code_references import (
    CodeReference,
    parse_cbor_auxdata,
    parse_immutable_references,
    parse_link_references,
)
from statuary.domain.contracts.bytecode.matching import (
    RecompiledSide,
    SideMatch,
    constructor_inputs,
    match_creation,
    match_runtime,
)
from statuary.domain.contracts.bytecode.transformation_replay import ReplayError, replay
from statuary.domain.contracts.bytecode.transformations import TransformationStep, parse_transformation
from statuary.domain.contracts.derivation import appended_immutables_size
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError


class SideView:
    """One side of a record: `creationBytecode` with `creationMatch`, or `runtimeBytecode` with `runtimeMatch`.

    Attributes:
        record: the record that it belongs to, as JSON.
        name: `creation` or `runtime`.
        language: the record's `compilation.language`.
        version: the record's `compilation.compilerVersion`.
        creation: the creation side, if this is the runtime side.
        member: the record's member.
        value: that member's value; empty if the record has none.
    """

    def __init__(
        self,
        record: Mapping[str, Json],
        name: str,
        language: str,
        version: str,
        creation: "SideView | None" = None,
    ) -> None:
        self.record = record
        self.name = name
        self.language = language
        self.version = version
        self.creation = creation
        self.member = f"{name}Bytecode"
        self.value: Mapping[str, Json] = as_object(record.get(self.member))

    @property
    def claimed(self) -> Json:
        """The level that the record claims for this side."""
        return self.record.get(f"{self.name}Match")

    @cached_property
    def onchain(self) -> bytes | None:
        """The code on the chain."""
        return hex_bytes(self.value.get("onchainBytecode"))

    @cached_property
    def recompiled(self) -> bytes | None:
        """The code that the compiler gave, with zeros in open places."""
        return hex_bytes(self.value.get("recompiledBytecode"))

    @cached_property
    def values(self) -> Mapping[str, Json]:
        """The values of the transformations."""
        return as_object(self.value.get("transformationValues"))

    @cached_property
    def steps(self) -> list[TransformationStep | InvalidValueError]:
        """Each element of the list of transformations as a step of the replay, or why it is none."""
        listed = self.value.get("transformations")
        return [read(parse_transformation, step) for step in listed] if isinstance(listed, list) else []

    @cached_property
    def transformations(self) -> tuple[TransformationStep, ...] | None:
        """The steps of the replay; None if there is no list, or an element of it is no step."""
        steps = tuple(step for step in self.steps if not isinstance(step, InvalidValueError))
        is_list = isinstance(self.value.get("transformations"), list)
        return steps if is_list and len(steps) == len(self.steps) else None

    @cached_property
    def replayed(self) -> bytes | ReplayError | None:
        """What the replay gives, or the step that cannot be taken; None if a part of it cannot be decoded."""
        if self.recompiled is None or self.onchain is None or self.transformations is None:
            return None
        max_bytes = len(self.recompiled) + len(self.onchain)
        try:
            return replay(self.recompiled, self.transformations, self.values, max_bytes=max_bytes)
        except ReplayError as error:
            return error

    @cached_property
    def parsed_auxdata(self) -> dict[str, Auxdata] | InvalidValueError:
        """The pieces of auxdata that the record lists, by number, or what is wrong with the list."""
        return read(parse_cbor_auxdata, self.value.get("cborAuxdata"))

    @property
    def auxdata(self) -> Mapping[str, Auxdata]:
        """The pieces of auxdata that the record lists, by number; none if the list cannot be read."""
        found = self.parsed_auxdata
        return {} if isinstance(found, InvalidValueError) else found

    @cached_property
    def parsed_libraries(self) -> list[CodeReference] | InvalidValueError:
        """The places of libraries, or what is wrong with the map of them."""
        return read(parse_link_references, self.value.get("linkReferences"))

    @property
    def libraries(self) -> list[CodeReference]:
        """The places of libraries; none if the map cannot be read."""
        found = self.parsed_libraries
        return [] if isinstance(found, InvalidValueError) else found

    @cached_property
    def parsed_immutables(self) -> list[CodeReference] | InvalidValueError:
        """The places of immutables (for Vyper the one behind the code), or what is wrong with the map of them."""
        return read(parse_immutable_references, self.value.get("immutableReferences"))

    @property
    def immutables(self) -> list[CodeReference]:
        """The places of immutables; none if the map cannot be read."""
        found = self.parsed_immutables
        return [] if isinstance(found, InvalidValueError) else found

    @cached_property
    def fields(self) -> dict[str, AuxdataFields]:
        """What each piece of auxdata says; pieces that cannot be read are left out."""
        return dict(self._readable_auxdata())

    def _readable_auxdata(self) -> Iterator[tuple[str, AuxdataFields]]:
        style = auxdata_style(self.language, self.version)
        for number, piece in self.auxdata.items():
            try:
                yield number, parse_auxdata(piece.value, style)
            except InvalidValueError:
                continue

    @cached_property
    def constructor(self) -> TupleType | None:
        """The constructor's inputs; None if they are of types that cannot be read."""
        return constructor_inputs(self.record.get("abi"))

    @cached_property
    def appended_immutables_size(self) -> int:
        """Bytes of immutables that Vyper's creation code appends to the runtime code, which this is."""
        if self.creation is None:
            return 0
        return appended_immutables_size(dict(self.creation.auxdata), self.language, self.version)

    @cached_property
    def found(self) -> SideMatch | None:
        """The match as Sourcify's own procedure finds it from the two codes; None if it finds none."""
        if self.recompiled is None or not self.onchain:
            return None
        is_runtime = self.creation is not None
        side = RecompiledSide(
            code=self.recompiled,
            libraries=self.libraries,
            immutables=self.immutables if is_runtime and self.language == "Solidity" else (),
            appended_immutables=self.appended_immutables_size,
            auxdata=self.auxdata,
            language=self.language,
            version=self.version,
        )
        if is_runtime:
            return match_runtime(side, self.onchain)
        return match_creation(side, self.onchain, self.constructor)


class RecordView:
    """A record, with what the checks need of it.

    Attributes:
        value: the record as JSON.
        creation: its creation side.
        runtime: its runtime side.
    """

    def __init__(self, value: Mapping[str, Json]) -> None:
        self.value = value
        self.compilation: Mapping[str, Json] = as_object(value.get("compilation"))
        self.language = as_text(self.compilation.get("language"))
        self.version = as_text(self.compilation.get("compilerVersion"))
        self.creation = SideView(value, "creation", self.language, self.version)
        self.runtime = SideView(value, "runtime", self.language, self.version, self.creation)

    @property
    def sides(self) -> tuple[SideView, SideView]:
        """Both sides."""
        return self.creation, self.runtime

    @cached_property
    def path_and_name(self) -> tuple[str, str]:
        """The fully qualified name, split at its last colon."""
        path, _, name = as_text(self.compilation.get("fullyQualifiedName")).rpartition(":")
        return path, name

    @cached_property
    def sources(self) -> Mapping[str, Json]:
        """The sources, by path."""
        return as_object(self.value.get("sources"))

    @cached_property
    def metadata(self) -> Mapping[str, Json] | None:
        """The metadata; None if the record has none."""
        metadata = self.value.get("metadata")
        return metadata if isinstance(metadata, Mapping) else None

    @cached_property
    def metadata_texts(self) -> tuple[bytes, ...]:
        """The texts that the compiler may have written for the metadata; none if there is no metadata."""
        try:
            return metadata_texts(self.metadata) if self.metadata is not None else ()
        except InvalidValueError:
            return ()

    @cached_property
    def output_contract(self) -> Mapping[str, Json] | None:
        """The record's contract in `stdJsonOutput`; None if it is not there."""
        path, name = self.path_and_name
        contracts = as_object(as_object(self.value.get("stdJsonOutput")).get("contracts"))
        contract = as_object(contracts.get(path)).get(name)
        return contract if isinstance(contract, dict) else None

    @property
    def constructor(self) -> TupleType | None:
        """The constructor's inputs; None if they are of types that cannot be read."""
        return self.creation.constructor


Part = TypeVar("Part")

EMPTY_OBJECT: Mapping[str, Json] = MappingProxyType({})
"""An object without members."""


def read(reader: Callable[[Json], Part], value: Json) -> Part | InvalidValueError:
    """Return a part of a record as it reads, or what is wrong with it."""
    try:
        return reader(value)
    except InvalidValueError as malformed:
        return malformed.with_traceback(None)


def as_object(value: Json) -> Mapping[str, Json]:
    """Return a JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else EMPTY_OBJECT


def as_text(value: Json) -> str:
    """Return a text, or an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def hex_bytes(text: Json) -> bytes | None:
    """Return the bytes of `0x` and lower-case hex digits; None for anything else."""
    if not isinstance(text, str) or not text.startswith("0x"):
        return None
    digits = text[2:]
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return None
    return data if data.hex() == digits else None  # fromhex also takes capitals and white space


def json_bytes(value: Json, *, sort_keys: bool = False) -> bytes | None:
    """Return a JSON value as compact text; None if it is nested deeper than any compiler's output."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if sort_keys else 0)
    except (TypeError, ValueError):  # orjson's own error is a TypeError
        return None


def as_json_text(value: Json) -> str:
    """Return a JSON value as a message shows it: texts in quotes, all else as JSON writes it."""
    if isinstance(value, str):
        return repr(str(value))
    text = json_bytes(value)
    return repr(value) if text is None else text.decode()


def same_json(one: Json, other: Json) -> bool:
    """Say whether two JSON values are the same, whatever the order of their keys (`1`, `1.0` and `true` differ)."""
    if one is None or other is None or isinstance(one, str) or isinstance(other, str):
        return bool(type(one) is type(other) and one == other)
    text = json_bytes(one)
    if text is not None and text == json_bytes(other):
        return True  # nearly always in the same order too, which is seen sooner
    return text is not None and same_members(one, other)


def same_members(one: Json, other: Json) -> bool:
    """Say the same as `same_json`, of two values that are unlikely to be in the same order."""
    text = json_bytes(one, sort_keys=True)
    return text is not None and text == json_bytes(other, sort_keys=True)
