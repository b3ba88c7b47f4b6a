"""The compiler settings that solc repeats in its metadata.

`solc_settings.json` says how each release writes them; tests/support/solc_settings.py makes it from runs of
real compilers.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.contracts.model.compiler import CompilerVersion, parse_compiler_version
from statuary.system.files import read_file

TABLE: Final = Path(__file__).with_suffix(".json")
"""Each release's behaviour, as changes from the one before; the last row is the newest known release."""

_GROUPS: Final = ("optimizer", "metadata", "debug")
_DETAILS: Final = "details"
_YUL_DETAILS: Final = "yulDetails"
_STEPS: Final = "optimizerSteps"
_TARGET: Final = "compilationTarget"
_DEFAULT_RUNS: Final = 200


class SolcRelease(NamedTuple):
    """The rules by which a solc release writes settings into metadata.

    A setting inside a group is named `group.setting`.
    """

    always: Mapping[str, Json]  # the settings that metadata always has, with their defaults
    unless_default: Mapping[str, Json]  # settings that metadata has only if they differ from this default
    details: Mapping[str, tuple[bool, bool, bool]] | None
    """The defaults of each optimizer part if `enabled` is absent, false or true.

    The value is None for a release without the setting `details`.
    """
    yul_details: Mapping[str, Json]  # the defaults of `yulDetails`
    empty_yul_details: bool  # whether metadata has empty `yulDetails` although the Yul optimizer is off
    cleanup: str  # the optimizer steps that are added if they lack a colon
    library_paths: bool  # whether libraries are named with their path
    runs_need_enabled: bool  # whether `runs` is ignored if `enabled` is absent
    runs_modulo: int  # 0 if `runs` is written as given
    known: frozenset[str] | None  # the settings of the input; None if unknown ones are ignored


class SettingDifference(NamedTuple):
    """A compiler setting that solc would write differently into metadata.

    An absent value is None.
    """

    name: str
    in_metadata: Json
    in_input: Json


def setting_differences(
    metadata: Mapping[str, Json], input_settings: Mapping[str, Json], version: str
) -> list[SettingDifference]:
    """Find settings in Solidity metadata that solc would write differently.

    Such a difference shows that the metadata or the settings were changed. solc's behaviour comes from a table of its
    releases. For a newer release, defaults and unknown settings are not compared.

    Args:
        metadata: the settings in the record's metadata.
        input_settings: the settings in the compiler's input.
        version: the record's `compilation.compilerVersion`.
    """
    own = {name: value for name, value in metadata.items() if name != _TARGET}
    try:
        texts = orjson.dumps(own, option=_AS_KEY), orjson.dumps(input_settings, option=_AS_KEY)
    except TypeError:  # orjson raises a TypeError for numbers that keep their spelling, or too deep nesting
        return _find_setting_differences(own, input_settings, version)
    if len(texts[0]) + len(texts[1]) > LONGEST_REMEMBERED:
        return _find_setting_differences(own, input_settings, version)
    return _cached_setting_differences(*texts, version)


_AS_KEY: Final = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS

LONGEST_REMEMBERED: Final = 4_000
"""Bytes of settings whose differences are remembered: most contracts have the settings of many others."""


@lru_cache(maxsize=1024)
def _cached_setting_differences(metadata: bytes, settings: bytes, version: str) -> list[SettingDifference]:
    return _find_setting_differences(orjson.loads(metadata), orjson.loads(settings), version)


def _find_setting_differences(
    metadata: Mapping[str, Json], settings: Mapping[str, Json], version: str
) -> list[SettingDifference]:
    number = parse_compiler_version(version)
    newest, release = _read_release_table()[-1]
    if number > newest:
        found = _compare_with_release(metadata, settings, release)
        return [one for one in found if not _may_come_from_newer_release(one.name, metadata, settings)]
    found = _compare_with_release(metadata, settings, _newest_release_up_to(number))
    if found and not number.released:
        later = _compare_with_release(
            metadata, settings, _newest_release_up_to(number._replace(released=True))
        )
        found = min(found, later, key=len)
    return found


def default_evm_version(version: str) -> str:
    """Return the EVM version that a solc version uses by default.

    Returns:
        The name, such as `paris`; empty if the solc version is newer than the table of releases.
    """
    number = parse_compiler_version(version)
    is_known = number <= _read_release_table()[-1][0]
    return as_text(_newest_release_up_to(number).always.get("evmVersion")) or "byzantium" if is_known else ""


