"""The log as a stage of builds and ticks."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.primitives import format_milliseconds
from statuary.engine.stages import SectionResult, SiteStage, StageInputs
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.options import is_in_ci, log_context, note_signed
from statuary.extensions.log.published_log import (
    LOG_FAULT,
    LOG_PENDING,
    LogExtension,
    LogSettings,
    TreeHead,
    published_settings,
)
from statuary.extensions.log.resume import read_min_head, write_min_head
from statuary.extensions.log.site_log import SiteLog, log_document
from statuary.publish.folder.folder_target import FolderTarget
from statuary.site.document import Document, encode_json

if TYPE_CHECKING:
    from pathlib import Path


def open_stage(inputs: StageInputs) -> SiteStage | None:
    """Open a folder's log, or return None for other targets."""
    target = inputs.target
    if not isinstance(target, FolderTarget):
        return None
    settings = inputs.settings or published_settings(target.published)
    return None if settings is None else LogStage(target, settings, inputs)


OTHER_FAULT = "its key or its files cannot be read"
"""The public description of errors outside of the log itself."""


class LogStage(SiteStage):
    """The log of a site."""

    def __init__(self, target: FolderTarget, settings: LogSettings, inputs: StageInputs) -> None:
        self._target, self._settings, self._inputs = target, settings, inputs
        self._key_file: Path | None = inputs.options.get("log_key")
        self._log: SiteLog | None = None  # None until it is extended without an error
        self._extension: LogExtension | None = None
        self._is_failed = False

    @override
    def build(self, incidents: Callable[[], Sequence[Document]], *, contracts: bool) -> SectionResult:
        log = SiteLog(self._target, log_context(self._settings, self._inputs))
        appended = log.extend(incidents(), contracts=contracts)
        self._log = log
        numbers = appended.by_incident.items()
        changes = {incident: {"log_entries": entries} for incident, entries in numbers}
        source = self._inputs.catalogue.status.page_source if self._inputs.catalogue else ""
        warnings = tuple(finding.within(source) for finding in log.warnings())
        return SectionResult(previous_versions=appended.previous_versions, changes=changes, findings=warnings)

    @override
    def finalize(self) -> str:
        if self._log is None:
            return ""
        self._extension = self._log.complete()
        if not self._extension.obstacle:
            self._target.ledger.documents.remove_unless_added([LOG_FAULT.path()])
        return str(self._extension)

    @override
    def on_failure(self, error: BaseException) -> None:
        if self._is_failed:  # the first error is the cause
            return
        self._is_failed = True
        reason, cause, values = OTHER_FAULT, "other", dict[str, str | int]()
        if isinstance(error, LogError):
            reason, cause, values = self._public(str(error)), error.cause, error.values
        self._extension = None
        previous_fault = self._target.published(LOG_FAULT.path())
        if previous_fault is not None and b'"reason":%b' % encode_json(reason) in previous_fault:
            return  # it says since when
        at = format_milliseconds(self._inputs.instant)
        body = encode_json({"at": at, "reason": reason, "cause": cause, "values": values})
        self._target.add([log_document(LOG_FAULT, body)])

    def _public(self, message: str) -> str:
        """Return a message without private locations and their responses."""
        options = self._inputs.options
        names = (self._target.folder.root, self._inputs.to, options.get("log_from"), self._key_file)
        for name in sorted(map(str, filter(None, names)), key=len, reverse=True):
            message = message.replace(name, "the site")
        return message.partition(": ")[0]

    @override
    def on_published(self) -> None:
        if self._extension is not None and not self._extension.obstacle:
            pending_body = self._target.published(LOG_PENDING.path())
            note_signed(self._key_file, self._extension.published_head, pending_body)
            self._update_min_size(self._extension.published_head)

    def _update_min_size(self, head: TreeHead) -> None:
        """Write the published head into the content.

        In CI this happens if it is larger than before, elsewhere if a smaller one was requested.
        """
        root, origin = self._inputs.root, self._settings.origin
        min_head = None if root is None else read_min_head(root, origin)
        if root is None or min_head is None:
            return
        if self._inputs.options.get("allow_log_rollback") or (
            is_in_ci(os.environ) and head.size > min_head.size
        ):
            write_min_head(root, origin, head)
