"""Sites with a transparency log: building them, and reading their log."""

import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from statuary.base.findings import Severity, has_errors
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.engine.sections import ExtensionOptions
from statuary.extensions.log.entries import EntryKind, LogEntry, parse_entry
from statuary.extensions.log.notes import PrivateKey, PublicKey, verify_checkpoint
from statuary.extensions.log.options import KEY_VARIABLE
from statuary.extensions.log.published_log import PublishedLog, TreeHead, open_log
from statuary.extensions.log.verify import DocumentCheck, SiteCheck
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import FolderReader, walk_everything
from support.object_stores import objects_of
from support.sites import NOW, SITE, SMALL_SITE, path_of, record_of

ORIGIN = "status.plinth.example/log"
KEY = PrivateKey(ORIGIN, bytes(range(32)))
LOGGED_SITE = SMALL_SITE | {"site.yaml": f"{SITE}log:\n  origin: {ORIGIN}\n", path_of(1): record_of(1)}


def run_with(
    key: PrivateKey | None = KEY,
    key_file: Path | None = None,
    elsewhere: Path | str | None = None,
    **options: Any,
) -> ExtensionOptions:
    """Return the options of a run that signs with a key, given by the environment unless it is in a file."""
    os.environ.pop(KEY_VARIABLE, None)
    if key is not None and key_file is None:
        os.environ[KEY_VARIABLE] = key.text
    to = None if elsewhere is None else str(elsewhere)
    return ExtensionOptions({"log": {"log_key": key_file, **options}}, to)


def built(content: Path, out: Path, now: str = NOW, options: ExtensionOptions | None = None) -> BuildResult:
    """Build a site with its log; its log may have failed."""
    with patch.dict(os.environ), FolderTarget(out) as target:
        options = options or run_with()
        return build_site(content, target, parse_instant(now), NoProgress(), extension_options=options)


def logged(content: Path, out: Path, now: str = NOW, **run: Any) -> BuildResult:
    """Build a site with its log, which a new folder starts unless it is elsewhere; `run` as for `run_with`."""
    with patch.dict(os.environ):
        if not out.exists() and run.get("elsewhere") is None:
            run = {"init_log": True} | run
        result = built(content, out, now, run_with(**run))
    assert not has_errors(result.checked.skipped)
    return result


def log_failure(content: Path, out: Path, now: str = NOW, **run: Any) -> str:
    """Build a site whose log cannot be extended: everything else is published. Return the message at its key."""
    with patch.dict(os.environ):
        result = built(content, out, now, run_with(**run))
    assert result.applied
    (finding,) = (item for item in result.checked.skipped if item.severity is Severity.ERROR)
    assert (finding.path, finding.pointer) == ("site.yaml", ("log",))
    assert finding.position is not None
    return finding.message


def log_of(site: Path, key: PublicKey = KEY.public) -> PublishedLog:
    """Return the log of a folder, its checkpoint verified."""
    found = open_log(str(site), FolderReader(site).read, key)
    assert found is not None
    return found


def entries_of(site: Path) -> list[LogEntry]:
    """Return the entries of a folder's log, all verified."""
    return [parse_entry(body) for body in log_of(site).iter_entries()]


def authored_entries_of(site: Path) -> list[LogEntry]:
    """Return those entries that are about records, incidents and updates."""
    return [one for one in entries_of(site) if one.subject.kind not in (EntryKind.SITE, EntryKind.CLOCK)]


def checked(site: Path, now: str = "2027-01-01T00:00:00Z", key: PublicKey = KEY.public) -> DocumentCheck:
    """Verify a folder as `statuary log verify` does, at an instant."""
    reader = FolderReader(site)
    check = SiteCheck(log_of(site, key), key, reader.read, parse_instant(now), lambda _: None)
    return check.check_site(list(walk_everything(site)))


def problems_of(site: Path, key: PublicKey = KEY.public) -> list[str]:
    """Return what does not agree between a site and its log, or is not covered by it."""
    found = checked(site, key=key)
    return [*found.problems, *found.unsigned, *found.uncovered]


def verified_in_store(url: str, before: TreeHead | None) -> TreeHead | None:
    """Verify the log in a store as a reader does, and that it continues what was there; return its head."""
    objects = {path: body for path, (body, _) in objects_of(url).items()}
    log = open_log(url, objects.get, KEY.public)
    if log is None:
        assert before is None
        return None
    verify_checkpoint(log.checkpoint, KEY.public)
    assert list(log.iter_entries())
    if before is not None:
        log.verify_extends(before, "what was there")
    return log.head
