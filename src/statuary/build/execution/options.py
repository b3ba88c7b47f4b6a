"""How a build is executed; the site does not depend on it."""

from dataclasses import dataclass, field

from statuary.build.execution.executor import Executor, InProcessExecutor
from statuary.content.git_state import GitQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """How a build is executed."""

    executor: Executor = field(default_factory=InProcessExecutor)
    git: GitQuery | None = None  # a running query about the content; None uses the files alone
    verify: bool = False  # whether every published file is read and compared with the ledger


DEFAULT_EXECUTION = ExecutionOptions()
"""This process alone, and the times of files."""
