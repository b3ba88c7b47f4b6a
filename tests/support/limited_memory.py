"""The command in a process of its own whose memory is limited."""

import resource
import subprocess
import sys

MEMORY = 512 << 20
"""Bytes of address space."""

SECONDS = 300
"""After this a run is taken for endless: far more than any takes, so that a busy machine fails no test."""


def run_limited(
    *arguments: object, stdin: bytes = b"", seconds: int = SECONDS
) -> subprocess.CompletedProcess[bytes]:
    """Run `statuary` with arguments, in 512 MB.

    Args:
        seconds: of a processor, after which the system ends it.
    """
    return subprocess.run(
        [sys.executable, "-m", "statuary", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=SECONDS,
        preexec_fn=lambda: _limit(seconds),
    )


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
