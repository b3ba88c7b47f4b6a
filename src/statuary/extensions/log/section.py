"""The section of the log, extended before a build or tick publishes."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.primitives import format_utc_milliseconds
from statuary.contracts.incremental.built_contracts import BuiltContracts
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.options import is_in_ci, make_log_context, store_signed_state
from statuary.extensions.log.pages import PARTS
from statuary.extensions.log.published_log import (
    LOG_FAULT,
    LOG_PENDING,
    LOG_URLS,
    LogExtension,
    TreeHead,
    read_log_settings,
)
from statuary.extensions.log.resume import read_log_floor_file, write_log_floor_file
from statuary.extensions.log.site_log import SiteLog, make_log_document
from statuary.publish.folder.folder_target import FolderTarget
from statuary.section import FinalResult, Run, Section, SectionResult
from statuary.site.document import encode_json
from statuary.status.hooks import PreviousVersions, PublishesIncidents

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

OTHER_FAULT = "its key or its files cannot be read"
"""The message for readers about errors that do not concern the log itself."""


class LogSection(Section):
    """The section that extends the log of a site."""

    urls = LOG_URLS
    parts = PARTS

    _log: SiteLog | None = None  # None until it is extended without an error
    _extension: LogExtension | None = None
    _is_failed = False

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `log` in site.yaml."""
        from statuary.extensions.log.settings import SiteLogSource

        return SiteLogSource

    @override
    def build(self, run: Run) -> SectionResult | None:
        if not isinstance(run.target, FolderTarget):
            return None
        self.settings = self.settings or read_log_settings(run.target.read_published)
        if self.settings is None:
            return None
        context = make_log_context(self.settings, run, self.options)
        log = SiteLog(run.target, context)
        incidents = [
            document
            for section in run.sections_of(PublishesIncidents)
            for document in section.incident_documents()
        ]
        appended = log.append_changes(incidents, contracts=run.result_of(BuiltContracts) is not None)
        self._log = log
        numbers = appended.by_incident.items()
        changes = {incident: {"log_entries": entries} for incident, entries in numbers}
        if context.unreadable:
            self._add_fault_document(run, run.target, LogError(context.unreadable, cause="unreadable"))
        source = "" if run.site is None else run.site.source
        warnings = tuple(finding.with_path(source) for finding in log.warnings())
        return SectionResult((PreviousVersions(appended.previous_versions, changes),), skipped=warnings)

    @override
    def finalize(self, run: Run) -> FinalResult | None:
        """Add an entry about the finished site to the log."""
        if self._log is None:
            return None
        self._extension = self._log.log_site_manifest()
        if not self._extension.obstacle:
            run.target.ledger.documents.remove_unless_added([LOG_FAULT.path()])
        return FinalResult(line=str(self._extension))

    @override
    def on_failure(self, run: Run, error: BaseException) -> None:
        target = run.target
        if self._is_failed or self.settings is None or not isinstance(target, FolderTarget):
            return  # the first error is the cause
        self._is_failed = True
        self._extension = None
        self._add_fault_document(run, target, error)

    def _add_fault_document(self, run: Run, target: FolderTarget, error: BaseException) -> None:
        """Add a document that says why the log was not extended.

        A published document with the same reason stays, because it has the time when the fault began.
        """
        reason = OTHER_FAULT
        cause = "other"
        values = dict[str, str | int]()
        if isinstance(error, LogError):
            reason = self._redact_locations(str(error), run, target)
            cause = error.cause
            values = error.values
        previous_fault = target.read_published(LOG_FAULT.path())
        if previous_fault is not None and b'"reason":%b' % encode_json(reason) in previous_fault:
            return  # keep the published fault, which has the time when it began
        at = format_utc_milliseconds(run.instant)
        body = encode_json({"at": at, "reason": reason, "cause": cause, "values": values})
        target.discard([LOG_FAULT.path()])  # a fault with another reason, which was kept with the log
        target.add([make_log_document(LOG_FAULT, body)])

    def _redact_locations(self, message: str, run: Run, target: FolderTarget) -> str:
        """Remove addresses, local paths and servers' responses from a message."""
        names = (target.folder.root, run.to, self.options.get("log_from"), self.options.get("log_key"))
        for name in sorted(map(str, filter(None, names)), key=len, reverse=True):
            message = message.replace(name, "the site")
        return message.partition(": ")[0]

    @override
    def on_published(self, run: Run) -> None:
        if self._extension is not None and not self._extension.obstacle:
            pending_body = run.target.read_published(LOG_PENDING.path())
            store_signed_state(self.options.get("log_key"), self._extension.published_head, pending_body)
            self._update_log_floor_file(run.root, self._extension.published_head)

    def _update_log_floor_file(self, content_folder: Path | None, published_head: TreeHead) -> None:
        """Write the size and root of the published log to `log-floor.txt`.

        In CI, the file is only written if the log has grown. Elsewhere, it is only written if the user
        allowed a rollback.
        """
        origin = self.settings.origin
        min_head = None if content_folder is None else read_log_floor_file(content_folder, origin)
        if content_folder is None or min_head is None:
            return
        if self.options.get("allow_log_rollback") or (
            is_in_ci(os.environ) and published_head.size > min_head.size
        ):
            write_log_floor_file(content_folder, origin, published_head)
