"""The error of every import."""

from statuary.domain.errors import StatuaryError


class ContractImportError(StatuaryError):
    """The input cannot become a contract of the site."""
