"""The folder convention: which paths hold which kind of file."""

from enum import Enum
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from statuary.base.findings import Finding, Severity, did_you_mean
from statuary.base.limits import LARGEST_RECORD, LARGEST_SOURCE_FILE

CONTRACTS = "contracts"
THEME = "theme"
"""The folder of contracts, relative to the content folder."""


class FileKind(Enum):
    """The kind of a file in the content folder."""

    SITE = "site"
    COMPONENTS = "components"
    INCIDENT = "incident"
    MAINTENANCE = "maintenance"
    TEMPLATE = "template of incidents"
    PAGE = "page"
    RECORD = "contract record"
    WORKSPACE = "contract workspace"
    ANCHOR = "chain's proofs of a contract"
    LINES = "contract records, one a line"
    TABLE = "table of an export"


class FilePattern(NamedTuple):
    """The paths of one kind of content file, such as incidents."""

    kind: FileKind
    folder: str  # the top folder; empty for the content folder itself
    pattern: str  # the path as the documentation spells it
    depth: int | None = 0  # the number of folders between `folder` and the file; None for any number
    stem: str = ""  # the file name without suffix; empty for any
    suffixes: tuple[str, ...] = (".yaml", ".yml", ".json")
    limit: int = LARGEST_SOURCE_FILE  # bytes of the largest file; in a bulk file, of the largest record

    def matches(self, path: PurePosixPath) -> bool:
        """Return whether a path in the content folder fits the pattern."""
        folders = path.parts[:-1]
        if self.folder:
            if folders[:1] != (self.folder,):
                return False
            folders = folders[1:]
        has_depth = self.depth is None or len(folders) == self.depth
        return has_depth and path.name.endswith(self.suffixes) and self.stem in ("", path.stem)


_of_contracts = partial(FilePattern, folder=CONTRACTS, limit=LARGEST_RECORD)
_WORKSPACE = "contracts/<chainId>/<address>"

FILE_PATTERNS = (
    FilePattern(kind=FileKind.SITE, folder="", stem="site", pattern="site.yaml"),
    FilePattern(kind=FileKind.COMPONENTS, folder="", stem="components", pattern="components.yaml"),
    FilePattern(kind=FileKind.INCIDENT, folder="incidents", depth=None, pattern="incidents/<id>.yaml"),
    FilePattern(FileKind.MAINTENANCE, "maintenances", "maintenances/<id>.yaml", depth=None),
    FilePattern(kind=FileKind.TEMPLATE, folder="templates", pattern="templates/<name>.yaml"),
    FilePattern(kind=FileKind.PAGE, folder="pages", depth=None, pattern="pages/<name>.md", suffixes=(".md",)),
    _of_contracts(FileKind.WORKSPACE, depth=2, stem="contract", pattern=f"{_WORKSPACE}/contract.yaml"),
    FilePattern(
        FileKind.ANCHOR, CONTRACTS, f"{_WORKSPACE}/anchor.json", depth=2, stem="anchor", suffixes=(".json",)
    ),
    _of_contracts(FileKind.RECORD, depth=1, pattern=f"{_WORKSPACE}.json"),
    _of_contracts(
        FileKind.LINES,
        pattern="contracts/<name>.jsonl[.gz|.zst]",
        suffixes=(".jsonl", ".jsonl.gz", ".jsonl.zst"),
    ),
    _of_contracts(
        FileKind.TABLE,
        depth=None,
        pattern="contracts/[<export>/]<table>_<from>_<to>.parquet",
        suffixes=(".parquet",),
    ),
)
"""The whole convention; the first matching pattern decides a file's kind."""

TEXT_FOLDERS = ("incidents", "maintenances", "pages")
FOLDERS = sorted({pattern.folder for pattern in FILE_PATTERNS if pattern.folder})
STEMS = [pattern.stem for pattern in FILE_PATTERNS if pattern.stem and not pattern.folder]


def match_pattern(path: PurePosixPath) -> FilePattern | None:
    """Return the path pattern that a content file fits.

    For example, `incidents/2026-11-02-rpc.yaml` fits the pattern of incidents.

    Returns:
        The pattern, or None if no kind of file has such a path.
    """
    return next((pattern for pattern in FILE_PATTERNS if pattern.matches(path)), None)


def correct_case(path: PurePosixPath) -> PurePosixPath | None:
    """Return the path that fits a pattern and differs only in the case of its folder or suffix.

    Example: `Incidents/a.YAML` -> `incidents/a.yaml`

    Returns:
        The path; None if there is none, or the given path fits.
    """
    folder, *names = path.parts
    name = path.stem + path.suffix.lower()
    corrected = PurePosixPath(folder.lower(), *names[:-1], name) if names else PurePosixPath(name.lower())
    return corrected if corrected != path and match_pattern(corrected) is not None else None


def pattern_of(kind: FileKind) -> FilePattern:
    """Return the path pattern for a kind of content file."""
    return next(pattern for pattern in FILE_PATTERNS if pattern.kind is kind)


def is_workspace_file(path: PurePosixPath) -> bool:
    """Return whether a file is in a workspace, the folder of one contract.

    Such a folder is `contracts/CHAIN/ADDRESS/`.
    """
    return len(path.parts) > 3 and path.parts[0] == CONTRACTS


def is_ignored(path: PurePosixPath) -> bool:
    """Return whether a build ignores a path, such as a licence.

    Hidden files and notes are ignored, too. Among incidents, maintenance windows and pages, only a README is
    a note.
    """
    if any(part.startswith(".") for part in path.parts):
        return True
    is_note = path.suffix.lower() in (".md", ".txt", ".license")
    return is_note and (path.parts[0] not in TEXT_FOLDERS or path.stem.upper() == "README")


def unknown_file_finding(content_path: PurePosixPath, shown_path: str) -> Finding:
    """Return the warning about a file that statuary does not know.

    For example, `incident/a.yaml` is unknown, because the folder must be `incidents`. If only the case is wrong, or a file has
    the name of a folder, the finding is an error.

    Args:
        content_path: the file's path in the content folder.
        shown_path: the file's path for the message.
    """
    if str(content_path) in FOLDERS:
        message = f"{shown_path} is a file and not a folder"
        return Finding(rule="unknown-file", path=shown_path, message=message, hint="replace it by the folder")
    if (corrected := correct_case(content_path)) is not None:
        message, hint = "the case of the name is wrong, so the file is not read", f"rename it to {corrected}"
        return Finding(rule="unknown-file", path=shown_path, message=message, hint=hint)
    return Finding(
        rule="unknown-file",
        severity=Severity.WARNING,
        path=shown_path,
        message="unknown file; it is not read",
        hint=_unknown_file_hint(content_path),
    )


def _unknown_file_hint(path: PurePosixPath) -> str:
    top = path.parts[0]
    patterns = [pattern.pattern for pattern in FILE_PATTERNS if pattern.folder == top]
    if not patterns:
        word, words = (top, FOLDERS) if len(path.parts) > 1 else (path.stem, STEMS)
        if suggestion := did_you_mean(word, words):
            return suggestion
        patterns = [pattern.pattern for pattern in FILE_PATTERNS]
    return f"statuary reads: {', '.join(patterns)}"
