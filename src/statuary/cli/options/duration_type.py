"""Lengths of time on the command line."""

import re
from datetime import timedelta
from typing import Any

import click
from typing_extensions import override

PATTERN = re.compile(r"(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?")


class DurationType(click.ParamType[timedelta]):
    """A length of time such as `90m`, `2h` or `1d12h`."""

    name = "duration"

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        match = PATTERN.fullmatch(str(value))
        days, hours, minutes = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
        length = timedelta(days=days, hours=hours, minutes=minutes)
        if not length:
            self.fail(f"{value!r} is no length of time; write it like 90m, 2h or 1d12h", param, ctx)
        return length
