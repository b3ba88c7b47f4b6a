"""Why a source is read and pressed: reasons are values, kept in the ledger for `statuary explain`."""

from enum import StrEnum


class RebuildReason(StrEnum):
    """Why a source was not left alone, as it is told."""

    NO_LEDGER = "there was no ledger of an earlier build"
    STATUARY = "statuary has changed"
    SETTINGS = "the settings have changed"
    NEW = "it is new"
    CHANGED = "it has changed"
    MISSING = "a document of it was missing or damaged"
