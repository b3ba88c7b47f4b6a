"""The exit codes of every command."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the shell is told."""

    DONE = 0
    """All went well; warnings may have been printed."""
    FINDINGS = 1
    """The content has errors (or warnings, with `--strict`); nothing was published."""
    USAGE = 2
    """The command was called wrongly (click's own code)."""
    REFUSED = 3
    """The target cannot take the site, a path is not allowed, or an edit is not safe; nothing was published."""
    INTERRUPTED = 130
    """Ctrl-C; the next build finishes what was begun."""
