"""Every limit on what is read from content, in one place: beyond it the file gets a finding."""

LARGEST_SOURCE_FILE = 1 << 20
"""Bytes of one YAML or JSON file, and of one file of a theme."""

LARGEST_RECORD = 64 << 20
"""Bytes of one contract's file, or of its line in a bulk file; the largest measured record has 0.97 MB."""

MAX_NODES = 2_000_000
"""Values of one YAML file; an alias counts each time it is used."""

MAX_EXPANSION = 10
"""How many times its own size one YAML file expands to by its aliases, in characters and values."""

MAX_DEPTH = 200
"""Levels that one YAML file nests."""

MAX_RAW_DEPTH = 1_000
"""Levels of YAML text that libyaml composes safely; it crashes somewhere between 3,000 and 100,000."""

MAX_NUMBER_DIGITS = 18
"""Digits of a whole number that certainly fit 64 bits."""

MAX_QUOTED = 80
"""Characters of a wrong value that a message repeats."""

MAX_UNREADABLE_LINES = 100
"""Unreadable lines of one range of a JSONL file, after which the rest of the range is skipped."""

MAX_BLANK = 1 << 20
"""Bytes of blank lines in one range of a JSONL file, after which the rest of the range is skipped."""

MAX_SKIPPED = 1 << 30
"""Bytes of a line that is longer than a record, after which the rest of the range is skipped."""
