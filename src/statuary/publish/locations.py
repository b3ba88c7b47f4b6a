"""Locations of sites: a folder, or what an extension reads."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

from typing_extensions import override

from statuary.base.errors import StatuaryError
from statuary.publish.folder.reader import FolderReader
from statuary.registry import load, providers


class SiteLocation(Protocol):
    """A place to read a site from, such as a bucket."""

    name: str  # the folder, file or URL that was opened

    def read(self, path: str) -> bytes | None:
        """Read a file of the site.

        Returns:
            The bytes of the file, or None if it does not exist.

        Raises:
            PublishingError: if the file cannot be read.
        """

    def close(self) -> None:
        """Release open files and connections, if there are any."""
        return


class FolderLocation(SiteLocation):
    """A folder that has a site, or will have one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._reader = FolderReader(Path(name)) if Path(name).exists() else None

    @override
    def read(self, path: str) -> bytes | None:
        return None if self._reader is None else self._reader.read(path)


FILE = "file"
"""The scheme of the name of a file, which is written without it."""


def url_scheme(location: str) -> str:
    """Return the scheme of a URL, such as `s3`.

    Returns:
        The scheme; empty for a path.
    """
    scheme, separator, _ = location.partition("://")
    return scheme if separator else ""


def open_location(name: str) -> SiteLocation:
    """Open a folder or URL to read a site from.

    Args:
        name: a path, or a URL.

    Raises:
        PublishingError: if the location cannot be opened.
        StatuaryError: if a library for the URL's scheme is not installed.
    """
    scheme = FILE if Path(name).is_file() else url_scheme(name)
    target = providers("place").get(scheme)
    if target is None:
        return FolderLocation(name)
    place: SiteLocation = load(target)(name)
    return place


class MayReplace(Protocol):
    """A function that decides whether an extension's published files may change."""

    def __call__(self, site: SiteLocation, target: SiteLocation) -> dict[str, str | None]:
        """Compare the extension's files in the site with those in the target.

        For example, a log must continue the published log.

        Returns:
            The paths that may be replaced, with the SHA-256 of the bytes in the target.

        Raises:
            StatuaryError: if they may not be replaced: the target keeps its own, and the rest is published.
        """


class SiteReplacement(NamedTuple):
    """The parts of a target that publishing may replace.

    Attributes:
        verified: the SHA-256 of each file that may be replaced, by path. None means that the target must have
            no file at the path.
    """

    verified: Mapping[str, str | None]
    folders: tuple[str, ...] = ()  # folders of the target that must not be replaced
    problems: tuple[StatuaryError, ...] = ()  # the reasons why these paths stay

    def may_replace(self, path: str) -> bool:
        """Return whether publishing may replace the file at a path.

        It may, unless the path is in a folder that stays as it is.
        """
        return not any(path == folder or path.startswith(f"{folder}/") for folder in self.folders)


def find_irreplaceable_folders(site: str, target: str) -> SiteReplacement:
    """Find the folders of a published site that a publication must not replace.

    For example, the folder of a log must not be replaced by a shorter log. The extensions decide that about their
    own folders.

    Args:
        site: the path or URL of the site to publish.
        target: the path or URL to publish to.

    Raises:
        StatuaryError: if the site or the target cannot be opened.
    """
    verified: dict[str, str | None] = {}
    folders: tuple[str, ...] = ()
    problems: tuple[StatuaryError, ...] = ()
    with closing(open_location(target)) as there:
        for marker, guard in providers("replacement").items():
            if there.read(marker) is None:
                verified[marker] = None
                continue
            may_replace: MayReplace = load(guard)
            with closing(open_location(site)) as here:
                try:
                    verified |= may_replace(here, there)
                except StatuaryError as error:
                    folders = (*folders, marker.partition("/")[0])
                    problems = (*problems, error)
    return SiteReplacement(verified, folders, problems)
