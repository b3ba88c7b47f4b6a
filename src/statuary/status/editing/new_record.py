"""The file of a new incident or maintenance window."""

import os
import re
import unicodedata
from collections.abc import Container, Mapping
from datetime import date
from itertools import count
from pathlib import Path, PurePosixPath

from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import Instant, day_of
from statuary.source.edit_files import EditError, FileEdit
from statuary.source.yaml_nodes import YamlValue, yaml_file_text
from statuary.status.model.timeline import Timeline
from statuary.system.files import read_file

MAX_SLUG_LENGTH = 60
"""The largest number of characters in a slug, which ends at a whole word."""


NOT_A_LETTER = re.compile(r"[^a-z0-9]+")


def prepare_new_record(
    root: Path,
    timeline: Timeline,
    folder: str,
    record_content: Mapping[str, YamlValue],
    *,
    at: Instant,
    given_id: str | None = None,
) -> FileEdit:
    """Return the edit that creates the file of an incident or window.

    Args:
        root: the content folder.
        timeline: the existing incidents and windows, whose ids are taken.
        folder: `incidents` or `maintenances`.
        record_content: the content of the file; empty keys are left out.
        at: when the record begins; its day in the page's time zone becomes part of the file's name.
        given_id: the id that the user chose; None to make one from the day and the name.

    Raises:
        EditError: if the given id is taken.
    """
    existing = _used_ids(timeline, root, given_id)
    if given_id is not None and given_id in existing:
        raise EditError(f"the id {given_id!r} is taken", "leave out --id, or choose another one")
    day = day_of(at, timeline.catalogue.page.time_zone)
    file_id = given_id or new_record_id(day, str(record_content["name"]), folder.removesuffix("s"), existing)
    entries = {key: item for key, item in record_content.items() if item is not None and item not in ({}, [])}
    return FileEdit(path=f"{folder}/{file_id}.yaml", text_before=None, text_after=yaml_file_text(entries))


def _used_ids(timeline: Timeline, root: Path, given_id: str | None) -> set[str]:
    """Return the ids of all incidents and windows, and the names of their files.

    Args:
        given_id: the id that the user chose, if any; all record files are then also searched for this id.
    """
    catalogue = timeline.catalogue
    records = (*catalogue.incidents, *catalogue.maintenances)
    histories = (*timeline.incidents, *timeline.maintenances)
    files = record_files_by_name(root, "incidents") | record_files_by_name(root, "maintenances")
    ids = {
        *(history.incident.id for history in histories),
        *(record.id for record in records),
        *(PurePosixPath(record.source).stem for record in records),
        *files,
    }
    if given_id and any(_file_states_id(root / path, given_id) for paths in files.values() for path in paths):
        ids.add(given_id)
    return ids


def _file_states_id(file: Path, given_id: str) -> bool:
    try:
        return f"id: {given_id}".encode() in read_file(file, LARGEST_SOURCE_FILE).splitlines()
    except (OSError, UnicodeEncodeError):
        return False


RECORD_SUFFIXES = frozenset({"yaml", "yml", "json"})


def record_files_by_name(root: Path, folder: str) -> dict[str, list[str]]:
    """Return the files of incidents or windows by name without suffix.

    Subfolders are included, so that several files can have the same name.

    Args:
        root: the content folder.
        folder: the folder in it, `incidents` or `maintenances`.
    """
    stems: dict[str, list[str]] = {}
    for place, folders, files in os.walk(root / folder):
        folders[:] = (name for name in folders if not name.startswith("."))
        below = PurePosixPath(Path(place).relative_to(root).as_posix())
        for name in files:
            stem, _, suffix = name.rpartition(".")
            if suffix in RECORD_SUFFIXES and stem and not stem.startswith("."):
                stems.setdefault(stem, []).append(f"{below}/{name}")
    return stems


def new_record_id(day: date, title: str, fallback: str, existing: Container[str]) -> str:
    """Make an unused id, such as `2026-11-02-slow-rpc`.

    Args:
        day: the day that begins the id.
        title: the title whose words follow.
        fallback: the words to use if the title has none.
        existing: the ids that are taken; a number is appended to a new id that is among them.
    """
    candidate = f"{day.isoformat()}-{slug(title) or fallback}"
    names = (candidate if number == 1 else f"{candidate}-{number}" for number in count(1))
    return next(name for name in names if name not in existing)


def slug(title: str) -> str:
    """Convert a title to a file name: `Slow RPC` becomes `slow-rpc`.

    Returns:
        The words in lower case without accents, joined by dashes; empty if the title has no letters or
        digits.
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii").lower()
    words = NOT_A_LETTER.sub("-", plain.replace("'", "")).strip("-")
    if len(words) <= MAX_SLUG_LENGTH:
        return words
    shorter = words[: MAX_SLUG_LENGTH + 1]
    return shorter.rpartition("-")[0] or shorter[:MAX_SLUG_LENGTH]
