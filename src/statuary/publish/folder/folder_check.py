"""Find published files that were removed or resized, without looking at all of them in every build.

A folder's own times change whenever a file in it is added, renamed or removed. The ledger notes them for each folder with
documents of content files; while they stay, a build looks only at the next few files, in turn. A folder that was copied,
or restored from a cache, has other times, so that each of its files is looked at.
"""

import os
import stat
from collections.abc import Iterator
from typing import Final, NamedTuple

import orjson

from statuary.publish.folder.site_folder import SiteFolder
from statuary.publish.ledger.document_table import SourcedFile
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.schema import all_names

CHECKED_FOLDERS: Final = "checked folders"
"""The ledger's note of the folders whose files were all found."""

FILES_IN_TURN: Final = 2_000
"""Files that a build looks at although their folder seems unchanged: all files, if a site has no more."""

CHANGED: Final = ""
"""The stamp of a folder whose files the next build looks at."""

Stamps = dict[str, str]
"""The stamps of folders, by path in the site."""


class _CheckNote(NamedTuple):
    """The folders that an earlier build checked, as stored in the ledger."""

    stamps: Stamps
    after: str = ""  # the path after which the next files in turn begin


class FolderCheck:
    """Finds the published files of a site's folder that are missing or have another size.

    A file that another program truncated in place is found when its turn comes, at the latest after as many builds as the
    site has times `FILES_IN_TURN` files; `--verify` reads every file at once.
    """

    def __init__(self, folder: SiteFolder, ledger: Ledger) -> None:
        self._folder = folder
        self._ledger = ledger
        text = ledger.get_meta(CHECKED_FOLDERS)
        # Without a note, every file has to be looked at.
        self._noted = _CheckNote(*orjson.loads(text)) if text else None
        self._checked: _CheckNote | None = None  # what this run found
        self._before: Stamps = {}  # the stamps right before this run changed the site

    def find_resized(self) -> Iterator[str]:
        """Find published files that are missing or have another size.

        Yields:
            The content files from which such a file was made, one a line.
        """
        documents = self._ledger.documents
        stamps: Stamps = {}
        if self._noted is None:
            yield from self._folder.find_resized(self._stamp_folders(documents.files_with_sources(), stamps))
            self._checked = _CheckNote(stamps)
            return
        for folder, noted in self._noted.stamps.items():
            stamp = self._stamp(folder)
            if stamp == CHANGED or stamp != noted:
                yield from self._folder.find_resized(documents.files_with_sources_in(folder))
            if stamp != CHANGED:
                stamps[folder] = stamp
        # Read one file more than this build looks at. If there is one, the next build continues after the
        # last file of this turn.
        rest = list(documents.files_with_sources(self._noted.after, FILES_IN_TURN + 1))
        in_turn = rest[:FILES_IN_TURN]
        yield from self._folder.find_resized(in_turn)
        self._checked = _CheckNote(stamps, "" if in_turn == rest else in_turn[-1][0])

    def _stamp_folders(self, files: Iterator[SourcedFile], stamps: Stamps) -> Iterator[SourcedFile]:
        for file in files:
            for name in all_names(file[0], file[1]):
                folder = name.rpartition("/")[0]
                if folder not in stamps:
                    stamps[folder] = self._stamp(folder)
            yield file

    def _stamp(self, folder: str) -> str:
        """Return a string that changes when files of a folder are added or removed.

        Returns:
            Number and times of the folder; `CHANGED` if there is no such folder.
        """
        try:
            there = os.stat(self._folder.root / folder)
        except OSError:
            return CHANGED
        is_folder = stat.S_ISDIR(there.st_mode)
        return f"{there.st_ino} {there.st_mtime_ns} {there.st_ctime_ns}" if is_folder else CHANGED

    def begin_changes(self) -> None:
        """Record the folders' modification times before this build changes files.

        If they differ from those of the last check, another program has changed files meanwhile.
        """
        if self._checked is not None:
            self._before = {folder: self._stamp(folder) for folder in self._checked.stamps}

    def stamps_to_store(self) -> dict[str, str]:
        """Return the folders' modification times, to store for the next build.

        Call this method when the files of this build are in place. If another program has changed a folder
        meanwhile, the next build checks the folder again.
        """
        known = self._checked or self._noted
        if known is None or not self._ledger.keeps_unreplaced:
            return {CHECKED_FOLDERS: ""}
        stamps = known.stamps
        if self._checked is not None:
            after = {folder: self._stamp(folder) for folder in stamps}
            stamps = {
                folder: after[folder] if self._before.get(folder) == stamp else CHANGED
                for folder, stamp in stamps.items()
            }
        added = self._ledger.documents.folders_of_documents_with_sources()
        note = _CheckNote(dict.fromkeys(added, CHANGED) | stamps, known.after)
        return {CHECKED_FOLDERS: orjson.dumps([note.stamps, note.after]).decode()}
