"""Stages: what extensions do when a site is checked, built or ticked.

A stage never holds up the news: its error becomes a finding at its key in site.yaml, and its documents of the last
build stay as they are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from statuary.base.budget import INTERRUPTIONS
from statuary.base.errors import BUG_REPORT_HINT, StatuaryError, describe_exception
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.registry import EXTENSIONS, Extension, load

if TYPE_CHECKING:
    from statuary.base.progress import Progress
    from statuary.contracts.incremental.built_contracts import BuiltContracts
    from statuary.engine.catalogue import Catalogue
    from statuary.publish.target import BuildTarget
    from statuary.site.document import Document
    from statuary.site.pages.page_parts import PreviousVersion

FAILED = "extension-error"
"""The rule of findings about a stage that failed."""


class SectionResult(NamedTuple):
    """What stages add to a run."""

    # earlier published versions of updates, by update
    previous_versions: "Mapping[str, tuple[PreviousVersion, ...]]" = MappingProxyType({})
    # members that changes.json gets, by incident
    changes: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    findings: tuple[Finding, ...] = ()  # they never keep the status from being published
    line: str = ""  # of the summary; empty for none


class SiteStage:
    """What an extension does in a run; each method may be left out."""

    def check(self, root: Path, catalogue: "Catalogue", progress: "Progress") -> SectionResult | None:
        """Check what only the extension knows, after every rule; `root` is the content folder."""

    def build(
        self, incidents: "Callable[[], Sequence[Document]]", *, contracts: bool
    ) -> SectionResult | None:
        """Offer documents to the target, after everything that they may depend on.

        Args:
            incidents: returns the documents of all incidents and maintenances.
            contracts: whether this run may have changed contracts.
        """

    def finalize(self) -> str:
        """Offer what depends on every other document, after those; return the line of the summary, empty for none."""
        return ""

    def on_failure(self, error: BaseException) -> None:
        """Offer what tells readers of an error of `build` or `finalize`, after all else that was offered is taken back."""

    def on_published(self) -> None:
        """Note that the target now holds what was offered."""


class StageInputs(NamedTuple):
    """What a stage is opened with."""

    settings: Any  # those of its key in site.yaml; None if they were not read
    options: Mapping[str, Any]  # its options of the command line, by parameter name
    instant: Instant  # of the run
    target: "BuildTarget | None" = None  # None in a check
    to: str | None = None  # where the site is published besides
    root: Path | None = None  # the content folder; None in a tick
    catalogue: "Catalogue | None" = None  # of it
    contracts: "BuiltContracts[Catalogue] | None" = None  # those of a build


OpenStage = Callable[[StageInputs], SiteStage | None]
"""The `stage` of an extension: opens it, or returns None if there is nothing to do."""


class ExtensionOptions(NamedTuple):
    """What the command line gives to extensions."""

    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # by extension and parameter name
    to: str | None = None

    def inputs(self, extension: Extension, instant: Instant, target: "BuildTarget | None") -> StageInputs:
        """Return what the stage of an extension is opened with, before its settings are known."""
        return StageInputs(None, self.options.get(extension.name, {}), instant, target, self.to)

    def is_requested(self, extension: Extension) -> bool:
        """Return whether an option of an extension was given."""
        return any(self.options.get(extension.name, {}).values())


NO_OPTIONS = ExtensionOptions()

Result = TypeVar("Result")


class Stages:
    """The open stages of a run; `findings` are their errors."""

    def __init__(self, source: str = "") -> None:
        self._source = source  # site.yaml, where the keys of extensions stand; empty in a tick
        self._stages: list[tuple[Extension, StageInputs, SiteStage]] = []
        self.findings: list[Finding] = []
        self._failing_hook: SiteStage | None = None  # the stage that tells readers of its error

    def open(self, extension: Extension, inputs: StageInputs) -> None:
        """Open the stage of an extension."""

        def opened() -> SiteStage | None:
            open_stage: OpenStage = load(extension.stage)
            return open_stage(inputs)

        stage = self._result(extension, inputs, opened)
        if stage is not None:
            self._stages.append((extension, inputs, stage))

    def check(self, root: Path, catalogue: "Catalogue", progress: "Progress") -> SectionResult:
        """Let every stage check the site."""
        return self._merged_results(lambda stage: stage.check(root, catalogue, progress))

    def build(self, incidents: Callable[[], "Sequence[Document]"], *, contracts: bool) -> SectionResult:
        """Let every stage offer its documents; `incidents` returns what `SiteStage.build` takes, if there is a stage."""
        return self._merged_results(
            lambda stage: stage.build(incidents, contracts=contracts), reports_errors=True
        )

    def finalize(self) -> tuple[str, list[Finding]]:
        """Let every stage offer what depends on all documents; return the lines of the summary, and what went wrong."""
        count_before = len(self.findings)
        total = self._merged_results(lambda stage: SectionResult(line=stage.finalize()), reports_errors=True)
        return total.line, self.findings[count_before:]

    def on_published(self) -> list[Finding]:
        """Tell every stage that the target was changed; return what went wrong."""
        count_before = len(self.findings)
        self._merged_results(lambda stage: stage.on_published())
        return self.findings[count_before:]

    def _merged_results(
        self, work: Callable[[SiteStage], SectionResult | None], *, reports_errors: bool = False
    ) -> SectionResult:
        total = SectionResult()
        for extension, inputs, stage in self._stages:
            self._failing_hook = stage if reports_errors else None
            result = self._result(extension, inputs, partial(work, stage))
            total = total if result is None else _merge_results(total, result)
        return total._replace(findings=(*self.findings, *total.findings))

    def _result(self, extension: Extension, inputs: StageInputs, work: Callable[[], Result]) -> Result | None:
        """Return the result of a stage's work; None after noting its error and taking back what it has offered."""
        try:
            return work()
        except BaseException as error:
            if isinstance(
                error, (*INTERRUPTIONS, click.UsageError)
            ):  # what a person typed is no error of the site
                raise
            message, hint = describe_exception(error), BUG_REPORT_HINT
            if isinstance(error, StatuaryError):
                message, hint = str(error), error.hint
            place = self._source if extension.key else ""
            pointer = (extension.key,) if place else ()
            self.findings.append(
                Finding(rule=FAILED, message=message, hint=hint, path=place, pointer=pointer, on_key=True)
            )
            if inputs.target is not None:
                for folder in extension.folders:
                    inputs.target.ledger.documents.retain_prefix(folder)
            if self._failing_hook is not None:
                self._failing_hook.on_failure(error)
            return None


