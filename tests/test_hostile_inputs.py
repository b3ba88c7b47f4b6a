"""Hostile files of every kind: each ends with a message, in 512 MB of memory and 20 s of a processor."""

from pathlib import Path

import pytest

from support import hostile_content, hostile_inputs
from support.file_server import served
from support.limited_memory import run_limited
from support.packed_sites import require_zstd
from support.random_runs import seeded, times

pytestmark = pytest.mark.thorough

KINDS = hostile_inputs.KINDS | hostile_content.KINDS

INPUTS_OF_KIND = 23
"""Fifteen kinds make more than 300."""

DEFECTS = ("Traceback", "MemoryError", "defect of statuary", "internal-error")


@pytest.mark.parametrize("number", range(times(INPUTS_OF_KIND)))
@pytest.mark.parametrize("kind", KINDS)
def test_malformed_command_input_ends_with_message(kind: str, number: int, tmp_path: Path) -> None:
    require_zstd()
    arguments, stdin, site = KINDS[kind](tmp_path, seeded(f"hostile {kind} {number}"))
    if site is None:
        done = run_limited(*arguments, stdin=stdin, seconds=20)
    else:
        with served(site) as (url, _):
            done = run_limited(*(url if word == "URL" else word for word in arguments), seconds=20)
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert [word for word in DEFECTS if word in output] == [], output[-2000:]
    assert done.returncode in range(6), output[-2000:]
    assert len(output) < 100_000