def _may_come_from_newer_release(
    setting_name: str, metadata: Mapping[str, Json], settings: Mapping[str, Json]
) -> bool:
    group, _, _ = setting_name.partition(".")
    if group == "evmVersion":
        return group not in settings
    if group == "optimizer":
        return any(_DETAILS in as_object(given.get(group)) for given in (metadata, settings))
    _, newest = _read_release_table()[-1]
    return setting_name not in {*newest.always, *newest.unless_default, "libraries", "remappings"}


@cache
def _read_release_table() -> list[tuple[CompilerVersion, SolcRelease]]:
    """Return the releases that changed how metadata lists settings, and the newest.

    A release between two of them works like the older one. The oldest is first.
    """
    table = orjson.loads(read_file(TABLE))
    row: dict[str, Json] = {}
    listed = []
    for version, changes in table.items():
        row |= changes
        listed.append((parse_compiler_version(version), parse_release_row(row)))
    return listed


def clear_table_cache() -> None:
    """Make the next call read the table of solc releases again.

    Call it after changing the table's file.
    """
    _read_release_table.cache_clear()
    _newest_release_up_to.cache_clear()
    _cached_setting_differences.cache_clear()


def parse_release_row(table_row: Mapping[str, Json]) -> SolcRelease:
    """Parse the rules for settings of a solc release.

    Args:
        table_row: the release's row in the JSON table, with the members that older rows set.
    """
    details, known = table_row["details"], table_row["known"]
    values = {
        name: (bool(unset), bool(off), bool(on))
        for name, (unset, off, on) in ((name, as_list(three)) for name, three in as_object(details).items())
    }
    return SolcRelease(
        always=as_object(table_row["always"]),
        unless_default=as_object(table_row["unless_default"]),
        details=None if details is None else values,
        yul_details=as_object(table_row["yul_details"]),
        empty_yul_details=bool(table_row["empty_yul_details"]),
        cleanup=as_text(table_row["cleanup"]),
        library_paths=bool(table_row["library_paths"]),
        runs_need_enabled=bool(table_row["runs_need_enabled"]),
        runs_modulo=int(str(table_row["runs_modulo"])),
        known=None if known is None else frozenset(map(as_text, as_list(known))),
    )


@lru_cache(maxsize=256)
def _newest_release_up_to(version: CompilerVersion) -> SolcRelease:
    listed = _read_release_table()
    return next((release for since, release in reversed(listed) if version >= since), listed[0][1])


def _compare_with_release(
    metadata: Mapping[str, Json], settings: Mapping[str, Json], release: SolcRelease
) -> list[SettingDifference]:
    own = _flatten_settings(metadata)
    derived = _flatten_settings(metadata_settings(settings, release))
    found = [
        SettingDifference(name, own.get(name), derived.get(name))
        for name in sorted(own.keys() | derived.keys())
        if not _are_equal_settings(own.get(name), derived.get(name))
    ]
    refused = set() if release.known is None else settings.keys() - release.known
    refused |= {name for name in _GROUPS if not isinstance(settings.get(name, {}), dict)}
    return [*found, *(SettingDifference(name, None, settings[name]) for name in sorted(refused))]


def _flatten_settings(settings: Mapping[str, Json]) -> dict[str, Json]:
    flat: dict[str, Json] = {}
    for name, value in settings.items():
        if name in _GROUPS and isinstance(value, dict):
            flat |= {f"{name}.{member}": held for member, held in value.items()}
        elif name == "remappings":
            flat[name] = _metadata_remappings(value)
        elif name == "libraries":
            flat[name] = {path: as_text(address).lower() for path, address in as_object(value).items()}
        elif name != _TARGET:
            flat[name] = value
    return flat


def _are_equal_settings(value: Json, other_value: Json) -> bool:
    if isinstance(value, dict | list) and type(value) is type(other_value):
        return _canonical_json(value) == _canonical_json(other_value)
    return type(value) is type(other_value) and bool(value == other_value)


