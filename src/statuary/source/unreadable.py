"""The error for a file or part that cannot be read."""

from statuary.base.budget import BEYOND_LIMIT
from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding, Position

FIRST = Position(1, 1)


class UnreadableError(StatuaryError):
    """A content file cannot be read; the error becomes a finding for the user."""

    def __init__(
        self, message: str, hint: str = "", position: Position = FIRST, rule: str = "parse-error"
    ) -> None:
        super().__init__(message, hint)
        self.position = position  # where reading stopped
        self.rule = rule  # the rule of the finding

    def to_finding(self, path: str) -> Finding:
        """Convert the error to a finding, an error about a content file.

        Args:
            path: the path of the file that cannot be read.
        """
        return Finding(rule=self.rule, path=path, message=str(self), hint=self.hint, position=self.position)


class BeyondLimitError(UnreadableError):
    """A content file is too large, or otherwise exceeds a limit.

    The limits are in `base/limits.py`. If the file is an incident, a maintenance window or a page, a build
    leaves it out.
    """

    def __init__(self, message: str, hint: str = "", position: Position = FIRST) -> None:
        super().__init__(message, hint, position, BEYOND_LIMIT)
