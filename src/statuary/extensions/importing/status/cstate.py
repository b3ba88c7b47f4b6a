"""Import a cState repository.

Formats: https://github.com/cstate/cstate/wiki/Usage. An update is the text above a `{{< track "DATE" >}}`,
often `*Resolved* - What happened. ({{< track ... >}})`; a body without any is one update.
"""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import NamedTuple

from statuary.base.primitives import parse_instant
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import read_text_file
from statuary.extensions.importing.status.fields import (
    Fields,
    find_source_files,
    normalize_word,
    parse_source_yaml,
    read_yaml_mapping,
)
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder, append_id_digest
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.status.model.vocabulary import ComponentStatus, UpdateStatus

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)(.*)", re.DOTALL)
TOML_FRONT_MATTER = re.compile(r"\A\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)(.*)", re.DOTALL)
RULE = re.compile(r"^-{3,}$", re.MULTILINE)
TRACK = re.compile(r"\(?\s*\{\{[<%]\s*track\s+[\"'`]([^\"'`]*)[\"'`]\s*[>%]\}\}\s*\)?")
LABEL = re.compile(r"\A[*_]{1,2}(\w+(?:[ -]\w+)?):?[*_]{1,2}\s*(?:[-\u2013\u2014:]\s*)?")
SHORTCODE = re.compile(r"\{\{[<%].*?[>%]\}\}", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

STATUSES: dict[str, UpdateStatus] = {
    **dict.fromkeys(("resolved", "fixed", "fixd", "completed", "finalmessage"), "resolved"),
    **dict.fromkeys(("monitoring", "fixing", "recovering", "mitigated"), "monitoring"),
    "identified": "identified",
    **dict.fromkeys(("investigating", "update"), "investigating"),
    "postmortem": "postmortem",
}
"""The status of an update by its first word; any other update is `investigating` and keeps that word."""

CONFIGURATIONS = ("config.yml", "config.yaml", "hugo.yml", "hugo.yaml")

EFFECTS: dict[str, ComponentStatus | None] = {
    **dict.fromkeys(("down", "major-outage"), "major_outage"),
    **dict.fromkeys(("disrupted", "partial-outage"), "partial_outage"),
    "degraded-performance": "degraded_performance",
}
"""The status of affected components by severity; `notice` affects none, and only names them."""


def read_cstate(request: ImportRequest) -> StatusPlan:
    """Read a cState repository, or one of its issues.

    Raises:
        NotImportableError: if the source is a URL, or a folder without configuration and issues.
    """
    root = Path(request.source)
    builder = StatusBuilder(request)
    if request.is_url:
        raise NotImportableError(
            "statuary imports a cState page from a clone of its repository, not from its URL",
            "clone the repository, and name its folder",
        )
    if root.is_dir():
        configuration = next((root / name for name in CONFIGURATIONS if (root / name).is_file()), None)
        if configuration is None:
            raise NotImportableError(
                f"{root} has no config.yml", "name the folder of a clone of the cState repository"
            )
        _add_page_settings(builder, read_yaml_mapping(configuration))
    systems = [key for key, _ in builder.plan.iter_components()]
    _add_issues(builder, root)
    # cState's page lists only the systems in its configuration, although issues may name others. So compare
    # only the status of the configured systems.
    original = builder.plan.original
    original.statuses = {key: original.statuses.get(key, "operational") for key in systems}
    return builder.plan


def _add_issues(builder: StatusBuilder, root: Path) -> None:
    issues = root / "content" / "issues"
    for file in find_source_files(str(issues if issues.is_dir() else root), (".md",)):
        if not file.name.startswith("_"):
            ident = file.stem
            if builder.has_record(ident):  # files in several folders may share a name
                ident = append_id_digest(ident, file.relative_to(root).as_posix())
            try:
                _add_issue(builder, file, ident)
            except NotImportableError as error:
                builder.add_skipped_record(file.name, f"an issue {error}")


def _add_page_settings(builder: StatusBuilder, settings: Fields) -> None:
    params = settings.get_object("params")
    builder.set_page(
        settings.get_text("title"),
        settings.get_text("baseURL", "baseurl"),
        about=params.get_text("description"),
    )
    builder.set_language(settings.get_text("defaultContentLanguage", "languageCode"))
    untitled = {
        category.get_text("name")
        for category in params.get_objects("categories")
        if category.get_text("untitled") == "true"
    }
    for system in params.get_objects("systems"):
        name, group = system.get_text("name"), system.get_text("category")
        if name:
            builder.add_component(
                name,
                system.get_text("displayName") or name,
                group="" if group in untitled else group,
                description=system.get_text("description").strip(),
            )


def _add_issue(builder: StatusBuilder, file: Path, issue_id: str) -> None:
    front, text = _read_issue(builder, file, issue_id)
    began = front.required_free_form_time("date")
    body = COMMENT.sub("", text).strip()
    updates = _split_issue_into_updates(body, began)
    if SHORTCODE.search(TRACK.sub("", body)):
        builder.add_skipped_record(file.name, "has Hugo shortcodes, which were removed from its text")
    ended_at = None if _is_open_issue(front) else _resolution_time(builder, file, front) or began
    first_time = min(parse_instant(update.at) for update in updates)
    if ended_at and "resolvedWhen" in front and parse_instant(ended_at) < first_time:
        builder.add_skipped_record(file.name, "is resolved before it begins: it ends with its latest update")
    title = front.get_text("title") or file.stem
    builder.add_incident(issue_id, title, updates, _affected_components(builder, front), ended_at=ended_at)


def _is_open_issue(front_matter: Fields) -> bool:
    """Return whether an issue's front matter has `resolved: false`.

    As on cState's page, other issues are not open.
    """
    return front_matter.get_text("resolved").lower() == "false"


class _Issue(NamedTuple):
    front_matter: Fields  # the front matter of the issue
    body: str


def _read_issue(builder: StatusBuilder, file: Path, issue_id: str) -> _Issue:
    """Parse an issue, and count it even if it cannot be parsed.

    Raises:
        NotImportableError: if the issue has no front matter.
    """
    try:
        issue = _parse_issue_file(read_text_file(file).replace("\r\n", "\n").lstrip("\ufeff \t\n"))
    except NotImportableError:
        builder.add_original_record(issue_id, file.stem, "", is_open=False)
        raise
    front = issue.front_matter
    is_open = _is_open_issue(front)
    effect = EFFECTS.get(front.get_text("severity"))
    builder.add_original_record(
        issue_id, front.get_text("title") or file.stem, front.get_text("date"), is_open=is_open
    )
    for name in _affected_system_names(front) if is_open and effect else ():
        builder.get_or_add_component_key(name)
        builder.note_shown_status(name, effect or "operational")
    return issue


def _resolution_time(builder: StatusBuilder, file: Path, front_matter: Fields) -> str | None:
    try:
        return front_matter.get_free_form_time("resolvedWhen")
    except NotImportableError:
        builder.add_skipped_record(
            file.name, "has a resolvedWhen that is not a date: it ends with its latest update"
        )
        return None


def _parse_issue_file(file_text: str) -> _Issue:
    """Split an issue into front matter (YAML or TOML) and text.

    Raises:
        NotImportableError: if the issue has no front matter.
    """
    if match := FRONT_MATTER.match(file_text):
        return _Issue(Fields.from_json_value(parse_source_yaml(match[1], "its front matter")), match[2])
    match = TOML_FRONT_MATTER.match(file_text)
    if match is None:
        raise NotImportableError("has no front matter")
    try:
        values = tomllib.loads(match[1])
    except tomllib.TOMLDecodeError as error:
        raise NotImportableError(f"the front matter of the file is not TOML: {error}") from None
    # TOML has types for booleans and dates. Convert both to strings, because `Fields` expects the values of
    # the YAML reader, which returns strings for them.
    texts = {key: str(value).lower() for key, value in values.items() if isinstance(value, bool | date)}
    return _Issue(Fields(values | texts), match[2])


def _affected_components(builder: StatusBuilder, front_matter: Fields) -> dict[str, ComponentStatus | None]:
    effect = (
        None
        if front_matter.get_text("informational") == "true"
        else EFFECTS.get(front_matter.get_text("severity"))
    )
    # An issue names systems instead of giving their ids. So the issue affects every system with such a name.
    return {
        key: effect
        for name in _affected_system_names(front_matter)
        for key in builder.get_or_add_component_keys(name)
    }


def _affected_system_names(front_matter: Fields) -> list[str]:
    names = front_matter.get("affected") or front_matter.get("affectedsystems") or []
    return [str(name) for name in ([names] if isinstance(names, str) else names) if name]


def _split_issue_into_updates(issue_body: str, opened_at: str) -> list[ForeignUpdate]:
    """Split the body of an issue into updates, oldest first.

    cState marks the time of an update with `track`, a date below its text. Text below the last one is the update that
    opened the issue.

    Raises:
        NotImportableError: if a `track` is not a date.
    """
    end, updates = 0, list[ForeignUpdate]()
    for track in TRACK.finditer(issue_body):
        at = Fields(track=track[1]).required_free_form_time("track")
        # In the text of an issue, a horizontal rule separates an update from the postmortem after it. The
        # postmortem has no time of its own, so it gets the time of the update.
        texts = map(str.strip, RULE.split(issue_body[end : track.start()]))
        updates += [_make_update(at, text) for text in texts if text]
        end = track.end()
    remaining_text = RULE.sub("", issue_body[end:]).strip()
    is_newest_first = len(updates) < 2 or updates[0].at >= updates[-1].at
    opened = [_make_update(opened_at, remaining_text)] if remaining_text or not updates else []
    return [*opened, *(reversed(updates) if is_newest_first else updates)]


def _make_update(posted_at: str, text: str) -> ForeignUpdate:
    label = LABEL.match(text)
    if label is None or normalize_word(label[1]) not in STATUSES:
        return ForeignUpdate(posted_at, "investigating", _remove_shortcodes(text))
    return ForeignUpdate(
        posted_at, STATUSES[normalize_word(label[1])], _remove_shortcodes(text[label.end() :])
    )


def _remove_shortcodes(text: str) -> str:
    return SHORTCODE.sub("", text).strip()
