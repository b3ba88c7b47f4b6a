"""The exit codes of every command."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of commands."""

    OK = 0
    """The command did its work; it may have printed warnings."""
    FINDINGS = 1
    """The content has errors (or warnings, with `--strict`) and was not published, or a check found faults."""
    USAGE = 2
    """The command line is wrong (click's own code)."""
    FAILED = 3
    """The target cannot store the site, a path is not allowed, or an edit is not safe. Nothing was published, except by
    `publish`, which continues when it runs again."""
    PUBLISHED_WITH_FAULTS = 4
    """The site was published, except the documents that the findings name. Deploy it, and fix them."""
    BUILD_DUE = 5
    """The site is up to date, but the time that the last build covers has ended. Build it again."""
    TARGET_FAILED = 6
    """The folder has the new site, but the target of `--to` lacks it, or a part of it. Run the command again."""
    INTERRUPTED = 130
    """Ctrl-C; the next build resumes this one."""
