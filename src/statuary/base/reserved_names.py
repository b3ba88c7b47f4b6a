"""The names of files that Windows does not allow: a site built anywhere can be kept there."""

import re

DEVICES = r"(?i:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)"
"""The beginning of the name of a device, with any extension."""

_RESERVED = re.compile(rf"{DEVICES}|.*(?:[<>:\"\\|?*]|[. ]$)", re.DOTALL)


def is_reserved_name(name: str) -> bool:
    """Return whether Windows allows no file of this name: that of a device, a dot or space at the end, or a character."""
    return _RESERVED.match(name) is not None
