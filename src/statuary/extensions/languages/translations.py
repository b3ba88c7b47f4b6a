"""Translate the content of a site, with the first language as fallback.

APIs have the first language, pages their own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from statuary.base.findings import Finding, Pointer, Severity
from statuary.extensions.languages.settings import LanguageSettings
from statuary.extensions.languages.translated import EXPECTED, Translated
from statuary.status.model.records import StatusCatalogue

UNKNOWN_LANGUAGE = "unknown-language"
"""The rule of findings about languages."""

Value = TypeVar("Value")


def status_in_first_language(
    content: Path,  # noqa: ARG001 - as other extensions take it
    settings: LanguageSettings,
    status: StatusCatalogue,
    findings: list[Finding],
    language: str,
) -> StatusCatalogue:
    """Return the status with all texts in the site's first language.

    Texts in languages that the site does not list are reported.

    Args:
        content: the content folder.
        settings: what site.yaml says under `languages`.
        status: the components and incidents, whose texts may have translations.
        findings: a list to which findings are added. Earlier findings in it about translations also change: they get
            the site's languages as a hint.
        language: the language of the pages in the root folder.
    """
    first_tag = settings.tags[0]
    if first_tag != language:
        message = f"the first language is {first_tag!r}, but the pages are in {language!r}"
        further = ", ".join([language, *(tag for tag in settings.tags if tag != language)])
        hint = f"write `pages: {{language: {first_tag}}}`, or `languages: [{further}]` to keep {language} as the first"
        pointer: Pointer = ("languages",)
        findings.append(
            Finding(
                rule=UNKNOWN_LANGUAGE, message=message, hint=hint, path=status.page_source, pointer=pointer
            )
        )
    findings[:] = (_add_language_hint(finding, settings.tags) for finding in findings)
    for path, text in _iter_translated_texts(status):
        absent = [first_tag] if first_tag not in text.by_language else []
        for tag in sorted(set(text.by_language).difference(settings.tags)):
            hint = (
                f"write one of {', '.join(settings.tags)}, or add it to `languages` in {status.page_source}"
            )
            findings.append(
                _make_translation_warning(
                    f"there is a text in {tag!r}, which is not a language of the site", hint, path
                )
            )
        for tag in absent:
            message = f"the text {text[:40]!r} is not given in {tag!r}, the first language"
            findings.append(
                _make_translation_warning(
                    message, f"add the text under `{tag}:`, beside the other languages", path
                )
            )
    return replace_translated_strings(status, lambda text: Translated(text.by_language, first_tag))


def _add_language_hint(finding: Finding, tags: tuple[str, ...]) -> Finding:
    if not finding.message.startswith(EXPECTED):
        return finding
    form = "{" + ", ".join(f"{tag}: …" for tag in tags) + "}"
    return replace(finding, hint=f"write one text, or one for each language of the site: {form}")


def _make_translation_warning(message: str, hint: str, path: str) -> Finding:
    # A missing translation must not stop an update.
    return Finding(rule=UNKNOWN_LANGUAGE, message=message, hint=hint, path=path, severity=Severity.WARNING)


def _iter_translated_texts(status: StatusCatalogue) -> Iterator[tuple[str, Translated]]:
    parts: list[tuple[str, object]] = [
        (status.page_source, status.page),
        (status.components_source, status.components),
        *((record.source, record) for record in (*status.incidents, *status.maintenances)),
    ]
    for path, part in parts:
        texts: list[Translated] = []
        replace_translated_strings(part, lambda text, texts=texts: texts.append(text) or text)  # type: ignore[misc]
        yield from ((path, text) for text in texts)


def translate_status(status: StatusCatalogue, language_tag: str) -> StatusCatalogue:
    """Return the status with all texts in a language.

    A text without a translation is kept.

    Args:
        status: the components and incidents, whose texts may have translations.
        language_tag: the language, such as `de`.
    """
    return replace_translated_strings(status, lambda text: text.by_language.get(language_tag) or str(text))


def replace_translated_strings(value: Value, replace_string: Callable[[Translated], str]) -> Value:
    """Replace the translated strings in a value.

    Args:
        value: a value with translated strings at any depth, such as an incident.
        replace_string: a function that returns the replacement of a string, such as its German text.
    """
    result: Any = _replace_in_value(value, replace_string)
    return result  # type: ignore[no-any-return]


def _replace_in_value(value: Any, replace_string: Callable[[Translated], str]) -> object:
    if isinstance(value, Translated):
        return replace_string(value)
    members = _get_members(value)
    pairs = ((key, member, _replace_in_value(member, replace_string)) for key, member in members.items())
    changed_members = {key: new for key, member, new in pairs if new is not member}
    if not changed_members:
        return value
    if isinstance(value, Mapping):
        return {**value, **changed_members}
    if isinstance(value, tuple):
        make: Callable[[Iterable[object]], object] = getattr(value, "_make", tuple)
        return make({**members, **changed_members}.values())
    return replace(value, **changed_members)


def _get_members(value: Any) -> Mapping[Any, object]:
    if isinstance(value, tuple):
        return dict(enumerate(value))
    if isinstance(value, Mapping):
        return value
    is_record = is_dataclass(value) and not isinstance(value, type)
    return {field.name: getattr(value, field.name) for field in fields(value)} if is_record else {}
