"""Replace faulty keys of site.yaml, so that they do not keep the status from being published."""

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

from statuary.base.findings import Finding, Pointer, Severity, did_you_mean
from statuary.publish.ledger.ledger import Ledger
from statuary.registry import EXTENSIONS, extension_of
from statuary.site.site_content import Fault, SiteContent

Tree = dict[str, Any]
"""The values of site.yaml by key."""

PUBLISHED_SETTINGS = "settings"
"""The ledger's note of the values of site.yaml in the last build."""

DEFAULT = ""
"""The row of a key whose default is used if its last published value is unknown."""

CORE_KEYS: Mapping[Pointer, str] = {
    ("page",): "a site needs a name and an address",
    ("page", "name"): "every page shows it",
    ("page", "url"): "documents, feeds and messages lead to it",
    ("page", "id"): "feeds and calendars would show all of their entries again",
    ("page", "time_zone"): DEFAULT,
    ("page", "created_at"): DEFAULT,
    ("page", "updated_at"): DEFAULT,
    ("page", "indicator"): DEFAULT,
    ("page", "description"): DEFAULT,
    ("page", "about"): DEFAULT,
    ("page", "demo"): "invented content would look real",
    ("page", "feed_host"): DEFAULT,
    ("status",): DEFAULT,
    ("status", "cap"): DEFAULT,
    ("status", "archives"): DEFAULT,
    ("status", "uptime"): DEFAULT,
    ("status", "horizon_days"): DEFAULT,
    ("status", "max_epochs"): DEFAULT,
    ("chains",): "the contracts of every chain would be removed",
    ("contracts",): "the contracts of its sources would be removed",
    ("contracts", "publish"): DEFAULT,
    ("contracts", "sources"): "the contracts of these sources would be removed",
    ("contracts", "compilations"): DEFAULT,
    ("contracts", "join_memory_mib"): DEFAULT,
    ("pages",): DEFAULT,
    ("pages", "status"): DEFAULT,
    ("pages", "contracts"): DEFAULT,
    ("pages", "listed"): DEFAULT,
    ("pages", "search"): DEFAULT,
    ("pages", "language"): DEFAULT,
    ("hosting",): "the host would lose its rules, or the addresses of contracts would change",
    ("hosting", "files"): "the host would lose its rules",
    ("hosting", "layout"): "the addresses of contracts would change",
    ("hosting", "lower_case_names"): "the site could have more files than its host allows",
    ("hosting", "precompressed"): DEFAULT,
}
"""The keys that every site may have, and why a build stops if one is faulty and has no last published value."""

EXTENSION_KEYS: Mapping[str, str] = {
    "log": "the log would lack what this build publishes",
    "packs": DEFAULT,
    "alerts": DEFAULT,
    "notify": DEFAULT,
    "languages": DEFAULT,
    "instatus": DEFAULT,
    "prometheus": DEFAULT,
    "embed": DEFAULT,
    "metrics": DEFAULT,
    "upstream": "components that follow other pages would seem operational",
    "cards": DEFAULT,
    "apis": DEFAULT,
    "clear_signing": DEFAULT,
}
"""The keys of extensions, as in `CORE_KEYS`; an extension with `DEFAULT` is left out, and its documents stay."""

NAME_AND_ADDRESS = frozenset({("page",), ("page", "name"), ("page", "url")})
"""The keys that messages and commands need; they do without all others."""

MAPPINGS = frozenset(pointer[:1] for pointer in CORE_KEYS if len(pointer) > 1)
"""The keys of the core that hold further keys, of which each can be replaced."""


def store_settings(ledger: Ledger, settings: Mapping[str, Any]) -> None:
    """Store the settings of this build in the ledger, the build's database.

    If a setting has an error in a later build, that build uses the stored value instead.
    """
    note = json.dumps(settings)
    if note != ledger.get_meta(PUBLISHED_SETTINGS):
        ledger.set_meta({PUBLISHED_SETTINGS: note})


def published_settings(ledger: Ledger) -> Tree:
    """Return the settings of the last build, as it stored them.

    Returns:
        The settings; empty if there was no build, or they cannot be read.
    """
    try:
        settings = json.loads(ledger.get_meta(PUBLISHED_SETTINGS) or "{}")
    except ValueError:
        return {}
    return settings if isinstance(settings, dict) else {}


