"""Read descriptors, and merge them with the files that they include.

Each merged value has its origin.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from statuary.base.budget import consume
from statuary.base.findings import Finding, Pointer, Severity
from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.extensions.clear_signing.limits import LARGEST_DESCRIPTOR, MAX_FILES, MAX_INCLUDES
from statuary.source.parse_json import parse_json
from statuary.source.source_files import SourceFile, decode_utf8, is_utf8, walk_path
from statuary.source.unreadable import UnreadableError

FOLDER: Final = "clear-signing"
"""The folder of descriptors, in the content and in the site."""

REGISTRY: Final = "registry"
"""The folder in it whose descriptors are indexed."""

FOLDERS: Final = (REGISTRY, "ercs")
"""The folders in it whose files a descriptor may include."""

INCLUDES: Final = "invalid-include"
READABLE: Final = "unreadable-descriptor"


class SigningFileKind(Enum):
    """The kind of a file in the folder `clear-signing`."""

    CALLDATA = "calldata"
    MESSAGES = "eip712"
    ATTESTATION = "attestation"
    TESTS = "tests"
    SHARED = "shared"
    """Any other file; it is only read if a descriptor includes it."""


_ATTESTATION = re.compile(r"(?P<name>.+)\.(?P<signer>eip155-[0-9]{1,20}-0x[0-9a-fA-F]{40})\.json")


def file_kind(path: str) -> SigningFileKind:
    """Return a file's kind by its path, as in the registry."""
    *folders, name = path.split("/")
    if "sigs" in folders:
        return SigningFileKind.ATTESTATION
    if "tests" in folders or "testsv2" in folders or name.endswith(".tests.json"):
        return SigningFileKind.TESTS
    if folders[:1] == [REGISTRY] and name.endswith(".json"):
        for kind in (SigningFileKind.CALLDATA, SigningFileKind.MESSAGES):
            if name.startswith(f"{kind.value}-"):
                return kind
    return SigningFileKind.SHARED


class Origin(NamedTuple):
    """The file and place where a part of a descriptor is written."""

    path: str
    pointer: Pointer


class Origins:
    """The place of each part of a descriptor that includes other files."""

    def __init__(self, path: str) -> None:
        self._files: dict[Pointer, Origin] = {(): Origin(path, ())}

    def of(self, pointer: Pointer) -> Origin:
        """Return the file and place of a part of the descriptor."""
        for length in range(len(pointer), -1, -1):
            if pointer[:length] in self._files:
                path, base = self._files[pointer[:length]]
                return Origin(path, base + pointer[length:])
        raise KeyError(pointer)

    def put(self, pointer: Pointer, path: str, source_pointer: Pointer) -> None:
        """Record that a part is written in another file."""
        consume(len(self._files))
        for inner in [inner for inner in self._files if inner[: len(pointer)] == pointer and inner]:
            del self._files[inner]
        self._files[pointer] = Origin(path, source_pointer)


class IncludedFile(NamedTuple):
    """A file that a descriptor includes, with its SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Descriptor:
    """An ERC-7730 descriptor, merged with the files that it includes.

    A descriptor tells wallets how to show a contract's calls.
    """

    path: str  # path below the folder, as in the indexes
    kind: SigningFileKind
    value: JsonObject  # the merged descriptor, without `includes`
    own_value: Json  # the file's JSON before merging, which attestations sign
    files: tuple[IncludedFile, ...]  # the descriptor's file first, then its includes
    origins: Origins = field(compare=False)

    def finding(
        self,
        rule: str,
        message: str,
        pointer: Pointer = (),
        *,
        hint: str = "",
        severity: Severity = Severity.ERROR,
        on_key: bool = False,
    ) -> Finding:
        """Return a finding about a part of the descriptor, with its place."""
        path, source_pointer = self.origins.of(pointer)
        return Finding(
            rule=rule,
            message=message,
            hint=hint,
            path=f"{FOLDER}/{path}",
            pointer=source_pointer,
            severity=severity,
            on_key=on_key,
        )

    @cached_property
    def formats(self) -> Mapping[str, JsonObject]:
        """The formats of calls or messages, by key.

        Values of other types are skipped; the schema reports them.
        """
        formats = as_object(as_object(self.value.get("display")).get("formats"))
        return {key: value for key, value in formats.items() if isinstance(value, dict)}

    @property
    def context(self) -> JsonObject:
        """The contract or message type that the descriptor is for."""
        name = "contract" if self.kind is SigningFileKind.CALLDATA else "eip712"
        return as_object(as_object(self.value.get("context")).get(name))


class DescriptorError(Exception):
    """A descriptor's file cannot be read or merged."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class _Merged(NamedTuple):
    value: Json
    files: tuple[IncludedFile, ...]
    origins: Origins


class DescriptorFiles(NamedTuple):
    """The files of a folder of descriptors."""

    paths: tuple[str, ...]  # paths of JSON files below the folder, sorted; at most `MAX_FILES`
    findings: tuple[Finding, ...]  # about files that cannot be listed, and too many files