def _merge_results(first: SectionResult, second: SectionResult) -> SectionResult:
    return SectionResult(
        previous_versions={**first.previous_versions, **second.previous_versions},
        changes={**first.changes, **second.changes},
        findings=first.findings + second.findings,
        line="\n".join(filter(None, (first.line, second.line))),
    )


def open_stages(
    root: Path,
    catalogue: "Catalogue",
    options: ExtensionOptions,
    instant: Instant,
    target: "BuildTarget | None" = None,
    *,
    contracts: "BuiltContracts[Catalogue] | None" = None,
) -> Stages:
    """Open the stages of the extensions that the content has a key for, or whose options were given."""
    stages, settings = Stages(catalogue.status.page_source), dict(catalogue.extensions)
    for extension in EXTENSIONS:
        is_on = extension.key in settings if extension.key else options.is_requested(extension)
        if extension.stage and is_on:
            inputs = options.inputs(extension, instant, target)
            inputs = inputs._replace(root=root, catalogue=catalogue, contracts=contracts)
            stages.open(extension, inputs._replace(settings=settings.get(extension.key)))
    return stages


def open_published_stages(options: ExtensionOptions, instant: Instant, target: "BuildTarget") -> Stages:
    """Open the stages of the extensions whose marker a published site has."""
    stages = Stages()
    for extension in EXTENSIONS:
        if extension.stage and extension.marker and target.published(extension.marker) is not None:
            stages.open(extension, options.inputs(extension, instant, target))
    return stages


def disable_hooks(catalogue: "Catalogue") -> "Catalogue":
    """Return a site whose extensions that have a stage are off, but for those that make documents of records."""
    staged = {row.key for row in EXTENSIONS if row.stage and not row.of_record}
    other_extensions = tuple(pair for pair in catalogue.extensions if pair[0] not in staged)
    return catalogue._replace(extensions=other_extensions)


def remove_disabled_documents(
    catalogue: "Catalogue", target: "BuildTarget", skipped: Iterable[Finding]
) -> None:
    """Remove the documents of extensions that the content has no key for; keep those of one whose key a finding is about."""
    documents, faulty = target.ledger.documents, {finding.pointer[:1] for finding in skipped}
    for extension in EXTENSIONS:
        if extension.key and extension.key not in dict(catalogue.extensions):
            for folder in extension.folders:
                if (extension.key,) in faulty:
                    documents.retain_prefix(folder)
                else:
                    documents.remove_unless_added(documents.paths_under(folder))
