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

from statuary.base.budget import consume_steps
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
    """The kind of a file in `clear-signing/`, such as a descriptor."""

    CALLDATA = "calldata"
    MESSAGES = "eip712"
    ATTESTATION = "attestation"
    TESTS = "tests"
    SHARED = "shared"
    """Any other file; it is only read if a descriptor includes it."""


_ATTESTATION = re.compile(r"(?P<name>.+)\.(?P<signer>eip155-[0-9]{1,20}-0x[0-9a-fA-F]{40})\.json")


def signing_file_kind(path: str) -> SigningFileKind:
    """Return whether a file is a descriptor, a test, or something else.

    Example: `registry/acme/calldata-Vault.json` is a descriptor of contract calls, which tells wallets how to show them.

    Args:
        path: the path of the file in the folder of descriptors. The folder has the layout of the ERC-7730
            registry.
    """
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
    """The file in which a part of a descriptor is written, and where."""

    path: str
    pointer: Pointer


class Origins:
    """Records the file from which each part of a merged descriptor comes.

    A descriptor may include other files. Errors name the file and position where the author wrote the part.
    """

    def __init__(self, path: str) -> None:
        self._files: dict[Pointer, Origin] = {(): Origin(path, ())}

    def find_origin(self, merged_pointer: Pointer) -> Origin:
        """Find the file in which a part of a descriptor is written.

        A descriptor may include other files, so its parts come from several files.

        Args:
            merged_pointer: the keys that lead to the part in the descriptor with its included files.

        Returns:
            The path of the file, and the keys that lead to the part in it.
        """
        for length in range(len(merged_pointer), -1, -1):
            if merged_pointer[:length] in self._files:
                path, base = self._files[merged_pointer[:length]]
                return Origin(path, base + merged_pointer[length:])
        raise KeyError(merged_pointer)

    def record_origin(self, merged_pointer: Pointer, source_path: str, source_pointer: Pointer) -> None:
        """Store in which file a part of a descriptor is written.

        `find_origin` then returns this file.

        Args:
            merged_pointer: the keys that lead to the part in the descriptor with its included files.
            source_path: the file in which the part is written.
            source_pointer: the keys that lead to the part in that file.
        """
        consume_steps(len(self._files))
        for inner in [
            inner for inner in self._files if inner[: len(merged_pointer)] == merged_pointer and inner
        ]:
            del self._files[inner]
        self._files[merged_pointer] = Origin(source_path, source_pointer)


class IncludedFile(NamedTuple):
    """A file that a descriptor includes, with its SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Descriptor:
    """An ERC-7730 descriptor: a file that tells wallets how to show calls.

    `value` is merged with the files that it includes, `own_value` is not.
    """

    path: str  # path below the folder, as in the indexes
    kind: SigningFileKind
    value: JsonObject  # the merged descriptor, without `includes`
    own_value: Json  # the file's JSON before merging, which attestations sign
    files: tuple[IncludedFile, ...]  # the descriptor's file first, then its includes
    origins: Origins = field(compare=False)

    def make_finding(
        self,
        rule: str,
        message: str,
        pointer: Pointer = (),
        *,
        hint: str = "",
        severity: Severity = Severity.ERROR,
        on_key: bool = False,
    ) -> Finding:
        """Report an error, warning or note about a part of the descriptor.

        It names the file and position where the part is written.

        Args:
            rule: the id of the broken rule.
            message: the sentence that says what is wrong.
            pointer: the pointer of the part in the descriptor with its included files.
            hint: the sentence that says what to do.
            severity: whether it is an error, a warning or a note.
            on_key: whether the finding is about the part's key instead of its value.
        """
        path, source_pointer = self.origins.find_origin(pointer)
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
        """The formats in the descriptor: how to show each function or message.

        The keys are function signatures, such as `transfer(address to,uint256 amount)`, or EIP-712 types. Formats that are not
        JSON objects are omitted.
        """
        formats = as_object(as_object(self.value.get("display")).get("formats"))
        return {key: value for key, value in formats.items() if isinstance(value, dict)}

    @property
    def context(self) -> JsonObject:
        """The part of the descriptor that names its contracts or message type."""
        name = "contract" if self.kind is SigningFileKind.CALLDATA else "eip712"
        return as_object(as_object(self.value.get("context")).get(name))


class DescriptorError(Exception):
    """Raised if a descriptor cannot be read, or merged with included files."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class _MergedFile(NamedTuple):
    value: Json
    files: tuple[IncludedFile, ...]
    origins: Origins


class DescriptorFiles(NamedTuple):
    """The JSON files in a folder, and errors found while listing them."""

    paths: tuple[str, ...]  # the sorted paths of at most `MAX_FILES` JSON files in the folder
    findings: tuple[Finding, ...]  # about files that cannot be listed, or about too many files


