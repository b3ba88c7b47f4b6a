"""Complete configurations of schedulers that run `statuary tick` on time."""

import shlex
import shutil
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.base.primitives import Instant, format_utc
from statuary.cli.exit_codes import ExitCode

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)

BUILD_DUE = ExitCode.BUILD_DUE.value
"""The exit code of a tick that did its work; to repeat it would not build the site."""

RETRY_SECONDS = 300
"""Seconds between a scheduler's attempts."""


class Job(NamedTuple):
    """A scheduled job that runs `statuary tick`."""

    program: str  # statuary's program with an absolute path, quoted for a shell
    folder: Path  # the working folder, absolute
    out: Path  # the folder of the site

    @property
    def tick_command(self) -> str:
        """The shell command that updates the published status without a build."""
        return f"{self.program} tick --out {shlex.quote(str(self.out))}"

    def next_change_command(self, output_format: str) -> str:
        """Return the shell command that prints when the site changes next.

        Args:
            output_format: the value of the option `--as`, such as `at`.
        """
        return f"{self.program} next --out {shlex.quote(str(self.out))} --as {output_format}"

    @property
    def change_folder_command(self) -> str:
        """The shell command that changes to the working folder."""
        return f"cd {shlex.quote(str(self.folder))}"

    @property
    def repeat_tick_command(self) -> str:
        """The shell command that runs `statuary tick` until it succeeds.

        If it failed for good, no later run would be scheduled.
        """
        done = f"{{ {self.tick_command}; case $? in 0|{BUILD_DUE}) ;; *) false;; esac; }}"
        return f"until {self.change_folder_command} && {done}; do sleep {RETRY_SECONDS}; done"


def scheduled_job(out: Path, program: str | None, folder: Path | None, site: Path | None) -> Job:
    """Return a job that runs `statuary tick` on this or another machine.

    Args:
        out: the folder of the site on this machine.
        program: the path of statuary on the other machine; None for the one that runs now.
        folder: the working folder on the other machine; None for the current folder.
        site: the folder of the site on the other machine; None for `out`.
    """
    job = current_job(out)
    return Job(
        job.program if program is None else shlex.quote(program),
        job.folder if folder is None else folder,
        out if site is None else site,
    )


def current_job(out: Path) -> Job:
    """Return a job that runs `statuary tick` on this machine.

    The job uses this program, and the current folder as working folder.

    Args:
        out: the folder of the site.
    """
    program = shutil.which(sys.argv[0]) or shutil.which("statuary")
    is_script = program is not None and Path(program).name == "statuary"
    words = [str(Path(program).absolute())] if program and is_script else [sys.executable, "-m", "statuary"]
    return Job(shlex.join(words), Path.cwd(), out)


def round_up_to_minute(instant: Instant) -> Instant:
    """Round a time up to a full minute.

    Most schedulers cannot run a job at a given second.
    """
    whole_minute = instant.replace(second=0, microsecond=0)
    return instant if whole_minute == instant else Instant(whole_minute + MINUTE)


def round_up_to_second(instant: Instant) -> Instant:
    """Round a time up to a whole second."""
    whole_second = instant.replace(microsecond=0)
    return instant if whole_second == instant else Instant(whole_second + SECOND)


def _cron_file(_: Instant, job: Job) -> str:
    """Return `/etc/cron.d/statuary`, which runs `statuary tick` every five minutes.

    It does not name the time of the next change. cron would repeat it every year, and often knows only the time
    zone of the server. A run with nothing due takes less than a tenth of a second.
    """
    command = f"{job.change_folder_command} && {job.tick_command} > /dev/null"
    escaped = command.replace("%", "\\%")  # cron reads a bare % as a new line
    return f"# /etc/cron.d/statuary\n*/{RETRY_SECONDS // 60} * * * *  root  {escaped}"


def _systemd_units(instant: Instant, job: Job) -> str:
    """Return a systemd service, and the timer that starts it.

    Each run of the service replaces the timer, even if the run fails.
    """
    timer = "/etc/systemd/system/statuary-tick.timer"
    retry_command = (
        f"{job.next_change_command('systemd-timer')} > {timer}.new && mv {timer}.new {timer} && systemctl daemon-reload && "
        "systemctl restart statuary-tick.timer"
    )
    # systemd reads `%` as a specifier and `$` as a variable. Write each of them twice to get the character
    # itself.
    start, retry_command, folder = (
        text.replace("%", "%%").replace("$", "$$")
        for text in (job.tick_command, retry_command, str(job.folder))
    )
    return (
        "# /etc/systemd/system/statuary-tick.service\n"
        "[Unit]\nDescription=Update the status page to the current time\nStartLimitIntervalSec=0\n\n"
        f"[Service]\nType=oneshot\nWorkingDirectory={folder}\n"
        f"ExecStart={start}\nSuccessExitStatus={BUILD_DUE}\nRestart=on-failure\nRestartSec={RETRY_SECONDS}\n"
        f"ExecStopPost=-/bin/sh -c {_quote_for_systemd(retry_command)}\n\n"
        f"# {timer}\n{_systemd_timer(instant, job)}"
    )


def _quote_for_systemd(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _systemd_timer(instant: Instant, _: Job) -> str:
    return (
        "[Unit]\nDescription=The next change of the status page\n\n"
        f"[Timer]\nOnCalendar={round_up_to_second(instant):%Y-%m-%d %H:%M:%S} UTC\n"
        "AccuracySec=1s\nPersistent=true\nUnit=statuary-tick.service\n\n"
        "[Install]\nWantedBy=timers.target"
    )


def _at_command_line(instant: Instant, job: Job) -> str:
    """Return a shell line that submits a job to `at`.

    The job runs `statuary tick`, and then submits the job for the next change.
    """
    retry_command = (
        f'until next=$({job.next_change_command("at")}); do sleep {RETRY_SECONDS}; done; echo "$next" | sh'
    )
    command = f"{job.repeat_tick_command}; {retry_command}"
    return f"echo {shlex.quote(command)} | TZ=UTC at -t {round_up_to_minute(instant):%Y%m%d%H%M}"


def _github_workflow(instant: Instant, _: Job) -> str:
    minute = round_up_to_minute(instant)
    return f"""\
# .github/workflows/status-change.yml: start the workflow of the site when the status changes. Write it again after each
# change with `statuary next --as github`: the schedule repeats every year.
name: Status change

on:
  schedule:
    - cron: "{minute.minute} {minute.hour} {minute.day} {minute.month} *"
  workflow_dispatch:

permissions:
  actions: write

jobs:
  start:
    runs-on: ubuntu-latest
    steps:
      - run: gh workflow run site.yml --repo "$GITHUB_REPOSITORY"
        env:
          GH_TOKEN: ${{{{ github.token }}}}"""


FORMATS: dict[str, Callable[[Instant, Job], str]] = {
    "text": lambda moment, _: format_utc(round_up_to_second(moment)),
    "json": lambda moment, _: orjson.dumps({"next": format_utc(round_up_to_second(moment))}).decode(),
    "cron": _cron_file,
    "systemd": _systemd_units,
    "systemd-timer": _systemd_timer,
    "at": _at_command_line,
    "github": _github_workflow,
}
"""The formats of `statuary next --as`."""

CHAINS = frozenset({"systemd", "systemd-timer", "at"})
"""The formats whose runs schedule the next one, so that there must always be a next one."""

REPEATED = frozenset({"cron"})
"""The formats that run at fixed times, whether or not a change is known."""
