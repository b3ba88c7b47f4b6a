"""Stages: what extensions do when a site is checked, built or ticked.

A stage never holds up the news: its error becomes a finding at its key in site.yaml, and its documents of the last
build stay as they are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from statuary.domain.errors import StatuaryError
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.extension_table import EXTENSIONS, Extension, load

if TYPE_CHECKING:
    from statuary.documents.document import Document
    from statuary.domain.catalogue import Catalogue
    from statuary.pipeline.progress import Progress
    from statuary.publishing.folder.folder_target import FolderTarget


class Additions(NamedTuple):
    """What stages add to a run."""

    findings: tuple[Finding, ...] = ()  # they never keep the status from being published
    line: str = ""  # of the summary; empty for none


class SiteStage:
    """What an extension does in a run; each method may be left out."""

    def checked(self, root: Path, catalogue: "Catalogue", progress: "Progress") -> Additions | None:
        """Check what only the extension knows, after every rule; `root` is the content folder."""

    def extend(self, incidents: "Sequence[Document]", *, contracts: bool) -> Additions | None:
        """Offer documents to the target, after everything that they may depend on.

        Args:
            incidents: the documents of all incidents and maintenances.
            contracts: whether this run may have changed contracts.
        """

    def applied(self) -> None:
        """Note that the target now holds what was offered."""


class StageInputs(NamedTuple):
    """What a stage is opened with."""

    settings: Any  # those of its key in site.yaml; None without the key
    options: Mapping[str, Any]  # its options of the command line, by parameter name
    instant: Instant  # of the run
    target: "FolderTarget | None" = None  # None in a check
    to: str | None = None  # where the site is published besides


OpenStage = Callable[[StageInputs], SiteStage | None]
"""The `stage` of an extension: opens it, or returns None if there is nothing to do."""


class ExtensionOptions(NamedTuple):
    """What the command line gives to extensions."""

    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # by extension and parameter name
    to: str | None = None

    def chosen(self, extension: Extension) -> Mapping[str, Any]:
        """Return the options of an extension if one of them was given, else none."""
        options = self.options.get(extension.name, {})
        return options if any(options.values()) else {}


Result = TypeVar("Result")


class Stages:
    """The open stages of a run."""

    def __init__(self, source: str = "") -> None:
        self._source = source  # site.yaml, where the keys of extensions stand; empty in a tick
        self._stages: list[tuple[Extension, SiteStage]] = []
        self.findings: list[Finding] = []

    def open(self, extensions: Iterable[tuple[Extension, StageInputs]]) -> None:
        """Open the stages of these extensions."""
        for extension, inputs in extensions:
            stage = self._result(extension, lambda: self._opened(extension, inputs))  # noqa: B023 - called at once
            if stage is not None:
                self._stages.append((extension, stage))

    @staticmethod
    def _opened(extension: Extension, inputs: StageInputs) -> SiteStage | None:
        open_stage: OpenStage = load(extension.stage, f"`{extension.key or extension.name}`")
        return open_stage(inputs)

    def checked(self, root: Path, catalogue: "Catalogue", progress: "Progress") -> Additions:
        """Let every stage check the site."""
        return self._gathered(lambda stage: stage.checked(root, catalogue, progress))

    def _gathered(self, work: Callable[[SiteStage], Additions | None]) -> Additions:
        results = [self._result(extension, lambda: work(stage)) for extension, stage in self._stages]  # noqa: B023
        additions = [result for result in results if result is not None]
        findings = (*self.findings, *(finding for one in additions for finding in one.findings))
        return Additions(findings=findings, line="\n".join(one.line for one in additions if one.line))

    def _result(self, extension: Extension, work: Callable[[], Result]) -> Result | None:
        """Return the result of a stage's work; None after noting its error."""
        try:
            return work()
        except StatuaryError as error:
            self.findings.append(
                Finding(
                    rule="working-extension",
                    message=str(error),
                    hint=error.hint,
                    path=self._source if extension.key else "",
                    pointer=(extension.key,) if extension.key else (),
                    on_key=True,
                )
            )
            return None


def stages_of_options(options: ExtensionOptions, instant: Instant) -> Stages:
    """Open the stages of extensions without a key that the command line asks for."""
    stages = Stages()
    stages.open(
        (extension, StageInputs(None, chosen, instant, to=options.to))
        for extension in EXTENSIONS
        if extension.stage and not extension.key and (chosen := options.chosen(extension))
    )
    return stages