class DescriptorFolder:
    """A folder of ERC-7730 descriptors, from the content or a registry checkout.

    Descriptors tell wallets how to show contract calls. Each file is read at most once.
    """

    def __init__(self, root: Path, name: str = FOLDER) -> None:
        """Open a folder of descriptors, whose files are read later.

        Args:
            root: the content folder, or a checkout of the registry.
            name: the name of the folder in `root`; empty for `root` itself.
        """
        self.root, self._below = root, f"{name}/" if name else ""
        self._values: dict[str, Json] = {}
        self._digests: dict[str, str] = {}

    @cached_property
    def listing(self) -> DescriptorFiles:
        """The JSON files in the folder, and errors found while listing them."""
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
        """Whether the folder has no JSON files, and no errors."""
        return self.listing == ((), ())

    @cached_property
    def _file_names(self) -> frozenset[str]:
        return frozenset(self.listing.paths)

    def paths_of_kinds(self, *kinds: SigningFileKind) -> Iterator[str]:
        """Yield the sorted paths of all files of these kinds."""
        return (path for path in self.listing.paths if signing_file_kind(path) in kinds)

    def read_file_bytes(self, path: str) -> bytes:
        """Return the bytes of a file in the folder.

        Raises:
            DescriptorError: if the file cannot be read.
        """
        try:
            return SourceFile(self.root, f"{self._below}{path}").load_bytes(LARGEST_DESCRIPTOR)
        except UnreadableError as error:
            raise DescriptorError(error.to_finding(f"{FOLDER}/{path}")) from None

    def read_json(self, path: str) -> Json:
        """Return the parsed JSON of a file in the folder.

        Raises:
            DescriptorError: if the file cannot be read, or is not JSON.
        """
        if path not in self._values:
            try:
                self._values[path] = parse_json(decode_utf8(self.read_file_bytes(path)))
            except UnreadableError as error:
                raise DescriptorError(error.to_finding(f"{FOLDER}/{path}")) from None
        return self._values[path]

    def read_descriptor(self, path: str) -> Descriptor:
        """Read a descriptor, and merge the files that it includes.

        Args:
            path: the path of the descriptor in the folder.

        Raises:
            DescriptorError: if the descriptor or an included file cannot be read or merged.
        """
        merged_file = self._merge_file(path, ())
        value = {key: item for key, item in as_object(merged_file.value).items() if key != "includes"}
        return Descriptor(
            path, signing_file_kind(path), value, self.read_json(path), merged_file.files, merged_file.origins
        )

    def included_files(self, path: str) -> tuple[IncludedFile, ...]:
        """List a descriptor's file and all files that it includes.

        Args:
            path: the path of the descriptor in the folder.

        Returns:
            The path and SHA-256 of each file. If a file does not exist, its SHA-256 is an empty string.
        """
        inputs: dict[str, IncludedFile] = {}
        while path not in inputs and len(inputs) <= MAX_INCLUDES + 1:
            inputs[path] = IncludedFile(path, self.file_digest(path))
            try:
                include = as_object(self.read_json(path)).get("includes") if inputs[path].sha256 else None
            except DescriptorError:
                break
            if not isinstance(include, str) or not include or not is_utf8(include):
                break
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), include))
        return tuple(inputs.values())

    def file_digest(self, path: str) -> str:
        """Return the SHA-256 of a file in the folder, as hex.

        Returns:
            The digest; empty if the file does not exist. If the file cannot be read, the error message is
            hashed instead of the content.
        """
        if path not in self._digests:
            try:
                body = self.read_file_bytes(path) if path in self._file_names else None
            except DescriptorError as error:
                body = error.finding.message.encode()
            self._digests[path] = "" if body is None else sha256(body).hexdigest()
        return self._digests[path]

    def _merge_file(self, path: str, including_paths: tuple[str, ...]) -> _MergedFile:
        own_value = self.read_json(path)
        files = (IncludedFile(path, sha256(self.read_file_bytes(path)).hexdigest()),)
        origins = Origins(path)
        if not isinstance(own_value, dict):
            raise _descriptor_error(READABLE, "the descriptor is not a JSON object", path)
        include = own_value.get("includes")
        if include in (None, ""):
            return _MergedFile(own_value, files, origins)
        target = self._resolve_include(path, include, (*including_paths, path))
        included = self._merge_file(target, (*including_paths, path))
        merger = _DescriptorMerger(path, included.origins)
        without = {key: value for key, value in own_value.items() if key != "includes"}
        value = merger.merge(as_object(included.value), without, (), ())
        return _MergedFile(value, files + included.files, included.origins)

    def _resolve_include(self, path: str, include: Json, including_paths: tuple[str, ...]) -> str:
        """Resolve an include to a file of the folder.

        Raises:
            DescriptorError: if it is invalid, missing, outside of the folder, nested too deeply, or a cycle.
        """
        pointer: Pointer = ("includes",)
        if not isinstance(include, str) or not is_utf8(include):
            raise _descriptor_error(
                INCLUDES, "`includes` should be a string with the path of a file", path, pointer
            )
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), include))
        if ":" in include or "\\" in include or target.partition("/")[0] not in FOLDERS:
            allowed = " and ".join(f"{FOLDER}/{folder}/" for folder in FOLDERS)
            hint = "copy the file there and write its relative path"
            raise _descriptor_error(
                INCLUDES, f"`includes` leads out of {allowed}: {include!r}", path, pointer, hint
            )
        if target in including_paths:
            ring = " -> ".join((*including_paths[including_paths.index(target) :], target))
            raise _descriptor_error(
                INCLUDES,
                f"these files include each other in a circle: {ring}",
                path,
                pointer,
                "remove `includes` from one of them",
            )
        if len(including_paths) > MAX_INCLUDES:
            message = (
                f"files include each other {len(including_paths)} levels deep; the limit is {MAX_INCLUDES}"
            )
            raise _descriptor_error(INCLUDES, message, path, pointer)
        if target not in self._file_names:
            raise _descriptor_error(
                INCLUDES,
                f"there is no file {FOLDER}/{target}",
                path,
                pointer,
                "copy the file from the registry",
            )
        return target


