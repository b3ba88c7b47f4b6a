"""A new incident or maintenance file."""

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import PurePosixPath

from statuary.cli.command_error import CommandError
from statuary.cli.editing.edit_session import EditSession
from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import day_of
from statuary.editing.file_edit import FileEdit
from statuary.editing.file_names import new_id
from statuary.editing.yaml.yaml_blocks import YamlValue, block_text


def new_file(
    control: EditSession,
    folder: str,
    name: str,
    day: Instant,
    given: str | None,
    value: Mapping[str, YamlValue],
) -> FileEdit:
    """Return the edit that writes a new file, without the keys that are null or empty.

    Args:
        control: the command's run.
        folder: `incidents` or `maintenances`.
        name: the record's name, which the file's is made of.
        day: what the file's name begins with, as a day of the page's time zone.
        given: an id that was asked for.
        value: what the file holds.

    Raises:
        Refusal: if the id that was asked for is taken.
    """
    taken = _taken(control, folder)
    if given in taken:
        raise CommandError(f"id {given!r} is taken already", "leave out --id, or give another")
    file_id = given or new_id(_day(control, day), name, folder.removesuffix("s"), taken)
    written = {key: one for key, one in value.items() if one is not None and one not in ({}, [])}
    return FileEdit(path=f"{folder}/{file_id}.yaml", before=None, after=block_text(written))


def _day(control: EditSession, moment: Instant) -> date:
    return day_of(moment, control.timeline.catalogue.page.time_zone)


def _taken(control: EditSession, folder: str) -> set[str]:
    """Return the ids of all records, whose pages share one folder, and the names of the files at hand."""
    catalogue = control.timeline.catalogue
    records = (*catalogue.incidents, *catalogue.maintenances)
    histories = (*control.timeline.incidents, *control.timeline.maintenances)
    files: Iterable[str] = (PurePosixPath(record.source).stem for record in records)
    on_disk = (file.stem for file in (control.desk.content / folder).glob("*.*"))
    return {
        *(history.incident.id for history in histories),
        *(record.id for record in records),
        *files,
        *on_disk,
    }
