"""A cState repository: `config.yml` and `content/issues/*.md`, front matter and free-form bodies.

Formats: https://github.com/cstate/cstate/wiki/Usage. An update is the text above a `{{< track "DATE" >}}`, often
`*Resolved* - What happened. ({{< track ... >}})`; a body without any is one update.
"""

import re
import tomllib
from datetime import date
from pathlib import Path

from statuary.domain.primitives import parse_instant
from statuary.domain.status.vocabulary import ComponentStatus, UpdateStatus
from statuary.extensions.importing.report import Lost, SourceError
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    any_instant,
    required_date,
    word,
)
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Members,
    StatusPlan,
    as_members,
    files_below,
    list_of,
    losing,
    parse_source_yaml,
    read_text,
    text_of,
    yaml_file,
)

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
"""By the word that begins an update; any other update is `investigating` and keeps its first word."""

CONFIGURATIONS = ("config.yml", "config.yaml", "hugo.yml", "hugo.yaml")

EFFECTS: dict[str, ComponentStatus | None] = {
    **dict.fromkeys(("down", "major-outage"), "major_outage"),
    **dict.fromkeys(("disrupted", "partial-outage"), "partial_outage"),
    "degraded-performance": "degraded_performance",
}
"""By severity; `notice` names components only."""


def read_cstate(request: ImportRequest) -> StatusPlan:
    """Return the content of a repository; raise SourceError if it has neither configuration nor issues."""
    root, built = Path(request.source), StatusBuilder(request)
    if request.is_url:
        raise SourceError("a cState page is read from its repository", "clone it and give its folder")
    if root.is_dir():
        found = [root / name for name in CONFIGURATIONS if (root / name).is_file()]
        if not found:
            raise SourceError(f"{root} has no config.yml", "give the folder of a cState repository")
        _configure(built, yaml_file(found[0]))
    issues = root / "content" / "issues"
    for file in files_below(str(issues if issues.is_dir() else root), (".md",)):
        if not file.name.startswith("_"):
            with losing(built.lost, "an issue", file.name):
                _issue(built, file)
    return built.plan


def _configure(built: StatusBuilder, settings: Members) -> None:
    params = as_members(settings.get("params") or {})
    built.page(
        text_of(settings, "title"),
        text_of(settings, "baseURL", "baseurl"),
        about=text_of(params, "description"),
    )
    untitled = {
        text_of(one, "name") for one in list_of(params, "categories") if text_of(one, "untitled") == "true"
    }
    for system in list_of(params, "systems"):
        name, group = text_of(system, "name"), text_of(system, "category")
        if name:
            built.component(
                name,
                name,
                group="" if group in untitled else group,
                description=text_of(system, "description").strip(),
            )


def _issue(built: StatusBuilder, file: Path) -> None:
    front, text = _front_matter(read_text(file).replace("\r\n", "\n"))
    began, body = required_date(front, "date"), COMMENT.sub("", text).strip()
    updates = _updates(body, began)
    if SHORTCODE.search(TRACK.sub("", body)):
        built.lost.append(Lost("has shortcodes of Hugo, which are left out of its text", file.name))
    resolved_at = None
    if text_of(front, "resolved").lower() == "true":
        resolved_at = any_instant(front, "resolvedWhen") or began
        if parse_instant(resolved_at) < min(parse_instant(update.at) for update in updates):
            built.lost.append(Lost("is resolved before it begins: it ends with its latest update", file.name))
    title = text_of(front, "title") or file.stem
    built.incident(file.stem, title, updates, _affected(built, front), ended_at=resolved_at)


def _front_matter(text: str) -> tuple[Members, str]:
    """Return the front matter of an issue, YAML or TOML, and what follows it."""
    if match := FRONT_MATTER.match(text):
        return as_members(parse_source_yaml(match[1], "its front matter")), match[2]
    match = TOML_FRONT_MATTER.match(text)
    if match is None:
        raise SourceError("has no front matter")
    try:
        found = tomllib.loads(match[1])
    except tomllib.TOMLDecodeError as error:
        raise SourceError(f"its front matter is not TOML: {error}") from None
    # like YAML: a flag and a date as text
    return {
        key: str(one).lower() if isinstance(one, bool | date) else one for key, one in found.items()
    }, match[2]


def _affected(built: StatusBuilder, front: Members) -> dict[str, ComponentStatus | None]:
    names = front.get("affected") or front.get("affectedsystems") or []
    informs = text_of(front, "informational") == "true"
    effect = None if informs else EFFECTS.get(text_of(front, "severity"))
    return {built.named(str(name)): effect for name in ([names] if isinstance(names, str) else names) if name}


def _updates(body: str, began: str) -> list[ForeignUpdate]:
    """Return the updates of a body, oldest first, each above its `track`; what follows the last one opened the issue."""
    end, found = 0, list[ForeignUpdate]()
    for track in TRACK.finditer(body):
        at = required_date({"track": track[1]}, "track")
        # a rule divides an update from a postmortem, which has no separate time
        found += [_update(at, text.strip()) for text in RULE.split(body[end : track.start()]) if text.strip()]
        end = track.end()
    rest = RULE.sub("", body[end:]).strip()
    is_newest_first = len(found) < 2 or found[0].at >= found[-1].at
    opened = [_update(began, rest)] if rest or not found else []
    return [*opened, *(reversed(found) if is_newest_first else found)]


def _update(at: str, text: str) -> ForeignUpdate:
    label = LABEL.match(text)
    if label is None or word(label[1]) not in STATUSES:
        return ForeignUpdate(at, "investigating", _without_shortcodes(text))
    return ForeignUpdate(at, STATUSES[word(label[1])], _without_shortcodes(text[label.end() :]))


def _without_shortcodes(text: str) -> str:
    return SHORTCODE.sub("", text).strip()
