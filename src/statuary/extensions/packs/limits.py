"""Limits on the sizes of packs."""

from typing import Final

from statuary.publish.folder.reader import LARGEST_DOCUMENT
from statuary.site.settings import HOST_LIMITS

FRAME_SIZE: Final = 128 << 10
"""Bytes of documents in a frame before compression, unless one document alone has more."""

FRAME_DOCUMENTS: Final = 1024
"""Documents in a frame: only removals are so small that the limit matters. The entries of a leaf stay below `MAX_LEAF`."""

FRAMES_OF_LEAF: Final = 256
"""Frames that a leaf of the index lists: some 15 kB."""

DICTIONARY_SIZE: Final = 112 << 10
"""Bytes of text that every frame may repeat from, as the zstd program has by default."""

DICTIONARY_SHARE: Final = 64
"""The minimum ratio of a pack's documents to its dictionary: a small pack has a small one, or none."""

SAMPLE_SIZE: Final = 12 << 20
"""Bytes of the documents that a dictionary is made from."""

SAMPLE_COUNT: Final = 4096
"""The largest number of documents that a dictionary is made from."""

MAX_FRAME: Final = LARGEST_DOCUMENT + (1 << 20)
"""Bytes of a frame, compressed or not: that of the largest document, and its keys."""

MAX_LEAF: Final = 4 << 20
"""Bytes of a leaf, compressed or not."""

MAX_END: Final = 16 << 20
"""Bytes of the end of a pack (dictionary and head), compressed or not: enough for some 20 million frames."""

MAX_DICTIONARY: Final = 1 << 20
"""Bytes of a dictionary, compressed or not."""

MAX_COUNT: Final = 1 << 53
"""Every number in a pack is less: JavaScript holds no more exactly."""

KEPT_LEAVES: Final = 64
"""Leaves that a reader keeps in memory."""

MAX_PACKS: Final = 100_000
"""Packs of one list."""

MAX_LIST: Final = 64 << 20
"""Bytes of a list of packs."""

PUBLISHED_SIZE: Final = min(limits.file_size for limits in HOST_LIMITS.values() if limits.file_size)
"""Bytes of a pack that a build publishes, unless one document alone has more: every host accepts a file of this size."""
