"""Errors of publishing."""

from statuary.domain.errors import StatuaryError


class PublishingError(StatuaryError):
    """The target cannot take the site."""
