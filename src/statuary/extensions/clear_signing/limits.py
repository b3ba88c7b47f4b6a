"""Limits on descriptors: each is far above what the public registry needs."""

from typing import Final

LARGEST_DESCRIPTOR: Final = 4 << 20
"""Bytes of a file; the largest one in the public registry has 0.5 MB."""

MAX_FILES: Final = 50_000
"""Files below the folder."""

MAX_INCLUDES: Final = 8
"""Levels of files that include each other; real ones have one."""

MAX_FIELDS: Final = 20_000
"""Fields of a descriptor with its includes; the largest real one has about 3,000."""

MAX_GROUPS: Final = 16
"""Levels of groups of fields; wallets support one."""

MAX_KEY: Final = 20_000
"""Characters of a function or a type in a key of `formats`."""

MAX_PATH: Final = 1_000
"""Characters of a path."""

MAX_DEPLOYMENTS: Final = 2_000
"""Deployments of a descriptor; the largest real one has about 110."""

STEPS_OF_A_FORMAT: Final = 250
"""Steps (`base/budget.py`) of a format at a deployment, in rules and proof. The limit allows 40,000 pairs of both; the
largest real descriptor has about 6,300.
"""

MAX_FACETS: Final = 256
"""Implementations of a proxy whose records are read; further ones are ignored."""

MAX_SHOWN: Final = 20
"""Findings of one rule about one descriptor or deployment."""

MAX_EARLIER_PROOFS: Final = 20
"""Earlier proofs that a proof names."""

MAX_CALLS: Final = 4
"""Levels of calls within calls that are rendered."""

MAX_RENDERED: Final = 2_000
"""Lines of a rendered call."""
