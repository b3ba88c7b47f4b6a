"""Commands that write are killed, or calls of the system fail for them: every site is whole after the next run."""

import re
import subprocess
import sys

import pytest

from support.random_runs import seeded, times
from support.requirements import CHECKOUT, require_program

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="needs fork and strace; to have them: Linux"),
]

CAMPAIGNS = {
    "kills": 30,  # commands; 300 by STATUARY_LARGE_RUNS
    "calls": 1,  # places of each call at which each command meets EIO and ENOSPC
}


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_interrupted_commands_leave_whole_sites(campaign: str) -> None:
    if campaign == "calls":
        require_program("strace", install=".ci/install-hosts")
    seed = seeded(campaign).randrange(1 << 30)
    script = CHECKOUT / "tests/benchmarks/interrupted_sites.py"
    options = [campaign, "--times", str(times(CAMPAIGNS[campaign])), "--seed", str(seed)]
    # a process of its own: what it forks would otherwise share the pipes and timers of pytest's worker
    done = subprocess.run([sys.executable, script, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    row = re.search(rf"\| {campaign} \| (\d+) \| 0 \| 0 \|", done.stdout)
    assert row, done.stdout
    assert int(row[1]) >= CAMPAIGNS[campaign]
