"""A new incident or maintenance file, and its name: `<date>-<words of the title>.yaml`."""

import re
import unicodedata
from collections.abc import Container, Mapping
from datetime import date
from itertools import count
from pathlib import Path, PurePosixPath

from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import day_of
from statuary.domain.status.timeline import Timeline
from statuary.editing.errors import EditError
from statuary.editing.file_edit import FileEdit
from statuary.editing.yaml.yaml_blocks import YamlValue, block_text

MAX_SLUG_LENGTH = 60
"""Characters of a slug; it ends at a whole word."""

NOT_A_LETTER = re.compile(r"[^a-z0-9]+")


def new_file(
    folder: str, value: Mapping[str, YamlValue], day: date, taken: Container[str], given_id: str | None
) -> FileEdit:
    """Return the edit that creates a file in `incidents` or `maintenances`, without keys that are null or empty.

    Raises:
        EditError: if the given id is taken.
    """
    if given_id is not None and given_id in taken:
        raise EditError(f"the id {given_id!r} is taken", "leave out --id, or choose another one")
    file_id = given_id or new_id(day, str(value["name"]), folder.removesuffix("s"), taken)
    written = {key: one for key, one in value.items() if one is not None and one not in ({}, [])}
    return FileEdit(path=f"{folder}/{file_id}.yaml", before=None, after=block_text(written))


def taken_ids(timeline: Timeline, folder: Path) -> set[str]:
    """Return the ids and file names of all incidents and maintenances, and of the files in a folder."""
    catalogue = timeline.catalogue
    records = (*catalogue.incidents, *catalogue.maintenances)
    histories = (*timeline.incidents, *timeline.maintenances)
    return {
        *(history.incident.id for history in histories),
        *(record.id for record in records),
        *(PurePosixPath(record.source).stem for record in records),
        *(file.stem for file in folder.glob("*.*")),
    }


def page_day(timeline: Timeline, at: Instant) -> date:
    """Return the day of an instant in the page's time zone."""
    return day_of(at, timeline.catalogue.page.time_zone)


def new_id(day: date, title: str, fallback: str, taken: Container[str]) -> str:
    """Return an id: the day, the words of the title or else `fallback`, and a number if that id is taken."""
    first = f"{day.isoformat()}-{slug(title) or fallback}"
    names = (first if number == 1 else f"{first}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def slug(title: str) -> str:
    """Return the words of a title in lower case without accents, joined by dashes; empty if none is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii").lower()
    words = NOT_A_LETTER.sub("-", plain.replace("'", "")).strip("-")
    if len(words) <= MAX_SLUG_LENGTH:
        return words
    shorter = words[: MAX_SLUG_LENGTH + 1]
    return shorter.rpartition("-")[0] or shorter[:MAX_SLUG_LENGTH]
