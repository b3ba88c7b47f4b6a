"""Leave out of an upload what packs contain."""

from collections.abc import Callable
from pathlib import Path

from statuary.base.files import PublishingError
from statuary.extensions.packs.pack_list import LIST
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.packs.section import GROUP, covers_all_published
from statuary.publish.folder.reader import FolderReader, find_ledger
from statuary.publish.ledger.read import open_ledger_read_only, read_cached_group
from statuary.site.document import uncompressed_path


def make_packed_path_filter(site_folder: Path) -> Callable[[str], bool]:
    """Make a function that tells whether packs contain a file.

    Packs are archives of many documents. A file that they contain need not be uploaded.

    Args:
        site_folder: the folder of a built site.

    Raises:
        PublishingError: if the folder has no packs, or the last build did not update them.
    """
    text = FolderReader(site_folder).read(LIST)
    ledger = find_ledger(site_folder)
    if text is None:
        raise PublishingError(
            f"{site_folder} has no packs (no {LIST}), so --exclude-packed has nothing to exclude",
            "write `packs: true` in site.yaml and build the site, or publish every file",
        )
    if ledger is not None:
        with open_ledger_read_only(ledger) as connection:
            if connection is not None and covers_all_published(
                text, read_cached_group(connection, GROUP), connection
            ):
                return _is_packed_path
    raise PublishingError(
        f"the packs of {site_folder} do not belong to its last build, so --exclude-packed cannot tell which files are in them",
        "build the site again with `packs: true` in site.yaml",
    )


def _is_packed_path(path: str) -> bool:
    """Return whether packs contain the document at a path.

    Raises:
        PublishingError: if the path is a gzip or Brotli copy of a record or proof, which packs do not contain.
    """
    plain = uncompressed_path(path)
    if not is_packable(plain):
        return False
    if plain != path:
        raise PublishingError(
            f"{path} is not in a pack: packs have no compressed copies of records and proofs",
            "remove `hosting.precompressed` from site.yaml and build the site, or publish every file",
        )
    return True