def _descriptor_error(
    rule: str, message: str, path: str, pointer: Pointer = (), hint: str = ""
) -> DescriptorError:
    return DescriptorError(
        Finding(rule=rule, message=message, hint=hint, path=f"{FOLDER}/{path}", pointer=pointer)
    )


class _DescriptorMerger:
    """Merges a descriptor with the file that it includes.

    Values of the including file take precedence. Fields with the same path are merged.
    """

    def __init__(self, path: str, origins: Origins) -> None:
        self._path, self._origins = path, origins

    def merge(
        self,
        included_object: JsonObject,
        own_object: JsonObject,
        merged_pointer: Pointer,
        source_pointer: Pointer,
    ) -> JsonObject:
        """Merge a JSON object with the object that it includes.

        Values of the including object take precedence.

        Args:
            included_object: the object in the included file.
            own_object: the object in the including file.
            merged_pointer: the pointer of the objects in the merged descriptor.
            source_pointer: the pointer of `own_object` in its file.
        """
        result: dict[str, Json] = dict(included_object)
        for key, value in own_object.items():
            consume_steps(1)
            included_value = result.get(key)
            inner = (*merged_pointer, key)
            source = (*source_pointer, key)
            if isinstance(value, dict) and isinstance(included_value, dict):
                result[key] = self.merge(included_value, value, inner, source)
            elif key == "fields" and isinstance(value, list) and isinstance(included_value, list):
                result[key] = self._merge_fields(included_value, value, inner, source)
            else:
                result[key] = value
                self._origins.record_origin(inner, self._path, source)
        return result

    def _merge_fields(
        self,
        included_fields: list[Json],
        own_fields: list[Json],
        merged_pointer: Pointer,
        source_pointer: Pointer,
    ) -> list[Json]:
        result = list(included_fields)
        places: dict[str, int] = {}
        for number, item in enumerate(included_fields):
            path = as_object(item).get("path")
            if isinstance(path, str):
                places.setdefault(path, number)
        for number, item in enumerate(own_fields):
            path = as_object(item).get("path")
            place = places.get(path) if isinstance(path, str) else None
            if place is not None:
                inner, source = (*merged_pointer, place), (*source_pointer, number)
                result[place] = self.merge(as_object(result[place]), as_object(item), inner, source)
            else:
                self._origins.record_origin(
                    (*merged_pointer, len(result)), self._path, (*source_pointer, number)
                )
                result.append(item)
        return result


class DescribedContract(NamedTuple):
    """A contract whose calls a descriptor describes (one of its `deployments`)."""

    chain_id: str
    address: str  # in lower case
    address_text: str  # the address as it is spelled in the file
    pointer: Pointer

    @property
    def caip10_id(self) -> str:
        """The contract's id in the format CAIP-10, such as `eip155:1:0x…`."""
        return f"eip155:{self.chain_id}:{self.address}"


_ADDRESS = re.compile("0x[0-9a-f]{40}")


def described_contracts(descriptor: Descriptor) -> Iterator[DescribedContract]:
    """Yield each contract that a descriptor names under `deployments`.

    A contract that is named twice is yielded once. Entries with a malformed chain id or address are skipped.
    """
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
        deployment = DescribedContract(
            str(chain_id), address.strip().lower(), address.strip(), (*base, number)
        )
        if (
            _ADDRESS.fullmatch(deployment.address)
            and chain_id > 0
            and deployment.caip10_id not in seen_contracts
        ):
            seen_contracts.add(deployment.caip10_id)
            yield deployment


def parse_attestation_path(path: str) -> tuple[str, str] | None:
    """Parse the path of an attestation: for which descriptor, and by whom.

    Returns:
        The path of the descriptor, and the signer as `eip155-<chainId>-0x…`. None if the path is not the path
        of an attestation.
    """
    folder, _, name = path.rpartition("/")
    match = _ATTESTATION.fullmatch(name)
    if match is None or not folder.endswith("/sigs"):
        return None
    return f"{folder.removesuffix('/sigs')}/{match['name']}.json", match["signer"]
