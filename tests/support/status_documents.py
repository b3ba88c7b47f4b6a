"""The status documents and feeds of a catalogue at one instant."""

from statuary.documents.document import Document
from statuary.documents.feeds.feed_documents import FeedDocuments
from statuary.documents.status_api.epoch_documents import EpochLimits, EpochPlan, plan_epochs
from statuary.documents.status_api.status_documents import StatusDocuments
from statuary.domain.primitives import Instant
from statuary.domain.status.page import StatusSettings
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.timeline import build_timeline

DEFAULT_SETTINGS = StatusSettings()


def status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings = DEFAULT_SETTINGS
) -> list[Document]:
    """Return every status document at an instant."""
    return StatusDocuments(build_timeline(catalogue, at), settings).documents_at(at)


def feed_documents(catalogue: StatusCatalogue, at: Instant) -> list[Document]:
    """Return every feed, the calendar and every badge at an instant."""
    return FeedDocuments(build_timeline(catalogue, at)).documents_at(at)


def epochs_of(documents: StatusDocuments, at: Instant) -> EpochPlan:
    """Return the epochs of the status documents alone."""
    limits = EpochLimits(documents.timeline.until, documents.settings.max_epochs)
    return plan_epochs(documents.later_documents(at), documents.transitions(at), at, limits)
