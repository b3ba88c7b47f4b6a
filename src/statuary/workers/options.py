"""The options of a build's execution: its executor, and the state of git."""

from dataclasses import dataclass, field

from statuary.source.git_state import GitQuery
from statuary.workers.executor import Executor, InProcessExecutor


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """How a build is executed."""

    executor: Executor = field(default_factory=InProcessExecutor)
    git: GitQuery | None = None  # a running query about the content; None uses the files alone
    verify: bool = False  # whether every published file is read and compared with the ledger


DEFAULT_EXECUTION = ExecutionOptions()
"""This process alone, and the times of files."""
