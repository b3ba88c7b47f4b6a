"""File names that Windows reserves.

No site uses them, so it can be copied anywhere.
"""

import re

DEVICES = r"(?i:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)"
"""A device's name, with any extension."""

_RESERVED = re.compile(rf"{DEVICES}|.*(?:[<>:\"\\|?*]|[. ]$)", re.DOTALL)


def is_reserved_name(name: str) -> bool:
    """Return whether Windows forbids a file name.

    Windows forbids the names of devices, some characters, and a dot or space at the end.
    """
    return _RESERVED.match(name) is not None
