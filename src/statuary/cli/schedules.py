"""An instant as the line that makes a scheduler run something then; all of them in UTC."""

from collections.abc import Callable
from datetime import timedelta

import orjson

from statuary.cli.output.summary import format_instant
from statuary.domain.primitives import Instant

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def round_up_to_minute(moment: Instant) -> Instant:
    """Return the first whole minute not before an instant: most schedulers know no seconds."""
    return Instant(
        moment.replace(second=0, microsecond=0)
        + (MINUTE if moment.second or moment.microsecond else 0 * MINUTE)
    )


def round_up_to_second(moment: Instant) -> Instant:
    """Return the first whole second not before an instant."""
    return Instant(moment.replace(microsecond=0) + (SECOND if moment.microsecond else 0 * SECOND))


def text(moment: Instant) -> str:
    """Return the instant."""
    return format_instant(moment)


def json(moment: Instant) -> str:
    """Return `{"next": instant}`."""
    return orjson.dumps({"next": format_instant(moment)}).decode()


def cron(moment: Instant) -> str:
    """Return a crontab line for `/etc/cron.d`; it comes round every year, so renew it at each run."""
    minute = round_up_to_minute(moment)
    return f"CRON_TZ=UTC\n{minute.minute} {minute.hour} {minute.day} {minute.month} *  root  statuary tick"


def systemd(moment: Instant) -> str:
    """Return a systemd timer unit; `systemd-run` takes its OnCalendar too."""
    return (
        "[Timer]\n"
        f"OnCalendar={round_up_to_second(moment):%Y-%m-%d %H:%M:%S} UTC\n"
        "AccuracySec=1s\nPersistent=true\nUnit=statuary-tick.service\n\n"
        "[Install]\nWantedBy=timers.target"
    )


def at(moment: Instant) -> str:
    """Return a shell line for the `at` command."""
    return f"echo 'statuary tick' | TZ=UTC at -t {round_up_to_minute(moment):%Y%m%d%H%M}"


def github(moment: Instant) -> str:
    """Return the `on:` part of a GitHub Actions workflow; the run must renew it, since it comes round every year."""
    minute = round_up_to_minute(moment)
    return f'on:\n  schedule:\n    - cron: "{minute.minute} {minute.hour} {minute.day} {minute.month} *"'


SCHEDULES: dict[str, Callable[[Instant], str]] = {
    "text": text,
    "json": json,
    "cron": cron,
    "systemd": systemd,
    "at": at,
    "github": github,
}
"""The formats of `statuary next`."""
