"""A section: a site's part in checks, builds and ticks.

The contracts and the status are sections, and so is each extension with documents. The engine knows them by the two
classes below, and they know each other by what they ask of a `Run`: a result, or a class that another one inherits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from statuary.base.progress import NoProgress, Progress
from statuary.workers.options import DEFAULT_EXECUTION, ExecutionOptions

if TYPE_CHECKING:
    from pathlib import Path

    from statuary.base.findings import Finding, Rule
    from statuary.base.primitives import Instant
    from statuary.publish.target import BuildTarget
    from statuary.site.document import Document
    from statuary.site.operations import ApiDescription
    from statuary.site.pages.page_parts import PageParts
    from statuary.site.site_content import SiteContent, SiteIdentity
    from statuary.site.urls import Url
    from statuary.source.content_files import ContentFiles
    from statuary.source.file_kinds import FileKind
    from statuary.source.source_model import SourceModel

Kind = TypeVar("Kind")


class CheckOptions(NamedTuple):
    """The checks that run, and their strictness."""

    checks: Sequence[Any] | None = None  # the checks of records; None for all
    skipped: frozenset[str] = frozenset()  # names of skipped status rules
    strict: bool = False


ALL_CHECKS = CheckOptions()
"""Every check; warnings do not keep the site from being published."""


class SectionResult(NamedTuple):
    """The additions of a section to a run."""

    values: tuple[object, ...] = ()  # what later sections may ask for, each by its type
    skipped: "tuple[Finding, ...]" = ()  # why documents are skipped; they never keep the rest from being published
    line: str = ""  # a line for the summary of a check; empty for none
    findings: "tuple[Finding, ...]" = ()  # about the content; a warning stops a strict build
    exclusion_reasons: "tuple[Finding, ...]" = ()  # why records are excluded
    excluded_count: int = 0  # the number of excluded records


@dataclass(slots=True, kw_only=True)
class Run:
    """A check, a build or a tick, as sections see it."""

    instant: "Instant"
    target: "BuildTarget"  # a check's target keeps no documents
    to: str | None = None  # the further place that the site is published to
    root: "Path | None" = None  # the content folder; None in a tick
    site: "SiteContent | None" = None  # the content, without excluded records; None in a tick
    is_check: bool = False  # whether nothing is published
    checks: CheckOptions = ALL_CHECKS
    execution: ExecutionOptions = DEFAULT_EXECUTION
    progress: Progress = field(default_factory=NoProgress)
    sections: "Sequence[Section]" = ()  # the sections that take part, in order
    results: list[object] = field(default_factory=list)  # the values of the sections so far

    def result(self, kind: type[Kind]) -> Kind | None:
        """Return an earlier section's result of a type, or None."""
        return next((value for value in self.results if isinstance(value, kind)), None)

    def answering(self, kind: type[Kind]) -> list[Kind]:
        """Return the sections that answer what another one asks: those that inherit a class."""
        return [section for section in self.sections if isinstance(section, kind)]


