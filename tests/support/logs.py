"""Sites with a transparency log: building them, and reading their log."""

from pathlib import Path

from statuary.domain.primitives import parse_instant
from statuary.domain.settings import LogSettings
from statuary.extensions.log.entries import LogEntry, parse_entry
from statuary.extensions.log.notes import PrivateKey, verify_checkpoint
from statuary.extensions.log.published_log import LogKeeper, PublishedLog, TreeHead, open_log
from statuary.extensions.log.site_log import SiteLog
from statuary.pipeline.build import BuildResult, build_site
from statuary.pipeline.progress import NoProgress
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.folder.reader import FolderReader
from support.object_stores import objects_of
from support.sites import NOW, SITE, SMALL_SITE, path_of, record_of

ORIGIN = "status.plinth.example/log"
KEY = PrivateKey(ORIGIN, bytes(range(32)))
LOGGED_SITE = SMALL_SITE | {"site.yaml": f"{SITE}log:\n  origin: {ORIGIN}\n", path_of(1): record_of(1)}


def logged(
    content: Path,
    out: Path,
    now: str = NOW,
    *,
    key: PrivateKey | None = KEY,
    elsewhere: Path | None = None,
    **keeper: object,
) -> BuildResult:
    """Build a site with its log."""
    there = None if elsewhere is None else (str(elsewhere), FolderReader(elsewhere).read)
    with FolderTarget(out) as target:

        def opened(settings: LogSettings) -> SiteLog:
            return SiteLog(target, LogKeeper(settings, key, parse_instant(now), there, **keeper))

        return build_site(content, target, parse_instant(now), NoProgress(), open_log=opened)


def log_of(site: Path) -> PublishedLog:
    """Return the log of a folder, its checkpoint verified."""
    found = open_log(str(site), FolderReader(site).read, KEY.public)
    assert found is not None
    return found


def entries_of(site: Path) -> list[LogEntry]:
    """Return the entries of a folder's log, all verified."""
    return [parse_entry(body) for body in log_of(site).entries()]


def verified_in_store(url: str, before: TreeHead | None) -> TreeHead | None:
    """Verify the log in a store as a reader does, and that it continues what was there; return its head."""
    objects = {path: body for path, (body, _) in objects_of(url).items()}
    log = open_log(url, objects.get, KEY.public)
    if log is None:
        assert before is None
        return None
    verify_checkpoint(log.checkpoint, KEY.public)
    assert list(log.entries())
    if before is not None:
        log.verify_extends(before, "what was there")
    return log.head