def find_extension_error(site: SiteContent | None, findings: Iterable[Finding], key: str) -> Finding | None:
    """Return the error that makes the settings of an extension unusable.

    Args:
        site: the content; None if it could not be read.
        findings: the findings about the content.
        key: the key of the extension.

    Returns:
        The error; None if there is no such error.
    """
    of_file = [error for error in findings if error.path.startswith("site.")]
    errors = [error for error in (*of_file, *findings) if error.severity is Severity.ERROR]
    return next((error for error in errors if site is None or error.pointer[:1] == (key,)), None)


class _Place(NamedTuple):
    """The part of site.yaml that is replaced because of an error."""

    pointer: Pointer
    lacks_keys: bool = False  # whether keys of the mapping are missing or unknown, and the others are used

    @property
    def name(self) -> str:
        """The key as messages name it, such as `page.name`."""
        return f"`{'.'.join(map(str, self.pointer))}`"


def _place_of(error: Finding) -> _Place:
    pointer = error.pointer
    if error.rule == "missing-key" and (not pointer or pointer in MAPPINGS):
        return _Place(pointer, lacks_keys=True)
    if error.rule == "unknown-key" and (len(pointer) == 1 or (len(pointer) == 2 and pointer[:1] in MAPPINGS)):
        return _Place(pointer[:-1], lacks_keys=True)
    return _Place(pointer[:2] if pointer[:2] in CORE_KEYS else pointer[:1])


def _group_by_place(errors: Sequence[Finding]) -> dict[_Place, list[Finding]]:
    """Group errors by what is replaced, without the one that only counts others."""
    groups: dict[_Place, list[Finding]] = {}
    for error in [error for error in errors if error.pointer or error.rule == "missing-key"] or errors:
        groups.setdefault(_place_of(error), []).append(error)
    return groups


ALL_STAY = "all settings stay as last published"


class _StoppingError(Exception):
    """Nothing acceptable can replace a part of site.yaml."""

    def __init__(self, reason: str, error: Finding) -> None:
        super().__init__(reason)
        self.error = error


