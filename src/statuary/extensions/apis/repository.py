"""The files of a record in Sourcify's repository, versions 1 and 2."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statuary.base.files import LONGEST_PATH, PublishingError, require_safe_path
from statuary.base.json_values import as_object, as_text
from statuary.base.primitives import keccak256
from statuary.contracts.model.record import RecordValue
from statuary.extensions.apis import urls
from statuary.site.document import Document, encode_unchecked

LONGEST_NAME = LONGEST_PATH - len(".zst")


class RepositoryFile(NamedTuple):
    """A file about a contract, as Sourcify's repository publishes it.

    The repository is a folder tree of sources and metadata.
    """

    path: str  # the path in the contract's folder, in version 2 of the repository
    body: bytes
    other_paths: tuple[str, ...] = ()  # paths in version 1 of the repository


def belongs_in_full_match(record: RecordValue) -> bool:
    """Return whether a contract belongs in the folder `full_match`.

    Sourcify's repository has exact matches there, and all other contracts in `partial_match`.
    """
    return bool(record["match"] == "exact_match")


def make_repository_folder_path(record: RecordValue) -> str:
    """Return the folder of a contract in Sourcify's repository.

    Returns:
        The path, such as `full_match/1/0x…`: match level, chain id and address.
    """
    match = "full_match" if belongs_in_full_match(record) else "partial_match"
    return f"{match}/{record['chainId']}/{record['address']}"


def make_source_path(source_name: str) -> str:
    """Return the path of a source file below `sources/`.

    Version 1 of Sourcify's repository has this folder. As in Sourcify's server, parts `..` and line breaks
    are removed. As in Otterscan, a colon becomes `_`.

    Args:
        source_name: the name of the source in the record, such as `src/Vault.sol`.
    """
    plain = posixpath.normpath(source_name.replace("\n", ""))
    parts = [part for part in plain.replace(":", "_").split("/") if part not in ("", ".", "..")]
    return "/".join(parts)


def iter_repository_files(record: RecordValue) -> Iterator[RepositoryFile]:
    """Yield the files that Sourcify's repository has about a contract.

    The repository is a folder tree of sources and metadata. A record without metadata has no files. Version 1 of the
    repository omits a source whose path is too long or already taken, for example.
    """
    if not isinstance(record["metadata"], dict):
        return
    yield RepositoryFile("metadata.json", encode_unchecked(record["metadata"]))
    yield from _iter_source_files(record)
    yield from _iter_other_files(record)


def _iter_source_files(record: RecordValue) -> Iterator[RepositoryFile]:
    """Yield the source files of a contract.

    Each file is stored under the hash of its content; version 1 of the repository also names it by its path.
    """
    bodies = {
        name: as_text(as_object(source).get("content")).encode("utf-8", "surrogatepass")
        for name, source in record["sources"].items()
    }
    digests = {name: f"0x{keccak256(body).hex()}" for name, body in bodies.items()}
    paths = choose_source_paths(
        bodies,
        f"{urls.REPOSITORY.prefix}{make_repository_folder_path(record)}/sources",
        set(digests.values()),
    )
    names: dict[str, list[str]] = {digest: [] for digest in digests.values()}
    for name, path in paths.items():
        names[digests[name]].append(f"sources/{path}")
    by_digest = {digest: bodies[name] for name, digest in digests.items()}
    for digest, other_names in names.items():
        yield RepositoryFile(f"sources/{digest}", by_digest[digest], tuple(other_names))
    translated = {name: path for name, path in paths.items() if name != path}
    if translated:
        yield RepositoryFile("path-translation.json", encode_unchecked(translated))


def choose_source_paths(source_names: Iterable[str], folder: str, taken_paths: set[str]) -> dict[str, str]:
    """Choose a unique path for each source in a folder.

    If two paths differ only in letter case, or one is the folder of the other, only the first source gets its
    path.

    Args:
        source_names: the names of the sources.
        folder: the path of the folder on the site.
        taken_paths: the paths of other files in the folder.

    Returns:
        The paths by the names of the sources. Sources without a path are left out.
    """
    files = {name.lower() for name in taken_paths}
    folders = set[str]()
    paths = {}
    for name in source_names:
        path = make_source_path(name)
        key = path.lower()
        above = [key[:at] for at, letter in enumerate(key) if letter == "/"]
        if (
            key in files
            or key in folders
            or files.intersection(above)
            or not _is_storable_path(f"{folder}/{path}")
        ):
            continue
        files.add(key)
        folders.update(above)
        paths[name] = path
    return paths


def _is_storable_path(file_path: str) -> bool:
    try:
        return len(require_safe_path(file_path)) <= LONGEST_NAME
    except PublishingError:
        return False


def _iter_other_files(record: RecordValue) -> Iterator[RepositoryFile]:
    creation = as_object(record["creationBytecode"])
    runtime = as_object(record["runtimeBytecode"])
    values = [as_object(side.get("transformationValues")) for side in (creation, runtime)]
    texts = {
        "constructor-args.txt": as_text(values[0].get("constructorArguments")),
        "creator-tx-hash.txt": as_text(as_object(record["deployment"]).get("transactionHash")),
    }
    maps = {
        "library-map.json": as_object(values[0].get("libraries")) or as_object(values[1].get("libraries")),
        "immutable-references.json": as_object(runtime.get("immutableReferences")),
    }
    yield from (RepositoryFile(name, text.encode()) for name, text in texts.items() if text)
    yield from (RepositoryFile(name, encode_unchecked(value)) for name, value in maps.items() if value)


def iter_repository_documents(record: RecordValue, record_path: str) -> Iterator[Document]:
    """Make a contract's files in Sourcify's repository, as documents.

    Args:
        record_path: the path of the record in the content folder.
    """
    folder = make_repository_folder_path(record)
    for file in iter_repository_files(record):
        paths = [urls.REPOSITORY.path(path=f"{folder}/{path}") for path in (file.path, *file.other_paths)]
        yield Document(
            path=paths[0],
            aliases=tuple(paths[1:]),
            body=file.body,
            media_type="",
            sources=(record_path,),
            persistent=True,
        )
