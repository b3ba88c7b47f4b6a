"""The protocol between the engine and the sections of a site.

The contracts and the status are sections, and so is each extension that makes documents. The engine calls the methods
of `Section` and `ContentSection`. A section knows no other by name: it asks its `Run` for an earlier section's result,
or for the sections that inherit a class such as `FollowsStatus`, and calls the methods of that class.
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
    from statuary.publish.ledger.known_files import KnownFiles
    from statuary.publish.target import BuildTarget
    from statuary.site.document import Document
    from statuary.site.operations import ApiDescription
    from statuary.site.pages.page_parts import PageParts
    from statuary.site.settings import ExtensionSettings
    from statuary.site.site_content import SiteContent, SiteIdentity
    from statuary.site.urls import Url
    from statuary.source.content_files import ContentFiles
    from statuary.source.file_kinds import FileKind
    from statuary.source.source_model import SourceModel

Kind = TypeVar("Kind")


class CheckOptions(NamedTuple):
    """The options of `statuary check` and `build`: skipped rules, and strictness."""

    skipped: frozenset[str] = frozenset()  # names of skipped rules
    strict: bool = False


ALL_CHECKS = CheckOptions()
"""Every check; warnings do not keep the site from being published."""


class SectionResult(NamedTuple):
    """The result of a section's `check` or `build`: values and findings."""

    values: tuple[object, ...] = ()  # results that later sections may ask for by type
    skipped: "tuple[Finding, ...]" = ()  # why documents are missing; the rest is still published
    line: str = ""  # a line of the summary; empty for none
    counts: tuple[str, ...] = ()  # what the summary of a build counts, such as "12 components"
    findings: "tuple[Finding, ...]" = ()  # faults in the content; an error stops the build
    exclusion_reasons: "tuple[Finding, ...]" = ()  # why records are excluded
    excluded_count: int = 0  # the number of excluded records


class FinalResult(NamedTuple):
    """The result of a section's `finalize`, which cannot stop the build."""

    skipped: "tuple[Finding, ...]" = ()  # why documents are missing; the rest is still published
    line: str = ""  # a line of the summary; empty for none


@dataclass(slots=True, kw_only=True)
class Run:
    """A check, build or tick in progress: its site, target and options."""

    instant: "Instant"
    target: "BuildTarget"  # a check's target keeps no documents
    to: str | None = None  # the further place that the site is published to
    root: "Path | None" = None  # the content folder; None in a tick
    site: "SiteContent | None" = None  # the content, without excluded records; None in a tick
    is_check: bool = False  # whether nothing is published
    checks: CheckOptions = ALL_CHECKS
    execution: ExecutionOptions = DEFAULT_EXECUTION
    progress: Progress = field(default_factory=NoProgress)
    sections: "Sequence[Section]" = ()  # the enabled sections, in the order in which they run
    results: list[object] = field(default_factory=list)  # the results of the sections that have run

    def result_of(self, kind: type[Kind]) -> Kind | None:
        """Return the value of a given type among the results of earlier sections.

        Returns:
            The value, or None if no section has returned one yet.
        """
        return next((value for value in self.results if isinstance(value, kind)), None)

    def sections_of(self, kind: type[Kind]) -> list[Kind]:
        """Return the enabled sections that inherit from a class.

        For example, `FollowsStatus` returns the sections whose documents change with the status.
        """
        return [section for section in self.sections if isinstance(section, kind)]


