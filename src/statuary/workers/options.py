"""The options of running a build: executor and git state."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from statuary.workers.executor import Executor, InProcessExecutor

if TYPE_CHECKING:
    from statuary.source.git_state import GitQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """The options that affect how a build runs, but not its result."""

    executor: Executor = field(default_factory=InProcessExecutor)
    git: "GitQuery | None" = None  # a running query about the content; None compares files without git
    verify: bool = False  # whether every published file is read and compared with the ledger


DEFAULT_EXECUTION = ExecutionOptions()
"""Only this process, and the times of files."""