class Section:
    """A part of a site; every method is optional.

    A section is made for one run, and may keep what its methods need of each other. If one of them fails, the run
    reports that at the section's key, keeps the documents of its last build, and continues with the other sections.
    """

    urls: "ClassVar[tuple[Url, ...]]" = ()  # the section's rows of the URL table
    parts: "ClassVar[PageParts | None]" = None  # what it adds to pages

    def __init__(self, settings: Any = None, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Take the settings of the section's key, None without one, and the values of its options."""
        self.settings = settings
        self.options = options

    @classmethod
    def source(cls) -> "type[SourceModel] | None":
        """Return the model of the section's key in site.yaml, an `ExtensionSource`.

        Returns:
            None if the core reads the key.
        """
        return None

    @classmethod
    def rules(cls) -> "Iterable[Rule]":
        """Return the section's rules, for `statuary check --list`."""
        return ()

    def findings(self, run: Run) -> "Iterable[Finding]":
        """Yield the faults of the section's content; an error stops the build."""
        return ()

    def check(self, run: Run) -> SectionResult | None:
        """Check what takes too long for every build; `statuary check` does."""

    def operations(self, run: Run) -> "Iterable[ApiDescription]":
        """Return the section's part of openapi.json and of the API page."""
        return ()

    def config_documents(self, site: "SiteContent", skipped: "list[Finding]") -> "Iterable[Document]":
        """Yield the documents that depend on the settings alone; `skipped` gains why some cannot be made."""
        return ()

    def build(self, run: Run) -> SectionResult | None:
        """Add all other documents to the target."""

    def finalize(self, run: Run) -> SectionResult | None:
        """Add the documents that depend on all others; the result's line is one of the summary."""

    def on_failure(self, run: Run, error: BaseException) -> None:
        """Add what tells readers of an error of `build` or `finalize`; all else that it added is taken back."""

    def on_published(self, run: Run) -> None:
        """Note that the target now holds the section's documents."""


class ContentFolder(NamedTuple):
    """The files and settings that a section reads."""

    root: "Path"
    files: "ContentFiles"  # all files but contracts; gains findings about them
    has_contracts: bool  # whether the folder's own contracts are read
    source: str = ""  # the path of site.yaml
    settings: "SourceModel | None" = None  # the section's keys of site.yaml; None if site.yaml cannot be read
    language: str = ""  # of the pages
    extensions: tuple[tuple[str, tuple[object, ...]], ...] = ()  # key and settings of each that is enabled


class SectionContent(NamedTuple):
    """The content that a section has read."""

    value: object  # what `SiteContent.of` finds by its type
    page: "SiteIdentity | None" = None  # from the section that knows the name and the address of the site
    has_contracts: bool = False  # whether pages lead to contracts


class SoundContent(NamedTuple):
    """A site without what would stop a build, with reasons."""

    site: "SiteContent"
    findings: "Sequence[Finding]" = ()


class Outlook(NamedTuple):
    """The instants of a site's status."""

    unchanged_since: "Instant"  # the start of the present state
    next_transition: "Instant | None"  # when it next changes; None if not before the horizon
    horizon: "Instant | None"  # when the next build is due; None if nothing changes until the content does


class ApiFacts(NamedTuple):
    """A section's part of the API page and of openapi.json."""

    families: "Mapping[str, tuple[Url, ...]]" = MappingProxyType({})  # the endpoints of programs, by subject
    examples: Sequence[str] = ()  # paths of documents
    counts: Sequence[tuple[str, int]] = ()  # the contents: the key of a text, and its number
    chains: Sequence[tuple[str, str, int]] = ()  # title, id and number of contracts
    parameters: Mapping[str, Mapping[str, object]] = MappingProxyType({})  # schemas, by name in URL patterns


class ContentSection(Section):
    """A section that every site has: its contracts, or its status.

    Its errors are not kept from the others: an error of the content ends a build, and one of the target ends the run.
    """

    @classmethod
    def schemas(cls) -> "Mapping[str, tuple[FileKind, type[SourceModel] | None]]":
        """Return the kinds of its files by the names of their JSON Schemas; None is a record, its own format."""
        return {}

    def read(self, folder: ContentFolder) -> SectionContent | None:
        """Return what the section's settings and files say, or None if what a site needs cannot be read."""
        raise NotImplementedError

    def exclude_faults(self, run: Run, unread: "Sequence[Finding]") -> SoundContent | None:
        """Return the site without the records that cause errors.

        Args:
            unread: the findings about files of `SiteContent.unread`.

        Returns:
            None if the section leaves out nothing.
        """
        return None

    def outlook(self) -> Outlook | None:
        """Return the instants of the status, or None in other sections."""
        return None

    def config_inputs(self, site: "SiteContent") -> object:
        """Return all inputs of the section's documents of the settings, and of `api_facts`, except the program."""
        raise NotImplementedError

    def api_facts(self, site: "SiteContent") -> ApiFacts:
        """Return the section's part of the API page."""
        raise NotImplementedError
