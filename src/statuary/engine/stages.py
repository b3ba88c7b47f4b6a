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
from statuary.base.errors import REPORT, StatuaryError, described
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.extension_table import EXTENSIONS, Extension, load

if TYPE_CHECKING:
    from statuary.base.progress import Progress
    from statuary.contracts.incremental.built_contracts import BuiltContracts
    from statuary.engine.catalogue import Catalogue
    from statuary.publish.target import BuildTarget
    from statuary.site.document import Document
    from statuary.site.pages.page_parts import FormerVersion

FAILED = "working-extension"
"""The rule of findings about a stage that failed."""


class Additions(NamedTuple):
    """What stages add to a run."""

    # earlier published versions of updates, by update
    former: "Mapping[str, tuple[FormerVersion, ...]]" = MappingProxyType({})
    # members that changes.json gets, by incident
    changes: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    findings: tuple[Finding, ...] = ()  # they never keep the status from being published
    line: str = ""  # of the summary; empty for none


class SiteStage:
    """What an extension does in a run; each method may be left out."""

    def checked(self, root: Path, catalogue: "Catalogue", progress: "Progress") -> Additions | None:
        """Check what only the extension knows, after every rule; `root` is the content folder."""

    def extend(self, incidents: "Callable[[], Sequence[Document]]", *, contracts: bool) -> Additions | None:
        """Offer documents to the target, after everything that they may depend on.

        Args:
            incidents: returns the documents of all incidents and maintenances.
            contracts: whether this run may have changed contracts.
        """

    def complete(self) -> str:
        """Offer what depends on every other document, after those; return the line of the summary, empty for none."""
        return ""

    def failed(self, error: BaseException) -> None:
        """Offer what tells readers of an error of `extend` or `complete`, after all else that was offered is taken back."""

    def applied(self) -> None:
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

    def ask_for(self, extension: Extension) -> bool:
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
        self._told: SiteStage | None = None  # the stage that tells readers of its error

    def open(self, extension: Extension, inputs: StageInputs) -> None:
        """Open the stage of an extension."""

        def opened() -> SiteStage | None:
            open_stage: OpenStage = load(extension.stage, f"`{extension.key or extension.name}`")
            return open_stage(inputs)

        stage = self._result(extension, inputs, opened)
        if stage is not None:
            self._stages.append((extension, inputs, stage))

    def checked(self, root: Path, catalogue: "Catalogue", progress: "Progress") -> Additions:
        """Let every stage check the site."""
        return self._additions(lambda stage: stage.checked(root, catalogue, progress))

    def extend(self, incidents: Callable[[], "Sequence[Document]"], *, contracts: bool) -> Additions:
        """Let every stage offer its documents; `incidents` returns what `SiteStage.extend` takes, if there is a stage."""
        return self._additions(lambda stage: stage.extend(incidents, contracts=contracts), is_told=True)

    def complete(self) -> tuple[str, list[Finding]]:
        """Let every stage offer what depends on all documents; return the lines of the summary, and what went wrong."""
        earlier = len(self.findings)
        total = self._additions(lambda stage: Additions(line=stage.complete()), is_told=True)
        return total.line, self.findings[earlier:]

    def applied(self) -> list[Finding]:
        """Tell every stage that the target was changed; return what went wrong."""
        earlier = len(self.findings)
        self._additions(lambda stage: stage.applied())
        return self.findings[earlier:]

    def _additions(
        self, work: Callable[[SiteStage], Additions | None], *, is_told: bool = False
    ) -> Additions:
        total = Additions()
        for extension, inputs, stage in self._stages:
            self._told = stage if is_told else None
            result = self._result(extension, inputs, partial(work, stage))
            total = total if result is None else _together(total, result)
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
            message, hint = described(error), REPORT
            if isinstance(error, StatuaryError):
                message, hint = str(error), error.hint
            place = self._source if extension.key else ""
            pointer = (extension.key,) if place else ()
            self.findings.append(
                Finding(rule=FAILED, message=message, hint=hint, path=place, pointer=pointer, on_key=True)
            )
            if inputs.target is not None:
                for folder in extension.folders:
                    inputs.target.ledger.documents.keep_below(folder)
            if self._told is not None:
                self._told.failed(error)
            return None


def _together(first: Additions, second: Additions) -> Additions:
    return Additions(
        former={**first.former, **second.former},
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
        is_on = extension.key in settings if extension.key else options.ask_for(extension)
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


def without_stages(catalogue: "Catalogue") -> "Catalogue":
    """Return a site whose extensions that have a stage are off, but for those that make documents of records."""
    staged = {row.key for row in EXTENSIONS if row.stage and not row.of_record}
    others = tuple(pair for pair in catalogue.extensions if pair[0] not in staged)
    return catalogue._replace(extensions=others)


def remove_what_is_off(catalogue: "Catalogue", target: "BuildTarget", left_out: Iterable[Finding]) -> None:
    """Remove the documents of extensions that the content has no key for; keep those of one whose key a finding is about."""
    documents, faulty = target.ledger.documents, {finding.pointer[:1] for finding in left_out}
    for extension in EXTENSIONS:
        if extension.key and extension.key not in dict(catalogue.extensions):
            for folder in extension.folders:
                if (extension.key,) in faulty:
                    documents.keep_below(folder)
                else:
                    documents.remove_unless_offered(documents.below(folder))
