"""Mirror a served site into a folder.

The folder is a target like that of a build, so an interrupted mirror keeps its fetched files for the next
run, each file in the folder is old or new, and files of other programs stay. The manifest shows the
differences: parts that the mirror has are not requested, and neither are their files.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from shutil import disk_usage
from typing import TYPE_CHECKING, NamedTuple

from statuary.base.clock import utc_now
from statuary.base.files import MANIFEST, SIGNATURE, PublishingError
from statuary.base.primitives import format_utc, parse_instant
from statuary.extensions.mirror.served_site import ServedSite, SiteState
from statuary.extensions.snapshots.differences import refuse_older_snapshot
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.host_files import is_host_file
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.lookups import added_digest, added_files
from statuary.publish.listing import DamagedSnapshotError, Entry, NameTable, Part, parse_part
from statuary.publish.listing_on_disk import Listing
from statuary.publish.manifest import Manifest, is_listed, manifest_digest, parse_manifest
from statuary.publish.origin import origin_meta_values
from statuary.publish.plan import Action, Change, Plan
from statuary.site.document import Document

if TYPE_CHECKING:
    from minisign import PublicKey

MAX_AHEAD = timedelta(days=1)
"""The farthest that a manifest may be ahead of the clock."""

CONNECTIONS = 8
"""The largest number of requests at the same time."""

BATCH_FILES, BATCH_SIZE = 64, 32 << 20
"""Files and bytes after which progress is saved, for the next run if this one is interrupted."""

MAX_ATTEMPTS = 3
"""The largest number of attempts while the site is being published again."""

MOST_PROBLEMS = 20
"""The number of files that do not match the manifest after which a run stops."""

MIRROR_OF, MIRRORED = "mirror of", "mirrored manifest"
"""The ledger's keys for the site's URL, and for the SHA-256 of the manifest that the folder matches."""


class MirrorOptions(NamedTuple):
    """The options of mirroring a site."""

    key: "PublicKey | None" = None  # the required key of the manifest's signature
    allow_older: bool = False  # whether the site may be older than the mirror
    verify: bool = False  # whether every file of the mirror is read
    dry_run: bool = False
    with_host_files: bool = False  # whether files are copied that a host executes


class MirrorResult(NamedTuple):
    """The result of copying a site or updating the copy."""

    plan: Plan
    changes: Sequence[Change]  # the changes that a dry run found
    problems: Sequence[str]  # files that do not match the manifest; if there are any, nothing changes
    lacks_case_variants: bool  # whether the file system cannot hold both spellings of an address
    skipped: Sequence[str] = ()  # paths that are not copied, since a host would execute them
    is_other: bool = False  # whether the folder had another site of the same time


def mirror_site(
    site: ServedSite, folder: Path, options: MirrorOptions, advance: Callable[[int], None] = lambda _: None
) -> MirrorResult:
    """Copy a site into a folder, or update an existing copy.

    Args:
        site: the served site to copy.
        folder: the folder of the copy.
        options: the options of the command.
        advance: a function to call with the number of files after they were fetched, such as to show the
            progress.

    Raises:
        DamagedSnapshotError: if the manifest of the site is damaged, or not signed with the required key.
        PublishingError: if the folder is not a copy of this site, cannot be written, or is newer, or the site
            is dated in the future.
        UnreachableError: if the server does not respond; fetched files are kept for the next run.
    """
    skipped = set[str]()
    with FolderTarget(folder, dry_run=options.dry_run) as target:
        _require_mirror_of_site(target, site.url, folder)
        target.resume(f"{MIRROR_OF} {site.url}", "mirror")
        target.ledger.keep_unreplaced()
        sources_of_damaged_documents = target.sources_of_damaged_documents(verify=options.verify)
        state, problems, changes = site.fetch_manifest(options.key), [], []
        is_other = _has_other_manifest_of_same_time(target, state)
        for _ in range(MAX_ATTEMPTS):
            _refuse_future_manifest(state.manifest, site)
            if not options.allow_older:
                noted_instant = target.ledger.get_meta("instant")
                own_instant = parse_instant(noted_instant) if noted_instant else None
                refuse_older_snapshot(state.manifest.origin, own_instant, str(folder))
            with closing(MirrorSync(site, target, state, sources_of_damaged_documents, options)) as copy:
                skipped |= copy.skipped
                if options.dry_run:
                    changes = list(copy.iter_changes())
                    break
                problems = copy.fetch_missing_files(advance)
            previous_state = state
            state = site.fetch_manifest(options.key) if problems else state
            if state.text == previous_state.text:
                break
        plan = target.plan()
        if not options.dry_run and not problems:
            _add_manifest_and_url(target, state, site.url, options)
            plan = target.plan()
            target.apply()
        return MirrorResult(
            plan,
            changes,
            problems,
            target.lacks_case_variants and not plan.is_empty,
            sorted(skipped),
            is_other,
        )


def _has_other_manifest_of_same_time(target: FolderTarget, state: SiteState) -> bool:
    text = target.read_published(MANIFEST)
    noted_instant = target.ledger.get_meta("instant")
    is_same_time = bool(noted_instant) and parse_instant(noted_instant) == state.manifest.origin.instant
    return text is not None and text != state.text and is_same_time


def _require_mirror_of_site(target: FolderTarget, url: str, mirror_folder: Path) -> None:
    """Raise PublishingError unless a folder is new or copies this site."""
    noted_url = target.ledger.get_meta(MIRROR_OF)
    if noted_url == url or target.ledger.run == 1:
        return
    what = f"is the mirror of {noted_url}" if noted_url else "has a site that was built or published into it"
    raise PublishingError(f"{mirror_folder} {what}", "name another folder")


def _refuse_future_manifest(manifest: Manifest, site: ServedSite) -> None:
    """Raise PublishingError if a site is dated in the future.

    A copy of it would refuse every later build of the site as older. A day is tolerated, for a wrong clock.
    """
    if manifest.origin.instant > utc_now() + MAX_AHEAD:
        raise PublishingError(
            f"{site.url} was built for {format_utc(manifest.origin.instant)}, which is more than a day ahead of this machine's clock",
            "set the clock if it is wrong; otherwise tell the site's owner",
        )


def _add_manifest_and_url(target: FolderTarget, state: SiteState, url: str, options: MirrorOptions) -> None:
    bodies = {MANIFEST: state.text} | ({SIGNATURE: state.signature} if state.signature else {})
    target.add(_make_fetched_document(Entry(path), body) for path, body in bodies.items())
    if not state.signature:
        target.ledger.documents.remove_unless_added([SIGNATURE])
    notes = {MIRROR_OF: url, MIRRORED: _make_mirror_fingerprint(state.text, options)}
    target.ledger.set_meta(origin_meta_values(state.manifest.origin) | notes)


def _make_mirror_fingerprint(manifest_text: bytes, options: MirrorOptions) -> str:
    """Return a fingerprint of the site's manifest and of the options.

    The mirror stores it. If it differs in the next run, all files are compared again.
    """
    return manifest_digest(manifest_text) + (" with host files" if options.with_host_files else "")


def _make_fetched_document(entry: Entry, content: bytes) -> Document:
    """Return a fetched file as a document.

    The document names itself as its source. So the ledger can tell which files are missing.
    """
    return Document(
        path=entry.path,
        body=content,
        media_type=entry.media_type or media_type_of(entry.path),
        cache=cache_control_of(entry.path),
        aliases=entry.aliases,
        sources=(entry.path,),
    )


class MirrorSync:
    """Updates a copy of a site: finds and fetches the changed files.

    The list of files is in a temporary file.
    """

    def __init__(
        self,
        site: ServedSite,
        target: FolderTarget,
        state: SiteState,
        sources_of_damaged_documents: Iterable[str],
        options: MirrorOptions,
    ) -> None:
        """Compare the manifests of a copy and of its site.

        Args:
            site: the site.
            target: the folder of the copy.
            state: the manifest of the site, with its signature.
            sources_of_damaged_documents: the paths whose files in the copy are missing or damaged.
            options: the options of the command.

        Raises:
            DamagedSnapshotError: if a manifest is damaged.
            UnreachableError: if the server does not respond.
        """
        self.site, self.target, self.parts = site, target, state.manifest.parts
        self.missing_paths = frozenset(sources_of_damaged_documents)
        self.options, self.skipped = options, set[str]()
        self.previous_manifest = self._read_folder_manifest()
        self.wanted_entries = Listing()  # the entries of the parts that differ, or have a missing file
        try:
            self._read_wanted_entries()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Delete the temporary file with the list of files."""
        self.wanted_entries.close()

    def _read_folder_manifest(self) -> Manifest | None:
        text = self.target.read_published(MANIFEST)
        is_noted = text is not None and _make_mirror_fingerprint(
            text, self.options
        ) == self.target.ledger.get_meta(MIRRORED)
        return parse_manifest(text) if text is not None and is_noted else None

    def _read_wanted_entries(self) -> None:
        same = frozenset(self.previous_manifest.parts) if self.previous_manifest else frozenset()
        firsts = [part.first for part in self.parts]
        numbers = {bisect_right(firsts, path) - 1 for path in self.missing_paths}
        last_path = ""
        with NameTable() as table:
            for number, part in enumerate(self.parts):
                if part in same and number not in numbers:
                    continue
                for entry in parse_part(self._read_part_lines(part), part):
                    if entry.path <= last_path:
                        raise DamagedSnapshotError(
                            f"the manifest is damaged: it lists {entry.path} twice, or not in order"
                        )
                    last_path = entry.path
                    table.reserve(entry.path)
                    self._add_entry_unless_skipped(entry)

    def _add_entry_unless_skipped(self, entry: Entry) -> None:
        if not is_listed(entry.path):
            return  # a snapshot also lists files for the host only
        if is_host_file(entry.path) and not self.options.with_host_files:
            self.skipped.add(entry.path)
        else:
            self.wanted_entries.add(entry)

    def _read_part_lines(self, part: Part) -> bytes:
        """Read a part of the file list, one file on each line.

        A part is only fetched if the mirror folder has no unchanged copy.
        """
        text = self.target.read_published(part.path)
        if text is None or sha256(text).hexdigest() != part.sha256:
            text = self.site.fetch_part(part)
        if not self.target.dry_run and not added_digest(self.target.ledger.documents, part.path):
            self.target.add([_make_fetched_document(Entry(part.path), text)])
        return text

    def iter_stale_paths(self) -> Iterator[str]:
        """Yield the copied files to delete, which the site no longer has."""
        own_paths = {MANIFEST, SIGNATURE, *(part.path for part in self.parts)}
        for path in self._iter_previous_paths():
            if path not in own_paths and self.wanted_entries.find(path) is None:
                yield path

    def _iter_previous_paths(self) -> Iterator[str]:
        if self.previous_manifest is None:
            yield from list(self.target.ledger.documents.published_paths())
            return
        parts = frozenset(self.parts)
        for part in self.previous_manifest.parts:
            if part not in parts:
                yield part.path
                yield from (entry.path for entry in parse_part(self.target.read_published(part.path), part))

    def iter_missing_entries(self) -> Iterator[Entry]:
        """Yield the path, size and SHA-256 of each file to fetch."""
        documents = self.target.ledger.documents
        for entry in self.wanted_entries:
            if added_digest(documents, entry.path) != entry.sha256 and not self._has_current_version(entry):
                yield entry

    def _has_current_version(self, entry: Entry) -> bool:
        """Return whether the mirror already has the right version of a file.

        If the ledger (the database of copied files) lacks a file that is there, the file is added to it.
        """
        there = None if entry.path in self.missing_paths else self.target.ledger.find_entry(entry.path)
        if there is not None and there.digest:
            return there.digest.hex() == entry.sha256
        body = self.target.read_published(entry.path)
        is_right = body is not None and sha256(body).hexdigest() == entry.sha256
        if is_right and body is not None and not self.target.dry_run:
            self.target.add([_make_fetched_document(entry, body)])
        return is_right

    def iter_changes(self) -> Iterator[Change]:
        """Yield the differences of the copy from the site, for dry runs."""
        for entry in self.iter_missing_entries():
            action = Action.ADD if self.target.ledger.find_entry(entry.path) is None else Action.REPLACE
            yield Change(action, entry.path, entry.size)
        yield from (Change(Action.REMOVE, path, 0) for path in self.iter_stale_paths())

    def fetch_missing_files(self, advance: Callable[[int], None]) -> list[str]:
        """Fetch missing files, and mark outdated files for deletion.

        Files that the site no longer has are outdated.

        Args:
            advance: a function to call with the number of files after they were fetched, such as to show the
                progress.

        Returns:
            A sentence for each file that does not match the manifest.

        Raises:
            PublishingError: if there is not enough disk space.
            UnreachableError: if the server does not respond.
        """
        documents = self.target.ledger.documents
        self.target.discard(
            [path for path, digest in added_files(documents) if not self._is_wanted_content(path, digest)]
        )
        missing_entries = list(self.iter_missing_entries())
        problems = list[str]()
        self._require_free_space(missing_entries)
        with ThreadPoolExecutor(CONNECTIONS) as executor:
            for batch in _divide_into_batches(missing_entries):
                fetched = list(executor.map(self._fetch_or_describe_fault, batch))
                output = self.target.output_for_task(f"mirror-{token_hex(8)}")
                for entry, body in zip(batch, fetched, strict=True):
                    if isinstance(body, bytes):
                        output.add([_make_fetched_document(entry, body)])
                    else:
                        problems.append(body)
                self.target.merge_partition(output.result(len(batch)))
                advance(len(batch))
                if len(problems) >= MOST_PROBLEMS:
                    break
        documents.remove_unless_added(self.iter_stale_paths())
        return problems

    def _is_wanted_content(self, path: str, staged_sha256: str) -> bool:
        entry = self.wanted_entries.find(path)
        return path in {part.path for part in self.parts} if entry is None else entry.sha256 == staged_sha256

    def _fetch_or_describe_fault(self, entry: Entry) -> bytes | str:
        try:
            return self.site.fetch_verified(entry)
        except DamagedSnapshotError as damaged:
            return str(damaged)

    def _require_free_space(self, missing_entries: Iterable[Entry]) -> None:
        size = sum(entry.size for entry in missing_entries)
        free = disk_usage(self.target.folder.root).free
        if size > free:
            raise PublishingError(
                f"the site's files need {size:,} bytes more, and {free:,} are free in {self.target.folder.root}",
                "free some space and run the command again",
            )


def _divide_into_batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        if batch and (
            len(batch) == BATCH_FILES or sum(member.size for member in batch) + entry.size > BATCH_SIZE
        ):
            yield batch
            batch = []
        batch.append(entry)
    if batch:
        yield batch
