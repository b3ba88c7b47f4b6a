"""`statuary next`: print when the published status changes next, for people and schedulers."""

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import click
import orjson

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant, now_option, out_option
from statuary.cli.output.plain_text import format_instant
from statuary.domain.primitives import Instant
from statuary.publishing.epoch_index import read_epoch_index

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def round_up_to_minute(moment: Instant) -> Instant:
    """Return the first whole minute that is not before an instant: most schedulers have no seconds."""
    whole = moment.replace(second=0, microsecond=0)
    return moment if whole == moment else Instant(whole + MINUTE)


def round_up_to_second(moment: Instant) -> Instant:
    """Return the first whole second that is not before an instant."""
    whole = moment.replace(microsecond=0)
    return moment if whole == moment else Instant(whole + SECOND)


def _json(moment: Instant) -> str:
    return orjson.dumps({"next": format_instant(moment)}).decode()


def _cron(moment: Instant) -> str:
    """Return a line for `/etc/cron.d`; it recurs every year, so replace it after each run."""
    minute = round_up_to_minute(moment)
    return f"CRON_TZ=UTC\n{minute.minute} {minute.hour} {minute.day} {minute.month} *  root  statuary tick"


def _systemd(moment: Instant) -> str:
    """Return a systemd timer unit; `systemd-run` takes its OnCalendar, too."""
    return (
        "[Timer]\n"
        f"OnCalendar={round_up_to_second(moment):%Y-%m-%d %H:%M:%S} UTC\n"
        "AccuracySec=1s\nPersistent=true\nUnit=statuary-tick.service\n\n"
        "[Install]\nWantedBy=timers.target"
    )


def _at(moment: Instant) -> str:
    """Return a shell line for the `at` command."""
    return f"echo 'statuary tick' | TZ=UTC at -t {round_up_to_minute(moment):%Y%m%d%H%M}"


def _github(moment: Instant) -> str:
    """Return the `on:` part of a GitHub Actions workflow; it recurs every year, so replace it in each run."""
    minute = round_up_to_minute(moment)
    return f'on:\n  schedule:\n    - cron: "{minute.minute} {minute.hour} {minute.day} {minute.month} *"'


FORMATS: dict[str, Callable[[Instant], str]] = {
    "text": format_instant,
    "json": _json,
    "cron": _cron,
    "systemd": _systemd,
    "at": _at,
    "github": _github,
}
"""The formats of `--as`."""


@click.command()
@out_option
@now_option
@click.option(
    "--as",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="The instant, or the configuration of a scheduler.",
)
def command(out: Path, now: Instant | None, form: str) -> None:
    """Print when the published status changes next, and `statuary tick` must run.

    Exits with 1 if no change is known; standard error says until when that holds.
    """
    index = read_epoch_index(out)
    due = index.next_after(build_instant(now))
    if due is None:
        until = format_instant(index.until)
        click.echo(f"no transition until {until}; run `statuary build` again by then", err=True)
        sys.exit(ExitCode.FINDINGS)
    click.echo(FORMATS[form](due))
    sys.exit(ExitCode.OK)