@dataclass
class SettingsFallback:
    """Replaces faulty values of site.yaml by those of the last build, or by defaults.

    A build stops only if the last published value of a key is unknown or faulty, and `CORE_KEYS` or `EXTENSION_KEYS`
    says why its default is not acceptable.
    """

    last: Mapping[str, Any] = field(default_factory=dict)  # the settings of the last build
    needed: Container[Pointer] | None = None  # the keys that may stop the command; None for all
    is_strict: bool = False  # whether nothing is replaced
    settings: Tree = field(default_factory=dict)  # the settings that are used in the end
    left_out: set[str] = field(default_factory=set)  # the extensions that are left out
    _errors: dict[_Place, list[Finding]] = field(default_factory=dict)  # the first errors at each place
    _consequences: dict[_Place, str] = field(default_factory=dict)  # what replaced each place

    @classmethod
    def of_command(cls) -> Self:
        """Return a fallback for a command that publishes nothing itself.

        Such a command has no last build whose settings could replace faulty ones.
        """
        return cls(needed=NAME_AND_ADDRESS)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The errors in site.yaml, each with the value that is used instead."""
        return tuple(
            Fault(error, self._consequences[place])
            for place, errors in self._errors.items()
            for error in errors
        )

    def replace_faulty(
        self, tree: Tree | None, errors: Sequence[Finding], errors_in: Callable[[Tree], Sequence[Finding]]
    ) -> Tree | Finding:
        """Replace the values in site.yaml that have errors.

        Call the method again with the result if that has errors, too: two keys may contradict each other.

        Args:
            tree: the values of site.yaml; None if it cannot be read.
            errors: the errors in these values.
            errors_in: returns the errors in other values.

        Returns:
            The settings, or the error that stops the command, with the reason.
        """
        groups = {_Place(()): list(errors)} if tree is None else _group_by_place(errors)
        faulty_before = _group_by_place(errors_in(_copy_of(self.last))) if self.last else {}
        new = _copy_of(tree or {})
        try:
            for place, errors_at_place in groups.items():
                self._errors.setdefault(place, errors_at_place)
                self._replace(new, place, errors_at_place, is_faulty_before=place in faulty_before)
        except _StoppingError as stopping:
            lack = "there is no last published value and no safe default"
            if self.needed is not None:
                lack = "the command cannot do without it"
            return replace(stopping.error, message=f"{stopping.error.message}; {lack}: {stopping}")
        return _copy_of(self.last) if ALL_STAY in map(self._consequences.get, groups) else new

    def _replace(self, tree: Tree, place: _Place, errors: list[Finding], *, is_faulty_before: bool) -> None:
        if place.lacks_keys:
            self._complete_mapping(tree, place, errors)
        elif not place.pointer:
            if not self.last or tree == self.last:
                raise _StoppingError(CORE_KEYS["page",], errors[0])
            self._consequences[place] = ALL_STAY
        else:
            key, last = str(place.pointer[-1]), _mapping_at(self.last, place.pointer[:-1])
            mapping = _mapping_at(tree, place.pointer[:-1])
            if key not in last or is_faulty_before or self._consequences.get(place) == ALL_STAY:
                self._use_default(mapping, place, errors[0])
            elif mapping.get(key) == last[key]:  # another key contradicts it
                self._consequences[place] = ALL_STAY
            else:
                mapping[key] = last[key]
                self._consequences[place] = f"{place.name} stays as last published"

    def _complete_mapping(self, tree: Tree, place: _Place, errors: list[Finding]) -> None:
        """Remove unknown keys of a mapping, and add missing ones with their last published values."""
        mapping, last = _mapping_at(tree, place.pointer), _mapping_at(self.last, place.pointer)
        unknown = {str(error.pointer[-1]): error for error in errors if error.rule == "unknown-key"}
        for key, error in unknown.items():
            mapping.pop(key, None)
            self._stop_if_needed(tree, place, error)
        handled = mapping.keys() | unknown.keys() | self._replaced_keys(place)
        missing = {key: value for key, value in last.items() if key not in handled}
        if len(unknown) < len(errors) and not missing:  # an error is about a missing key
            raise _StoppingError(CORE_KEYS[place.pointer or ("page",)], errors[0])
        mapping.update(_copy_of(missing))
        self._consequences[place] = _format_stay(_Place((*place.pointer, key)).name for key in missing)

    def _replaced_keys(self, mapping: _Place) -> set[str]:
        places = (place.pointer for place in self._consequences if not place.lacks_keys)
        return {str(pointer[-1]) for pointer in places if pointer and pointer[:-1] == mapping.pointer}

    def _stop_if_needed(self, tree: Tree, place: _Place, unknown: Finding) -> None:
        """Stop the command if an unknown key may be meant for one without a safe default."""
        meant = [] if self.last else _meant_places(place.pointer, str(unknown.pointer[-1]))
        for pointer in meant:
            if not _has_value(tree, pointer) and (reason := self._stop_reason(pointer)):
                raise _StoppingError(reason, unknown)

    def _use_default(self, mapping: Tree, place: _Place, error: Finding) -> None:
        """Remove a key, so that it has its default."""
        # Without the key, a site that did not have it stays as last published.
        is_new = bool(self.last) and not _has_value(self.last, place.pointer)
        key, reason = str(place.pointer[-1]), "" if is_new else self._stop_reason(place.pointer)
        if reason or key not in mapping:
            raise _StoppingError(reason or "nothing can replace it", error)
        del mapping[key]
        self._consequences[place] = f"the default of {place.name} is used"
        if len(place.pointer) == 1 and extension_of(key):
            self.left_out.add(key)
            self._consequences[place] = f"the build goes on without {place.name}"

    def _stop_reason(self, pointer: Pointer) -> str:
        """Return the reason why a key must not have its default.

        Returns:
            The reason; empty if the default is acceptable.
        """
        if self.needed is not None and pointer not in self.needed:
            return ""
        return CORE_KEYS.get(pointer, EXTENSION_KEYS.get(str(pointer[0]), DEFAULT))


def _format_stay(names: Iterable[str]) -> str:
    names = list(names)
    stay = f"{', '.join(names)} {'stays' if len(names) == 1 else 'stay'} as last published"
    return stay if names else "the key is ignored"


def _copy_of(tree: Mapping[str, Any]) -> Tree:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _mapping_at(tree: Mapping[str, Any], pointer: Pointer) -> Tree:
    mapping = tree.get(str(pointer[0]), {}) if pointer else tree
    return mapping if isinstance(mapping, dict) else {}


def _has_value(tree: Mapping[str, Any], pointer: Pointer) -> bool:
    return str(pointer[-1]) in _mapping_at(tree, pointer[:-1])


def _meant_places(parent: Pointer, key: str) -> list[Pointer]:
    """Return the keys that an unknown key may be meant for.

    Either the name is misspelt, or the key is in the wrong place.
    """
    known = [*CORE_KEYS, *((row.name,) for row in EXTENSIONS if row.section)]
    places = []
    for pointer in known:
        name = str(pointer[-1])
        is_similar = pointer[:-1] == parent and bool(did_you_mean(key, [name]))
        if is_similar or (len(pointer) == 2 and name == key):
            places.append(pointer)
    return places