class DescriptorFolder:
    """A folder of descriptors: the content's, or a checkout of the registry.

    Each file is read once.
    """

    def __init__(self, root: Path, name: str = FOLDER) -> None:
        """Open the content folder, or a registry's checkout with an empty `name`."""
        self.root, self._below = root, f"{name}/" if name else ""
        self._values: dict[str, Json] = {}
        self._digests: dict[str, str] = {}

    @cached_property
    def listing(self) -> DescriptorFiles:
        """The JSON files of the folder, and findings about others."""
        folders = [self._below.rstrip("/")] if self._below else FOLDERS
        walked = (walk_path(self.root, name) for name in folders if (self.root / name).is_dir())
        paths, findings = [], []
        for file in chain.from_iterable(walked):
            if isinstance(file, Finding):
                findings.append(file)
            elif file.path.endswith(".json"):
                paths.append(file.path.removeprefix(self._below))
        if len(paths) > MAX_FILES:
            message = f"the folder has {len(paths):,} files; the limit is {MAX_FILES:,}"
            findings.append(Finding(rule=READABLE, message=message, hint="remove some", path=FOLDER))
        return DescriptorFiles(tuple(sorted(paths[:MAX_FILES])), tuple(findings))

    @property
    def is_empty(self) -> bool:
        """Whether the folder has no JSON files and no faults."""
        return self.listing == ((), ())

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.listing.paths)

    def paths(self, *kinds: SigningFileKind) -> Iterator[str]:
        """Yield the paths of files of these kinds, sorted."""
        return (path for path in self.listing.paths if file_kind(path) in kinds)

    def raw(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            DescriptorError: if it cannot be read.
        """
        try:
            return SourceFile(self.root, f"{self._below}{path}").load_bytes(LARGEST_DESCRIPTOR)
        except UnreadableError as error:
            raise DescriptorError(error.to_finding(f"{FOLDER}/{path}")) from None

    def value(self, path: str) -> Json:
        """Return the JSON value of a file.

        Raises:
            DescriptorError: if it cannot be read, or is not JSON.
        """
        if path not in self._values:
            try:
                self._values[path] = parse_json(decode_utf8(self.raw(path)))
            except UnreadableError as error:
                raise DescriptorError(error.to_finding(f"{FOLDER}/{path}")) from None
        return self._values[path]

    def descriptor(self, path: str) -> Descriptor:
        """Return a descriptor, merged with the files that it includes.

        Raises:
            DescriptorError: if a file cannot be read or included.
        """
        merged_file = self._merged(path, ())
        value = {key: item for key, item in as_object(merged_file.value).items() if key != "includes"}
        return Descriptor(
            path, file_kind(path), value, self.value(path), merged_file.files, merged_file.origins
        )

    def inputs(self, path: str) -> tuple[IncludedFile, ...]:
        """Return the files that make up a descriptor, each once.

        A missing file has an empty digest.
        """
        inputs: dict[str, IncludedFile] = {}
        while path not in inputs and len(inputs) <= MAX_INCLUDES + 1:
            inputs[path] = IncludedFile(path, self.digest(path))
            try:
                include = as_object(self.value(path)).get("includes") if inputs[path].sha256 else None
            except DescriptorError:
                break
            if not isinstance(include, str) or not include or not is_utf8(include):
                break
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), include))
        return tuple(inputs.values())

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file in hex.

        Returns:
            The digest; that of the error if the file cannot be read, and empty if it is missing.
        """
        if path not in self._digests:
            try:
                body = self.raw(path) if path in self._names else None
            except DescriptorError as error:
                body = error.finding.message.encode()
            self._digests[path] = "" if body is None else sha256(body).hexdigest()
        return self._digests[path]

    def _merged(self, path: str, above: tuple[str, ...]) -> _Merged:
        own_value = self.value(path)
        files = (IncludedFile(path, sha256(self.raw(path)).hexdigest()),)
        origins = Origins(path)
        if not isinstance(own_value, dict):
            raise _error(READABLE, "this is not a JSON object", path)
        include = own_value.get("includes")
        if include in (None, ""):
            return _Merged(own_value, files, origins)
        target = self._target(path, include, (*above, path))
        included = self._merged(target, (*above, path))
        merger = _Merger(path, included.origins)
        without = {key: value for key, value in own_value.items() if key != "includes"}
        value = merger.merge(as_object(included.value), without, (), ())
        return _Merged(value, files + included.files, included.origins)

    def _target(self, path: str, include: Json, above: tuple[str, ...]) -> str:
        """Resolve an include to a file of the folder.

        Raises:
            DescriptorError: if it is invalid, missing, outside of the folder, nested too deeply, or a cycle.
        """
        pointer: Pointer = ("includes",)
        if not isinstance(include, str) or not is_utf8(include):
            raise _error(INCLUDES, "`includes` is not a text", path, pointer)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), include))
        if ":" in include or "\\" in include or target.partition("/")[0] not in FOLDERS:
            allowed = " and ".join(f"{FOLDER}/{folder}/" for folder in FOLDERS)
            hint = "copy the file there and write its relative path"
            raise _error(INCLUDES, f"`includes` leads out of {allowed}: {include!r}", path, pointer, hint)
        if target in above:
            ring = " -> ".join((*above[above.index(target) :], target))
            raise _error(
                INCLUDES, f"files include each other in a ring: {ring}", path, pointer, "break the ring"
            )
        if len(above) > MAX_INCLUDES:
            message = f"files include each other {len(above)} levels deep; the limit is {MAX_INCLUDES}"
            raise _error(INCLUDES, message, path, pointer)
        if target not in self._names:
            raise _error(
                INCLUDES, f"there is no file {FOLDER}/{target}", path, pointer, "copy it from the registry"
            )
        return target


