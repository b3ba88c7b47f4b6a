"""The limits on bulk sources; exceeding one is a finding."""

from typing import Final

MAX_UNREADABLE_LINES: Final = 100
"""Unreadable lines of one range of a JSONL file, after which the rest of the range is skipped."""

MAX_EXPORT_EXPANSION: Final = 100
"""The largest ratio of an export's rows on disk to its files; about ten is usual."""

MIN_DISK: Final = 1 << 30
"""Bytes on disk that the rows of any export may take, in addition to those for its size."""

MAX_ROWS_PER_BYTE: Final = 1
"""Rows of a table per byte of its files: real rows have ids and hashes, which do not compress."""

MIN_ROWS: Final = 100_000
"""Rows that a table of any export may have, in addition to those for its size."""

MAX_BLANK: Final = 1 << 20
"""Bytes of blank lines in one range of a JSONL file, after which the rest of the range is skipped."""

MAX_SKIPPED: Final = 1 << 30
"""Bytes of a line beyond the largest record, after which the rest of the range is skipped."""
