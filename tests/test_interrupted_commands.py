"""Commands that write are killed, or calls of the system fail for them: every site is whole after the next run."""

import re
import subprocess
import sys

import pytest

from support.interrupted_edits import CALLERS, EDITS, WEIGHTS
from support.interrupted_writes import WRITES
from support.object_stores import INSTALL, STORES
from support.random_runs import seeded, times
from support.requirements import CHECKOUT, require_program

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="needs fork and strace; to have them: Linux"),
]

KILLS = 30
"""Commands of each group that are killed; ten times as many by STATUARY_LARGE_RUNS."""

PLACES = 2
"""Places of each call of the system at which each command meets EIO and ENOSPC."""


@pytest.mark.parametrize("commands", [tuple(WEIGHTS), (*EDITS, *WRITES)], ids=["publishing", "editing"])
def test_killed_commands_never_damage_site(commands: tuple[str, ...]) -> None:
    options = [word for command in commands for word in ("--command", command)]
    assert run_campaign("kills", times(KILLS), *options) == times(KILLS)


@pytest.mark.parametrize("command", CALLERS)
def test_failing_system_calls_never_damage_site(command: str) -> None:
    require_program("strace", install=".ci/install-hosts")
    if command == "store":
        program = STORES / "moto/bin/moto_server"
        require_program(str(program), install=INSTALL)
    assert run_campaign("calls", times(PLACES), "--command", command) >= 2 * PLACES


def run_campaign(campaign: str, count: int, *options: str) -> int:
    """Run a campaign of which nothing may fail; return how much it tried."""
    seed = seeded(campaign).randrange(1 << 30)
    script = CHECKOUT / "tests/benchmarks/interrupted_sites.py"
    arguments = [campaign, "--times", str(count), "--seed", str(seed), *options]
    # a process of its own: what it forks would otherwise share the pipes and timers of pytest's worker
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    row = re.search(rf"\| {campaign} \| (\d+) \| 0 \| 0 \|", done.stdout)
    assert row, done.stdout
    return int(row[1])
