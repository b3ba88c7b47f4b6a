"""The errors of imports."""

from statuary.domain.errors import StatuaryError


class ContractImportError(StatuaryError):
    """The input cannot become a contract of the site."""


class SourceError(StatuaryError):
    """The source of an import does not exist, or is malformed."""


class SourceUnavailableError(SourceError):
    """A server does not respond at present; the same import, run again later, continues where this one ends."""
