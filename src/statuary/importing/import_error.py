"""The errors of imports."""

from statuary.domain.errors import StatuaryError


class ContractImportError(StatuaryError):
    """The input cannot become a contract of the site."""


class SourceError(StatuaryError):
    """What an import reads is not there, or is not what it should be."""


class SourceUnavailableError(SourceError):
    """A server does not answer for now; the same import, run again later, continues where this one ends."""
