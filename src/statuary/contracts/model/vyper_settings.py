"""The settings that each Vyper release accepts.

`vyper_settings.json` has the values by release; tests/support/vyper_settings.py makes it from runs of real
compilers.
"""

from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

import orjson

from statuary.base.json_values import Json, as_list
from statuary.system.files import read_file

TABLE: Final = Path(__file__).with_suffix(".json")

NAMES: Final = ("optimize", "evmVersion")
"""The settings that the table has."""


class SettingSupport(Enum):
    """Whether a compiler accepts a setting: yes, no, or unknown."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    """The release is not in the table, and no release there accepts the value."""


def vyper_setting_support(version: str, setting_name: str, setting_value: Json) -> SettingSupport:
    """Look up whether a Vyper release accepts a compiler setting's value.

    Args:
        version: the number of the release, such as `0.3.10`.
        setting_name: the name of the setting, one of `NAMES`.
        setting_value: the value in the compiler's input.

    Returns:
        `ACCEPTED` or `REJECTED`. If the release is not in the table: `ACCEPTED` if any known release
        accepts the value, else `UNKNOWN`.
    """
    table, spelled = _read_accepted_values(), orjson.dumps(setting_value)
    if version not in table:
        values = {accepted for row in table.values() for accepted in row.get(setting_name, ())}
        return SettingSupport.ACCEPTED if spelled in values else SettingSupport.UNKNOWN
    is_accepted = setting_name not in table[version] or spelled in table[version][setting_name]
    return SettingSupport.ACCEPTED if is_accepted else SettingSupport.REJECTED


@cache
def _read_accepted_values() -> dict[str, dict[str, frozenset[bytes]]]:
    table = orjson.loads(read_file(TABLE))
    return {
        release: {name: frozenset(map(orjson.dumps, as_list(values))) for name, values in row.items()}
        for release, row in table.items()
    }
