"""What a build hands its documents to, whatever becomes of them: a folder's publication, or a snapshot's."""

from collections.abc import Iterable
from typing import Protocol

from statuary.documents.document import Document
from statuary.publishing.plan import Plan


class Target(Protocol):
    """Takes documents, shows what would change, and changes it.

    Attributes:
        dry_run: whether the plan is shown only.
    """

    dry_run: bool

    def offer(self, documents: Iterable[Document]) -> None:
        """Take documents into the site.

        Raises:
            PublishingRefused: if a path is unsafe or claimed twice.
        """

    def published(self, path: str) -> bytes | None:
        """Return what a path of the target holds before this build; None if there is nothing."""

    def plan(self) -> Plan:
        """Return what applying would change."""

    def apply(self) -> None:
        """Make the site be what was offered.

        Raises:
            PublishingRefused: if it cannot be; nothing was changed then.
        """