def _error(rule: str, message: str, path: str, pointer: Pointer = (), hint: str = "") -> DescriptorError:
    return DescriptorError(
        Finding(rule=rule, message=message, hint=hint, path=f"{FOLDER}/{path}", pointer=pointer)
    )


class _Merger:
    """A merger of a file with the one that it includes.

    The values of the including file win. Fields with the same path are merged.
    """

    def __init__(self, path: str, origins: Origins) -> None:
        self._path, self._origins = path, origins

    def merge(
        self, included: JsonObject, own_value: JsonObject, at: Pointer, source_pointer: Pointer
    ) -> JsonObject:
        """Merge an object with the one that it includes.

        The including file takes precedence.

        Args:
            included: the object of the included file.
            own_value: the object of the including file.
            at: the pointer of the objects in the merged descriptor.
            source_pointer: the pointer of `own_value` in its file.
        """
        result: dict[str, Json] = dict(included)
        for key, value in own_value.items():
            consume(1)
            included_value = result.get(key)
            inner = (*at, key)
            source = (*source_pointer, key)
            if isinstance(value, dict) and isinstance(included_value, dict):
                result[key] = self.merge(included_value, value, inner, source)
            elif key == "fields" and isinstance(value, list) and isinstance(included_value, list):
                result[key] = self._fields(included_value, value, inner, source)
            else:
                result[key] = value
                self._origins.put(inner, self._path, source)
        return result

    def _fields(
        self, included: list[Json], own_fields: list[Json], at: Pointer, source_pointer: Pointer
    ) -> list[Json]:
        result = list(included)
        places: dict[str, int] = {}
        for number, item in enumerate(included):
            path = as_object(item).get("path")
            if isinstance(path, str):
                places.setdefault(path, number)
        for number, item in enumerate(own_fields):
            path = as_object(item).get("path")
            place = places.get(path) if isinstance(path, str) else None
            if place is not None:
                inner, source = (*at, place), (*source_pointer, number)
                result[place] = self.merge(as_object(result[place]), as_object(item), inner, source)
            else:
                self._origins.put((*at, len(result)), self._path, (*source_pointer, number))
                result.append(item)
        return result


class BoundContract(NamedTuple):
    """A contract that a descriptor is for."""

    chain_id: str
    address: str  # in lower case
    address_text: str  # the address as the file has it
    pointer: Pointer

    @property
    def caip(self) -> str:
        """The contract as a CAIP-10 id, such as `eip155:1:0x…`."""
        return f"eip155:{self.chain_id}:{self.address}"


_ADDRESS = re.compile("0x[0-9a-f]{40}")


def bound_contracts(descriptor: Descriptor) -> Iterator[BoundContract]:
    """Yield the contracts that a descriptor is for, each once."""
    base: Pointer = (
        "context",
        "contract" if descriptor.kind is SigningFileKind.CALLDATA else "eip712",
        "deployments",
    )
    seen_contracts = set()
    for number, item in enumerate(as_list(descriptor.context.get("deployments"))):
        entry = as_object(item)
        chain_id = entry.get("chainId")
        address = entry.get("address")
        if isinstance(chain_id, bool) or not isinstance(chain_id, int) or not isinstance(address, str):
            continue
        deployment = BoundContract(str(chain_id), address.strip().lower(), address.strip(), (*base, number))
        if _ADDRESS.fullmatch(deployment.address) and chain_id > 0 and deployment.caip not in seen_contracts:
            seen_contracts.add(deployment.caip)
            yield deployment


def attested_descriptor(path: str) -> tuple[str, str] | None:
    """Return the descriptor and the signer in an attestation's path.

    Returns:
        The path of the descriptor, and the signer as `eip155-<chainId>-0x…`; None if it is not such a path.
    """
    folder, _, name = path.rpartition("/")
    match = _ATTESTATION.fullmatch(name)
    if match is None or not folder.endswith("/sigs"):
        return None
    return f"{folder.removesuffix('/sigs')}/{match['name']}.json", match["signer"]
