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
from statuary.extensions.importing.sources import read_text
from statuary.extensions.importing.status.fields import (
    Fields,
    files_below,
    normalize_word,
    parse_source_yaml,
    yaml_file,
)
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder, distinct_id
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
            "a cState page is read from its repository", "clone the repository, and name its folder"
        )
    if root.is_dir():
        configuration = next((root / name for name in CONFIGURATIONS if (root / name).is_file()), None)
        if configuration is None:
            raise NotImportableError(
                f"{root} has no config.yml", "name the folder of a clone of the cState repository"
            )
        _add_settings(builder, yaml_file(configuration))
    systems = [key for key, _ in builder.plan.leaves()]
    _add_issues(builder, root)
    # cState does not show systems that only issues name, so they have no status to compare
    original = builder.plan.original
    original.statuses = {key: original.statuses.get(key, "operational") for key in systems}
    return builder.plan


def _add_issues(builder: StatusBuilder, root: Path) -> None:
    issues = root / "content" / "issues"
    for file in files_below(str(issues if issues.is_dir() else root), (".md",)):
        if not file.name.startswith("_"):
            ident = file.stem
            if builder.is_found(ident):  # files in several folders may share a name
                ident = distinct_id(ident, file.relative_to(root).as_posix())
            try:
                _add_issue(builder, file, ident)
            except NotImportableError as error:
                builder.skip(file.name, f"an issue {error}")


def _add_settings(builder: StatusBuilder, settings: Fields) -> None:
    params = settings.object("params")
    builder.set_page(
        settings.text("title"),
        settings.text("baseURL", "baseurl"),
        about=params.text("description"),
    )
    builder.set_language(settings.text("defaultContentLanguage", "languageCode"))
    untitled = {
        category.text("name")
        for category in params.objects("categories")
        if category.text("untitled") == "true"
    }
    for system in params.objects("systems"):
        name, group = system.text("name"), system.text("category")
        if name:
            builder.add_component(
                name,
                system.text("displayName") or name,
                group="" if group in untitled else group,
                description=system.text("description").strip(),
            )


def _add_issue(builder: StatusBuilder, file: Path, ident: str) -> None:
    front, text = _read_issue(builder, file, ident)
    began = front.required_date("date")
    body = COMMENT.sub("", text).strip()
    updates = _split_updates(body, began)
    if SHORTCODE.search(TRACK.sub("", body)):
        builder.skip(file.name, "has Hugo shortcodes, which were removed from its text")
    ended_at = None if _is_open(front) else _resolution_time(builder, file, front) or began
    first_time = min(parse_instant(update.at) for update in updates)
    if ended_at and "resolvedWhen" in front and parse_instant(ended_at) < first_time:
        builder.skip(file.name, "is resolved before it begins: it ends with its latest update")
    title = front.text("title") or file.stem
    builder.add_incident(ident, title, updates, _affected_components(builder, front), ended_at=ended_at)


def _is_open(front: Fields) -> bool:
    """Return whether an issue is open.

    As on cState's page, that is only if its front matter has `resolved: false`.
    """
    return front.text("resolved").lower() == "false"


class _Issue(NamedTuple):
    front: Fields  # the front matter of the issue
    text: str


def _read_issue(builder: StatusBuilder, file: Path, ident: str) -> _Issue:
    """Parse an issue, and count it even if it cannot be parsed.

    Raises:
        NotImportableError: if it has no front matter.
    """
    try:
        issue = _parse_issue(read_text(file).replace("\r\n", "\n").lstrip("\ufeff \t\n"))
    except NotImportableError:
        builder.count_record(ident, file.stem, "", is_open=False)
        raise
    front = issue.front
    is_open = _is_open(front)
    effect = EFFECTS.get(front.text("severity"))
    builder.count_record(ident, front.text("title") or file.stem, front.text("date"), is_open=is_open)
    for name in _component_names(front) if is_open and effect else ():
        builder.key_of_component(name)
        builder.note_status(name, effect or "operational")
    return issue


def _resolution_time(builder: StatusBuilder, file: Path, front: Fields) -> str | None:
    try:
        return front.date("resolvedWhen")
    except NotImportableError:
        builder.skip(file.name, "has a resolvedWhen that is not a date: it ends with its latest update")
        return None


def _parse_issue(text: str) -> _Issue:
    """Parse an issue with front matter in YAML or TOML.

    Raises:
        NotImportableError: if it has none.
    """
    if match := FRONT_MATTER.match(text):
        return _Issue(Fields.wrap(parse_source_yaml(match[1], "its front matter")), match[2])
    match = TOML_FRONT_MATTER.match(text)
    if match is None:
        raise NotImportableError("has no front matter")
    try:
        values = tomllib.loads(match[1])
    except tomllib.TOMLDecodeError as error:
        raise NotImportableError(f"the front matter of the file is not TOML: {error}") from None
    # convert booleans and dates to strings, as in YAML front matter
    texts = {key: str(value).lower() for key, value in values.items() if isinstance(value, bool | date)}
    return _Issue(Fields(values | texts), match[2])


def _affected_components(builder: StatusBuilder, front: Fields) -> dict[str, ComponentStatus | None]:
    effect = None if front.text("informational") == "true" else EFFECTS.get(front.text("severity"))
    # several systems may have the same name, and the issue affects all of them
    return {key: effect for name in _component_names(front) for key in builder.keys_of_name(name)}


def _component_names(front: Fields) -> list[str]:
    names = front.get("affected") or front.get("affectedsystems") or []
    return [str(name) for name in ([names] if isinstance(names, str) else names) if name]


def _split_updates(body: str, began: str) -> list[ForeignUpdate]:
    """Split the body of an issue into updates, oldest first.

    An update is the text above its `track`. Text below the last one is the update that opened the issue.

    Raises:
        NotImportableError: if a `track` is not a date.
    """
    end, updates = 0, list[ForeignUpdate]()
    for track in TRACK.finditer(body):
        at = Fields(track=track[1]).required_date("track")
        # a horizontal rule separates an update from a postmortem, which has no time of its own
        texts = map(str.strip, RULE.split(body[end : track.start()]))
        updates += [_make_update(at, text) for text in texts if text]
        end = track.end()
    remaining_text = RULE.sub("", body[end:]).strip()
    is_newest_first = len(updates) < 2 or updates[0].at >= updates[-1].at
    opened = [_make_update(began, remaining_text)] if remaining_text or not updates else []
    return [*opened, *(reversed(updates) if is_newest_first else updates)]


def _make_update(at: str, text: str) -> ForeignUpdate:
    label = LABEL.match(text)
    if label is None or normalize_word(label[1]) not in STATUSES:
        return ForeignUpdate(at, "investigating", _without_shortcodes(text))
    return ForeignUpdate(at, STATUSES[normalize_word(label[1])], _without_shortcodes(text[label.end() :]))


def _without_shortcodes(text: str) -> str:
    return SHORTCODE.sub("", text).strip()