class Section:
    """Base class of a site's parts: status, contracts, and extensions.

    All methods are optional. `ContentSection.read` runs on an object of its own. One other object serves the
    rest of a build, so that methods may share values. Each step visits every section before the next begins:

    1. `exclude_faults`, `findings`, `build`; after each section's `build`, an error of the content ends the build
    2. `config_inputs`, and if it changed, `operations`, `api_facts` and `config_documents`
    3. `finalize`, `outlook`, and `on_published` if the site was published

    A check calls `exclude_faults`, `findings`, `check` and `outlook`; a tick `build`, `finalize` and
    `on_published`, of the status and of extensions that it recognizes by a published file.

    If `build` or `finalize` of an extension raises, its last documents stay, and the error becomes a finding at
    its key in site.yaml. So do the documents that `config_documents` or `FollowsStatus.documents_at` fails to
    make. If `findings`, `operations` or `on_published` raises, only what it returns or does is missing. Its import and constructor must not raise.
    """

    urls: "ClassVar[tuple[Url, ...]]" = ()  # the paths that the section publishes
    parts: "ClassVar[PageParts | None]" = None  # what the section adds to every page

    def __init__(self, settings: Any = None, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Create a section for one run.

        Args:
            settings: the settings from the section's key in site.yaml; None if there is no key.
            options: the values of the section's command-line options, by name.
        """
        self.settings = settings
        self.options = options

    @classmethod
    def settings_model(cls) -> "type[SourceModel] | None":
        """Return the model that validates the section's keys in site.yaml.

        A section is a part of statuary: the contracts, the status or an extension.

        Returns:
            The model: of an extension, an `ExtensionSource`. None if the section has no key, or statuary's core reads
            it.
        """
        return None

    @classmethod
    def rules(cls) -> "Iterable[Rule]":
        """Return the rules that the section checks, for `statuary check --list`."""
        return ()

    def findings(self, run: Run) -> "Iterable[Finding]":
        """Yield the errors and warnings about the section's content.

        An error stops the build, except if the build can leave out the file that has it.
        """
        return ()

    def check(self, run: Run) -> SectionResult | None:
        """Run the section's checks, except those that `findings` runs.

        `statuary check` calls this method instead of `build`.
        """

    def operations(self, run: Run) -> "Iterable[ApiDescription]":
        """Describe the section's documents for openapi.json and the API page."""
        return ()

    def config_documents(self, site: "SiteContent", skipped: "list[Finding]") -> "Iterable[Document]":
        """Yield the documents that depend only on settings and `config_inputs`.

        A document that cannot be made becomes a finding in `skipped`.
        """
        return ()

    def build(self, run: Run) -> SectionResult | None:
        """Add the section's documents to the site that is being built, such as the status page."""

    def finalize(self, run: Run) -> FinalResult | None:
        """Add the documents that depend on other sections, after `build` of all sections."""

    def on_failure(self, run: Run, error: BaseException) -> None:
        """Add a document that tells readers that `build` or `finalize` failed.

        The documents that the failed method added are discarded.
        """

    def on_published(self, run: Run) -> None:
        """Act after the site was published, such as by sending messages."""


class ContentFolder(NamedTuple):
    """The input of `ContentSection.read`."""

    root: "Path"
    files: "ContentFiles"  # all files except contracts; receives findings about them
    reads_contracts: bool  # whether the folder's contracts are read too
    source: str = ""  # the path of site.yaml
    settings: object = None  # the section's settings from site.yaml; None if site.yaml cannot be read
    language: str = ""  # the language of pages
    extensions: "ExtensionSettings" = ()
    known: "KnownFiles | None" = None  # the values of files in the last build; None reads every file


class SectionContent(NamedTuple):
    """The result of `ContentSection.read`."""

    value: object  # the section's content, which `SiteContent.of` finds by its type
    page: "SiteIdentity | None" = None  # the site's name and address, from the section that reads them
    has_contracts: bool = False  # whether pages lead to contracts


class FilteredSite(NamedTuple):
    """The site without the records that would stop a build."""

    site: "SiteContent"
    findings: "Sequence[Finding]" = ()  # why each record is excluded


class Outlook(NamedTuple):
    """The times of the next status change and of the next build."""

    unchanged_since: "Instant"  # when it last changed
    next_transition: "Instant | None"  # when it next changes; None if not before the horizon
    horizon: "Instant | None"  # when the next build is due; None if only new content changes it


class ApiFacts(NamedTuple):
    """A section's description for the API page, openapi.json and 404.html."""

    endpoints: "Mapping[str, tuple[Url, ...]]" = MappingProxyType({})  # the endpoints, by subject
    examples: Sequence[str] = ()  # paths of documents that the page links to
    counts: Sequence[tuple[str, int]] = ()  # a text's key, and the number of what it counts
    lookups: Sequence[tuple[str, str]] = ()  # text's key and path of pages that 404.html links to
    chains: Sequence[tuple[str, str, int]] = ()  # title, chain id and number of contracts
    parameters: Mapping[str, Mapping[str, object]] = MappingProxyType(
        {}
    )  # schemas of parameters, by their names in URL patterns


class ContentSection(Section):
    """Base class for contracts and status, which every site has.

    An exception that leaves `build` ends the run, as errors of the target do later. These sections therefore
    exclude faulty records and components themselves.
    """

    settings_type: ClassVar[type]  # the type of the settings that `settings_model` is converted to

    @classmethod
    def schemas(cls) -> "Mapping[str, tuple[FileKind, type[SourceModel] | None]]":
        """Return the kinds of files that the section reads, by schema name.

        Returns:
            The kind of file and its model. The model is None for contract records, which are validated as
            they are.
        """
        return {}

    def read(self, folder: ContentFolder) -> SectionContent | None:
        """Read the section's settings and files from the content folder.

        Returns:
            The content, or None if a file that every site needs cannot be read.
        """
        raise NotImplementedError

    def exclude_faults(self, run: Run, unread: "Sequence[Finding]") -> FilteredSite | None:
        """Exclude incidents or contracts that would stop the build.

        Args:
            unread: the findings about files that could not be read.

        Returns:
            The site without them, or None if nothing is excluded.
        """
        return None

    def outlook(self) -> Outlook | None:
        """Return the times of the next status change and build.

        Returns:
            The times, or None from a section without a status.
        """
        return None

    def config_inputs(self, site: "SiteContent") -> object:
        """Return everything that `config_documents` and `api_facts` depend on.

        If it equals the last build's, those documents are reused. The program itself is not part of it.
        """
        raise NotImplementedError

    def api_facts(self, site: "SiteContent") -> ApiFacts:
        """Describe the section for the API page, such as the URLs of its API calls."""
        raise NotImplementedError