def _canonical_json(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def metadata_settings(settings: Mapping[str, Json], release: SolcRelease) -> dict[str, Json]:
    """Return compiler settings as a solc release writes them into metadata.

    The member `compilationTarget` is omitted.

    Args:
        settings: the settings in the compiler's input.
        release: how the release writes settings.
    """
    written: dict[str, Json] = {}
    for name, default in release.always.items():
        _set_setting(written, name, _setting_or_default(settings, name, default))
    for name, default in release.unless_default.items():
        value = _setting_or_default(settings, name, default)
        if not _are_equal_settings(value, default):
            _set_setting(written, name, value)
    written["optimizer"] = _metadata_optimizer(settings.get("optimizer"), release)
    written["libraries"] = _metadata_libraries(settings.get("libraries"), with_paths=release.library_paths)
    written["remappings"] = _metadata_remappings(settings.get("remappings"))
    return written


def _setting_or_default(settings: Mapping[str, Json], dotted_name: str, default: Json) -> Json:
    group, _, member = dotted_name.rpartition(".")
    value = (as_object(settings.get(group)) if group else settings).get(member)
    return default if value is None else value


def _set_setting(settings: dict[str, Json], dotted_name: str, value: Json) -> None:
    group, _, member = dotted_name.rpartition(".")
    if group:
        settings[group] = {**as_object(settings.get(group)), member: value}
    else:
        settings[member] = value


def _metadata_optimizer(optimizer_setting: Json, release: SolcRelease) -> Json:
    # The setting has details only if they differ from both presets.
    if not isinstance(optimizer_setting, dict):
        return {"enabled": False, "runs": _DEFAULT_RUNS}
    enabled = optimizer_setting.get("enabled")
    runs = _metadata_optimizer_runs(optimizer_setting, release)
    if release.details is None:
        return {"enabled": bool(enabled), "runs": runs}
    details = _metadata_optimizer_details(enabled, as_object(optimizer_setting.get(_DETAILS)), release)
    for preset in (False, True):
        if _are_equal_settings(details, _metadata_optimizer_details(preset, {}, release)):
            return {"enabled": preset, "runs": runs}
    return {_DETAILS: details, "runs": runs}


def _metadata_optimizer_runs(optimizer_setting: Mapping[str, Json], release: SolcRelease) -> Json:
    runs = optimizer_setting.get("runs")
    if runs is None or (optimizer_setting.get("enabled") is None and release.runs_need_enabled):
        runs = _DEFAULT_RUNS
    if type(runs) is int and release.runs_modulo and runs > 0:
        runs %= release.runs_modulo
    return runs


def _metadata_optimizer_details(
    enabled: Json, given_details: Mapping[str, Json], release: SolcRelease
) -> dict[str, Json]:
    column = 0 if enabled is None else 2 if enabled else 1
    details: dict[str, Json] = {name: values[column] for name, values in (release.details or {}).items()}
    details |= {name: value for name, value in given_details.items() if name != _YUL_DETAILS}
    yul_details = _metadata_yul_details(given_details, release)
    if details.get("yul"):
        details[_YUL_DETAILS] = {**release.yul_details, **yul_details}
    elif yul_details or release.empty_yul_details:
        details[_YUL_DETAILS] = yul_details
    return details


def _metadata_yul_details(given_details: Mapping[str, Json], release: SolcRelease) -> dict[str, Json]:
    yul_details = dict(as_object(given_details.get(_YUL_DETAILS)))
    steps = yul_details.get(_STEPS)
    if isinstance(steps, str) and ":" not in steps:
        yul_details[_STEPS] = steps + release.cleanup
    return yul_details


def _metadata_libraries(libraries_setting: Json, *, with_paths: bool) -> Json:
    # In a release without paths, the last path in order decides.
    flat: dict[str, Json] = {}
    for path, addresses in sorted(as_object(libraries_setting).items()):
        for name, address in as_object(addresses).items():
            digits = as_text(address).lower().removeprefix("0x")
            flat[f"{path}:{name}" if with_paths else name] = f"0x{digits}"
    return flat


def _metadata_remappings(remappings_setting: Json) -> Json:
    # The context may be empty: `a=b` becomes `:a=b`.
    if not isinstance(remappings_setting, list):
        return [] if remappings_setting is None else remappings_setting
    texts = [as_text(one) for one in remappings_setting]
    return sorted({text if ":" in text.partition("=")[0] else f":{text}" for text in texts if "=" in text})
