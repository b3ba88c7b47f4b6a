"""Opening a site wherever it is: a snapshot's zip, a folder, or a URL of either."""

from pathlib import Path
from urllib.parse import urlsplit

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader
from statuary.publishing.site_reader import SiteReader
from statuary.snapshots.http_client import is_url
from statuary.snapshots.url_reader import UrlReader
from statuary.snapshots.zip_reader import FileByteRanges, UrlByteRanges, ZipReader

ARCHIVES = (".zip", ".tar.zst")


def open_site(place: str | Path) -> SiteReader:
    """Open a site to look things up in.

    Args:
        place: a snapshot in the form of a zip, a folder with a site, or the http(s) URL of either.

    Raises:
        PublishingRefused: if there is none, or it cannot be reached; for a .tar.zst, which has to be read from
            its beginning to find anything.
    """
    text = str(place)
    if text.endswith(".tar.zst"):
        raise PublishingError(
            f"{text} can only be read as a whole", "statuary snapshot convert makes a .zip of it"
        )
    if is_url(text):
        return ZipReader(UrlByteRanges(text)) if is_archive_url(text) else UrlReader(text)
    path = Path(place)
    return FolderReader(path) if path.is_dir() else ZipReader(FileByteRanges(path))


def is_archive_url(url: str) -> bool:
    """Say whether a URL is that of a snapshot file, by its ending."""
    return urlsplit(url).path.endswith(ARCHIVES)
