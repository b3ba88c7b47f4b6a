"""Opening a site wherever it is: a snapshot's zip, a folder, or a URL of either."""

from pathlib import Path
from urllib.parse import urlsplit

from statuary.publishing.refused import PublishingRefused
from statuary.publishing.sites.folder_site import FolderSite
from statuary.publishing.sites.site_reader import SiteReader
from statuary.publishing.sites.web import is_url
from statuary.publishing.snapshots.url_site import UrlSite
from statuary.publishing.snapshots.zip_site import FileStretches, UrlStretches, ZipSite

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
        raise PublishingRefused(
            f"{text} can only be read as a whole", "statuary snapshot convert makes a .zip of it"
        )
    if is_url(text):
        return ZipSite(UrlStretches(text)) if is_archive_url(text) else UrlSite(text)
    path = Path(place)
    return FolderSite(path) if path.is_dir() else ZipSite(FileStretches(path))


def is_archive_url(url: str) -> bool:
    """Say whether a URL is that of a snapshot file, by its ending."""
    return urlsplit(url).path.endswith(ARCHIVES)
