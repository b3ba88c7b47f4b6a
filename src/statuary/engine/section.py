"""A section: the part of an extension in checks, builds and ticks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from statuary.base.findings import Finding, Rule
    from statuary.base.primitives import Instant
    from statuary.base.progress import Progress
    from statuary.contracts.incremental.built_contracts import BuiltContracts
    from statuary.engine.extension_settings import ExtensionSource
    from statuary.publish.ledger.contract_rows import ContractRow
    from statuary.publish.target import BuildTarget
    from statuary.site.document import Document
    from statuary.site.operations import ApiDescription
    from statuary.site.pages.page_parts import PageParts, PreviousVersion
    from statuary.site.site_content import SiteContent
    from statuary.site.url_table import Url
    from statuary.status.model.timeline import Timeline
    from statuary.status.pages.pages import StatusPages

DocumentsAt = Callable[["Instant"], "Iterable[Document]"]
"""Returns the documents of an instant."""


class SectionResult(NamedTuple):
    """The additions of a section to a run."""

    # earlier published versions of updates, by update
    previous_versions: "Mapping[str, tuple[PreviousVersion, ...]]" = MappingProxyType({})
    # members that changes.json gets, by incident
    changes: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    findings: "tuple[Finding, ...]" = ()  # they never keep the status from being published
    line: str = ""  # of the summary; empty for none


EMPTY_RESULT = SectionResult()
"""What a section adds that has nothing to do."""


class Run(NamedTuple):
    """A check, a build or a tick, as sections see it."""

    instant: "Instant"
    target: "BuildTarget | None" = None  # None in a check
    to: str | None = None  # the further place that the site is published to
    root: "Path | None" = None  # the content folder; None in a tick
    site: "SiteContent | None" = None  # the content; None in a tick
    contracts: "BuiltContracts | None" = None  # None unless contracts were built in this run
    incidents: "Callable[[], Sequence[Document]]" = tuple  # returns those of all incidents and maintenances


class Section:
    """A part of a site; every method is optional.

    A section is made for one run, and may keep what its methods need of each other. If one of them fails, the run
    reports that at the section's key, keeps the documents of its last build, and continues with the other sections.
    """

    urls: "ClassVar[tuple[Url, ...]]" = ()  # its rows of the URL table
    parts: "ClassVar[PageParts | None]" = None  # what it adds to pages
    feeds: "ClassVar[tuple[Url, ...]]" = ()  # documents that openapi.json lists with the feeds

    def __init__(self, settings: Any, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Take the settings of the section's key, None without one, and the values of its options."""
        self.settings = settings
        self.options = options

    @classmethod
    def source(cls) -> "type[ExtensionSource] | None":
        """Return the model of the section's key in site.yaml.

        Returns:
            None if the core reads the key.
        """
        return None

    @classmethod
    def rules(cls) -> "Iterable[Rule]":
        """Return the section's rules, for `statuary check --list`."""
        return ()

    def findings(self, site: "SiteContent") -> "Iterable[Finding]":
        """Yield the faults of the section's content; an error stops the build."""
        return ()

    def check(self, run: Run, progress: "Progress") -> SectionResult | None:
        """Check what takes too long for every build; `statuary check` does."""

    def operations(self, example: "ContractRow | None") -> "Iterable[ApiDescription]":
        """Return the section's part of openapi.json and of the API page; `example` is a contract of the site."""
        return ()

    def config_documents(self, site: "SiteContent", skipped: "list[Finding]") -> "Iterable[Document]":
        """Yield the documents that depend on the settings alone; `skipped` gains why some cannot be made."""
        return ()

    def documents_at(
        self, timeline: "Timeline", start: "Instant", pages: "StatusPages | None"
    ) -> DocumentsAt:
        """Return a function that makes the documents that change with the status, of an instant from `start` on."""
        return lambda _: ()

    def build(self, run: Run) -> SectionResult | None:
        """Add all other documents to the target."""

    def finalize(self, run: Run) -> str:
        """Add the documents that depend on all others; return the section's line of the summary, or an empty one."""
        return ""

    def on_failure(self, run: Run, error: BaseException) -> None:
        """Add what tells readers of an error of `build` or `finalize`; all else that it added is taken back."""

    def on_published(self, run: Run) -> None:
        """Note that the target now holds the section's documents."""
