"""How a build does its work; the outcome is the same."""

from dataclasses import dataclass, field

from statuary.build.execution.executor import Executor, InProcessExecutor
from statuary.content.git_state import GitQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """How a build does its work.

    Attributes:
        git: git, which has been asked about the content; None looks at the files alone.
        verify: whether every published file is read and compared with the ledger.
    """

    executor: Executor = field(default_factory=InProcessExecutor)
    git: GitQuery | None = None
    verify: bool = False


DEFAULT_EXECUTION = ExecutionOptions()
"""This process alone, and the times of files."""
