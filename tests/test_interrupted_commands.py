"""Commands that write are killed, or calls of the system fail for them: every site is whole after the next run."""

import sys
from collections import Counter

import pytest

from benchmarks.interrupted_sites import CALLS, WEIGHTS, Trials, calls, kills
from support.random_runs import seeded, times
from support.requirements import require_program

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform != "linux", reason="needs fork and strace; to have them: Linux"),
]

KILLS = times(30)
"""How many commands are killed: 300 by STATUARY_LARGE_RUNS."""

PLACES = times(1)
"""At how many places of each call each command meets EIO and ENOSPC."""


def test_killed_commands_leave_whole_sites(tmp_path):
    trials = Trials(tmp_path, seeded("kills").randrange(1 << 30))
    killed = Counter(kills(trials, KILLS))
    print(dict(killed))
    assert (killed.total(), trials.bad, trials.tracebacks) == (KILLS, 0, 0)


def test_failed_calls_leave_whole_sites(tmp_path):
    require_program("strace", install=".ci/install-hosts")
    trials = Trials(tmp_path, seeded("calls").randrange(1 << 30))
    failed = Counter(calls(trials, PLACES))
    print(dict(failed))
    assert len({name.partition(",")[0] for name in failed}) >= len(WEIGHTS) - 1
    assert {name.rpartition(" ")[2] for name in failed} <= set(CALLS.split(","))
    assert (trials.bad, trials.tracebacks) == (0, 0)
