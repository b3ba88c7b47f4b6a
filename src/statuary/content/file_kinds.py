"""The folder convention: which file is what, in one table."""

from enum import Enum
from pathlib import PurePosixPath
from typing import NamedTuple

from statuary.domain.findings import Finding, Severity
from statuary.domain.suggestions import did_you_mean


class FileKind(Enum):
    """What a file in the content folder is."""

    SITE = "site"
    COMPONENTS = "components"
    INCIDENT = "incident"
    MAINTENANCE = "maintenance"
    RECORD = "contract record"
    WORKSPACE = "contract workspace"
    LINES = "contract records, one a line"
    TABLE = "table of an export"


class FilePattern(NamedTuple):
    """Where the files of a kind lie.

    Attributes:
        kind: what they are.
        folder: the top folder, empty for the content folder itself.
        pattern: what the documentation shows.
        depth: how many folders lie between `folder` and the file; None for any number.
        stem: the file's name without suffix, or empty for any.
        suffixes: the endings that are read; a name ends in one of them.
        limit: the largest file, in bytes; of a bulk file, which may have any size, the largest record.
    """

    kind: FileKind
    folder: str
    pattern: str
    depth: int | None = 0
    stem: str = ""
    suffixes: tuple[str, ...] = (".yaml", ".yml", ".json")
    limit: int = 1 << 20

    def holds(self, path: PurePosixPath) -> bool:
        """Say whether a path, relative to the content folder, is a file of this kind."""
        folders = path.parts[:-1]
        if self.folder:
            if folders[:1] != (self.folder,):
                return False
            folders = folders[1:]
        in_reach = self.depth is None or len(folders) == self.depth
        return in_reach and path.name.endswith(self.suffixes) and self.stem in ("", path.stem)


LARGEST_RECORD = 64 << 20
"""Bytes of one contract's source file, or of its line in a bulk file: the largest measured record has 0.97 MB."""

FILE_PATTERNS = (
    FilePattern(kind=FileKind.SITE, folder="", stem="site", pattern="site.yaml"),
    FilePattern(kind=FileKind.COMPONENTS, folder="", stem="components", pattern="components.yaml"),
    FilePattern(kind=FileKind.INCIDENT, folder="incidents", depth=None, pattern="incidents/<id>.yaml"),
    FilePattern(
        kind=FileKind.MAINTENANCE, folder="maintenances", depth=None, pattern="maintenances/<id>.yaml"
    ),
    FilePattern(
        kind=FileKind.WORKSPACE,
        folder="contracts",
        depth=2,
        stem="contract",
        pattern="contracts/<chainId>/<address>/contract.yaml",
        limit=LARGEST_RECORD,
    ),
    FilePattern(
        kind=FileKind.RECORD,
        folder="contracts",
        depth=1,
        pattern="contracts/<chainId>/<address>.json",
        limit=LARGEST_RECORD,
    ),
    FilePattern(
        kind=FileKind.LINES,
        folder="contracts",
        pattern="contracts/<name>.jsonl[.gz|.zst]",
        suffixes=(".jsonl", ".jsonl.gz", ".jsonl.zst"),
        limit=LARGEST_RECORD,
    ),
    FilePattern(
        kind=FileKind.TABLE,
        folder="contracts",
        depth=None,
        pattern="contracts/[<export>/]<table>_<from>_<to>.parquet",
        suffixes=(".parquet",),
        limit=LARGEST_RECORD,
    ),
)
"""The whole convention; the first place that holds a path says what the file is."""

FOLDERS = tuple(sorted({place.folder for place in FILE_PATTERNS if place.folder}))
"""The folders that the convention knows."""

STEMS = tuple(place.stem for place in FILE_PATTERNS if place.stem and not place.folder)
"""The files that the convention knows at the top."""


def match_pattern(path: PurePosixPath) -> FilePattern | None:
    """Return what a file is, by its path relative to the content folder; None if the convention has no place for it."""
    return next((place for place in FILE_PATTERNS if place.holds(path)), None)


def is_workspace_file(path: PurePosixPath) -> bool:
    """Say whether a path lies inside a workspace folder, whose `contract.yaml` says what it is."""
    return len(path.parts) > 3 and path.parts[0] == "contracts"


def is_ignored(path: PurePosixPath) -> bool:
    """Say whether a path is none of statuary's business: dotfiles, and notes for people."""
    return any(part.startswith(".") for part in path.parts) or path.suffix.lower() in (
        ".md",
        ".txt",
        ".license",
    )


def unknown_file_finding(path: PurePosixPath, lies: str) -> Finding:
    """Return the finding for a file that has no place: a warning, since nothing of it is published."""
    top = path.parts[0]
    if top in FOLDERS:
        hint = f"the places are: {', '.join(place.pattern for place in FILE_PATTERNS if place.folder == top)}"
    else:
        hint = (
            did_you_mean(top, list(FOLDERS)) if len(path.parts) > 1 else did_you_mean(path.stem, list(STEMS))
        )
    known = ", ".join(place.pattern for place in FILE_PATTERNS)
    return Finding(
        rule="known-files",
        severity=Severity.WARNING,
        path=lies,
        message="this file has no place in the content folder, and is not read",
        hint=hint or f"the places are: {known}",
    )
