"""Which checks run and how strictly, and who does the work."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from statuary.content.git_state import GitQuery
from statuary.pipeline.executor import Executor, InProcessExecutor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from statuary.checks.contracts.check import ContractCheck


class CheckOptions(NamedTuple):
    """Which checks run, and how strictly."""

    checks: "Sequence[ContractCheck] | None" = None  # the checks of records; None for all
    skipped: frozenset[str] = frozenset()  # names of skipped status rules
    strict: bool = False


ALL_CHECKS = CheckOptions()
"""Every check; warnings do not keep the site from being published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """How a build is executed."""

    executor: Executor = field(default_factory=InProcessExecutor)
    git: GitQuery | None = None  # a running query about the content; None uses the files alone
    verify: bool = False  # whether every published file is read and compared with the ledger


DEFAULT_EXECUTION = ExecutionOptions()
"""This process alone, and the times of files."""
