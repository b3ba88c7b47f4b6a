"""The exit codes of every command."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command returns to the shell."""

    OK = 0
    """The command did its work; it may have printed warnings."""
    FINDINGS = 1
    """The content has errors (or warnings, with `--strict`), and nothing was published; a command that checks found faults."""
    USAGE = 2
    """The command line is wrong (click's own code)."""
    FAILED = 3
    """The target cannot take the site, a path is not allowed, or an edit is not safe; nothing was published."""
    PUBLISHED_WITH_FAULTS = 4
    """The site was published, except the documents that the findings name. Deploy it, and fix them."""
    INTERRUPTED = 130
    """Ctrl-C; the next build resumes this one."""
