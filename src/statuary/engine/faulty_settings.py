"""Replace faulty keys of site.yaml, so that they do not keep the status from being published."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
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


def _place_of(error: Finding) -> _Place:
    pointer = error.pointer
    if error.rule == "missing-key" and (not pointer or pointer in MAPPINGS):
        return _Place(pointer, lacks_keys=True)
    if error.rule == "unknown-key" and (len(pointer) == 1 or (len(pointer) == 2 and pointer[:1] in MAPPINGS)):
        return _Place(pointer[:-1], lacks_keys=True)
    return _Place(pointer[:2] if pointer[:2] in CORE_KEYS else pointer[:1])


@dataclass
class SettingsFallback:
    """Replaces faulty values of site.yaml by those of the last build, or by defaults.

    A build stops only if the last published value of a key is unknown, and `CORE_KEYS` or `EXTENSION_KEYS` says why
    its default is not acceptable.
    """

    last: Mapping[str, Any] = field(default_factory=dict)  # the settings of the last build
    needed: Container[Pointer] | None = None  # the keys that may stop the command; None for all
    is_strict: bool = False  # whether nothing is replaced
    settings: Tree = field(default_factory=dict)  # the settings that are used in the end
    left_out: set[str] = field(default_factory=set)  # the extensions that are left out
    _errors: dict[Finding, _Place] = field(default_factory=dict)
    _fates: dict[_Place, str] = field(default_factory=dict)  # what replaced each place
    _handled: set[_Place] = field(default_factory=set)  # the places replaced in a call of `replace_faulty`
    _before_reset: Tree | None = None  # the settings before all of them were replaced by the last ones

    @classmethod
    def of_command(cls) -> Self:
        """Return a fallback for a command that publishes nothing itself.

        Such a command has no last build whose settings could replace faulty ones.
        """
        return cls(needed=NAME_AND_ADDRESS)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The errors in site.yaml, each with the value that is used instead."""
        return tuple(Fault(error, self._fates[place]) for error, place in self._errors.items())

    def replace_faulty(self, tree: Tree | None, errors: Sequence[Finding]) -> Tree | Finding:
        """Replace the values in site.yaml that have errors.

        If the result has errors too, call the method again with it. A value that was already replaced then gets
        its next replacement.

        Args:
            tree: the values of site.yaml; None if it cannot be read.
            errors: the errors in these values.

        Returns:
            The settings, or the error that stops the command, with the reason.
        """
        copy = _copy_of(tree or {})
        tried = set(self._fates)
        self._handled.clear()
        for error in errors if tree is None else self._in_order(copy, errors):
            place = _Place(()) if tree is None else _place_of(error)
            is_first = place not in tried
            if is_first:
                self._errors[error] = place
            reason = self._replace(copy, place, error, is_first=is_first)
            if reason:
                lack = "there is no last published value and no safe default"
                if self.needed is not None:
                    lack = "the command cannot do without it"
                return replace(error, message=f"{error.message}; {lack}: {reason}")
        return copy

    def _in_order(self, tree: Tree, errors: Sequence[Finding]) -> list[Finding]:
        """Sort errors about unchanged values last: they may replace all settings."""
        return sorted(_with_places(errors), key=lambda error: self._is_unchanged(tree, _place_of(error)))

    def _is_unchanged(self, tree: Tree, place: _Place) -> bool:
        if place.lacks_keys or not place.pointer:
            return False
        value, last = (_value_at(settings, place.pointer) for settings in (tree, self.last))
        return value is not None and value == last

    def _replace(self, tree: Tree, place: _Place, error: Finding, *, is_first: bool) -> str:
        """Replace a part of the settings because of an error.

        Returns:
            Why the build stops; empty if it goes on.
        """
        is_repeated = place in self._handled
        self._handled.add(place)
        if place.lacks_keys and error.rule == "unknown-key":
            return self._remove_unknown(tree, place, str(error.pointer[-1]), is_first=is_first)
        if is_repeated:
            return ""  # another error has replaced it
        if place.lacks_keys or not place.pointer:
            return self._add_missing(tree, place, is_first=is_first)
        return self._replace_value(tree, place, is_first=is_first)

    def _remove_unknown(self, tree: Tree, place: _Place, key: str, *, is_first: bool) -> str:
        """Remove an unknown key, and add keys that are missing beside it.

        The added keys have their last published values.

        Returns:
            Why the build stops, if the key may be another's misspelling; empty if it goes on.
        """
        _mapping_at(tree, place.pointer).pop(key, None)
        if not self.last:
            self._fates[place] = "the key is ignored"
            meant = [
                pointer for pointer in _meant_places(place.pointer, key) if not _has_value(tree, pointer)
            ]
            return next(filter(None, map(self._stop_reason, meant)), "")
        return self._add_missing(tree, place, is_first=True) if is_first else ""

    def _add_missing(self, tree: Tree, place: _Place, *, is_first: bool) -> str:
        """Add missing keys to a mapping, with their last published values.

        Returns:
            Why the build stops; empty if it goes on.
        """
        if not self.last or not is_first:
            return CORE_KEYS[place.pointer or ("page",)]
        if not place.lacks_keys:  # the error is about the whole file
            _assign(tree, self.last)
            self._fates[place] = "all settings stay as last published"
            return ""
        current = _mapping_at(tree, place.pointer)
        missing = {k: value for k, value in _mapping_at(self.last, place.pointer).items() if k not in current}
        current.update(_copy_of(missing))
        names = ", ".join(f"`{'.'.join([*map(str, place.pointer), key])}`" for key in missing)
        if names:
            self._fates[place] = f"{names} {'stays' if len(missing) == 1 else 'stay'} as last published"
        else:
            self._fates[place] = "the key is ignored"
        return ""

    def _replace_value(self, tree: Tree, place: _Place, *, is_first: bool) -> str:
        """Replace a value by the last published one, or by its default.

        If it is the last published one, another key may contradict it, and all settings are replaced. If it is
        still faulty then, only this value is.

        Returns:
            Why the build stops; empty if it goes on.
        """
        key, known = str(place.pointer[-1]), _mapping_at(self.last, place.pointer[:-1])
        if not is_first or key not in known:
            return self._use_default(tree, place, is_known=key in known)
        if self._is_unchanged(tree, place):
            self._before_reset = self._before_reset or _copy_of(tree)
            self._fates[place] = "all settings stay as last published"
            _assign(tree, self.last)
        else:
            self._fates[place] = f"`{'.'.join(map(str, place.pointer))}` stays as last published"
            _mapping_at(tree, place.pointer[:-1])[key] = known[key]
        return ""

    def _use_default(self, tree: Tree, place: _Place, *, is_known: bool) -> str:
        """Remove a key from the settings, so that it has its default.

        Args:
            is_known: whether the last settings have the key.

        Returns:
            Why the build stops; empty if it goes on.
        """
        if self._before_reset is not None:
            _assign(tree, self._before_reset)
            self._before_reset = None
        key, parent = str(place.pointer[-1]), _mapping_at(tree, place.pointer[:-1])
        # without the key, a site that did not have it stays as last published
        reason = self._stop_reason(place.pointer) if is_known or not self.last else ""
        if not reason and key not in parent:
            return "nothing can replace it"
        parent.pop(key, None)
        name = ".".join(map(str, place.pointer))
        self._fates[place] = f"the default of `{name}` is used"
        if len(place.pointer) == 1 and extension_of(key):
            self.left_out.add(key)
            self._fates[place] = f"the build goes on without `{name}`"
        return reason

    def _stop_reason(self, pointer: Pointer) -> str:
        """Return the reason why a key must not have its default.

        Returns:
            The reason; empty if the default is acceptable.
        """
        if self.needed is not None and pointer not in self.needed:
            return ""
        return CORE_KEYS.get(pointer, EXTENSION_KEYS.get(str(pointer[0]), DEFAULT))


def _copy_of(tree: Mapping[str, Any]) -> Tree:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _assign(tree: Tree, settings: Mapping[str, Any]) -> None:
    tree.clear()
    tree.update(_copy_of(settings))


def _value_at(tree: Mapping[str, Any], pointer: Pointer) -> object:
    return _mapping_at(tree, pointer[:-1]).get(str(pointer[-1]))


def _mapping_at(tree: Mapping[str, Any], pointer: Pointer) -> Tree:
    mapping = tree.get(str(pointer[0]), {}) if pointer else tree
    return mapping if isinstance(mapping, dict) else {}


def _has_value(tree: Mapping[str, Any], pointer: Pointer) -> bool:
    return str(pointer[-1]) in _mapping_at(tree, pointer[:-1])


def _with_places(errors: Sequence[Finding]) -> Sequence[Finding]:
    """Leave out the error that only counts others, which a later call finds."""
    return [error for error in errors if error.pointer or error.rule == "missing-key"] or errors


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
