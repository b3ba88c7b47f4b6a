"""One site in a zip, in a folder and at URLs of both: the same answers everywhere."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from statuary.extensions.snapshots.site_reader import SiteReader, open_site
from statuary.extensions.snapshots.verify import verify_snapshot
from statuary.publish.listing import DamagedSnapshotError
from statuary.system.network.client import UnreachableError, get
from support.file_server import served
from support.snapshots import contract, made, mirrored, published, small_documents, status

BODIES = {name: doc.body for doc in small_documents() for name in (doc.path, *doc.aliases)}
PLACES = ["zip", "folder", "url", "url of zip"]


@contextmanager
def opened(place: str, root: Path) -> Iterator[SiteReader]:
    file = made(root / "site.zip", small_documents())
    folder = mirrored(file, root / "folder")
    with ExitStack() as stack:
        if place == "zip":
            where: str | Path = file
        elif place == "folder":
            where = folder
        else:
            url, _ = stack.enter_context(served(root))
            where = f"{url}/folder" if place == "url" else f"{url}/site.zip"
        yield stack.enter_context(open_site(where))


@pytest.mark.parametrize("place", PLACES)
def test_folder_zip_url_give_same_documents(tmp_path: Path, place: str) -> None:
    with opened(place, tmp_path) as site:
        assert {path: site.read(path) for path in BODIES} == BODIES
        listed = {path for path in site.paths() if not path.startswith("snapshot/")}
        assert listed == set(BODIES)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "path",
    [
        "absent",
        "",
        "/",
        "api",
        "api/v2",
        "api/v2/status.json/x",
        "../site.zip",
        "/etc/passwd",
        "a\0b",
        "\ud800",
        "x" * 5000,
        ".statuary/ledger.sqlite3",
    ],
)
def test_missing_site_document_returns_none(tmp_path: Path, place: str, path: str) -> None:
    with opened(place, tmp_path) as site:
        assert site.read(path) is None


def test_remote_zip_lookup_takes_few_requests(tmp_path: Path) -> None:
    made(tmp_path / "site.zip", [*small_documents(), *(contract(number, 3) for number in range(2000))])
    with served(tmp_path) as (url, requested), open_site(f"{url}/site.zip") as site:
        assert site.read(contract(1234, 3).aliases[0]) == contract(1234, 3).body
    assert len(requested) <= 8


def test_remote_zip_requires_range_requests(tmp_path: Path) -> None:
    made(tmp_path / "site.zip", small_documents())
    with (
        served(tmp_path, ranges=False) as (url, _),
        pytest.raises(UnreachableError, match="does not support ranges") as refused,
    ):
        open_site(f"{url}/site.zip")
    assert refused.value.hint == "download the file first"


def test_threads_can_share_open_snapshot(tmp_path: Path) -> None:
    documents = [contract(number) for number in range(50)]
    wrong: list[str] = []
    with open_site(made(tmp_path / "site.zip", documents)) as site:

        def read_all() -> None:
            wrong.extend(doc.path for doc in documents * 5 if site.read(doc.aliases[0]) != doc.body)

        threads = [threading.Thread(target=read_all) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_symlink_outside_site_is_not_read(tmp_path: Path) -> None:
    folder = published([status()], tmp_path / "folder")
    (tmp_path / "secret").write_text("secret")
    (folder / "leak").symlink_to(tmp_path / "secret")
    (folder / "out").symlink_to(tmp_path)
    with open_site(folder) as site:
        assert site.read("leak") is None
        assert site.read("out/secret") is None
        assert site.read("api/v2/status.json") == status().body


def test_file_without_site_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(DamagedSnapshotError, match="not a snapshot"):
        open_site(tmp_path / "a.zip")
    with pytest.raises(PublishingError, match="cannot be read"):
        open_site(tmp_path / "absent.zip")


# Over HTTP


@pytest.mark.parametrize("place", ["folder", "site.zip"])
def test_verifying_site_by_url_detects_damage(tmp_path: Path, place: str) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    mirrored(file, tmp_path / "folder")
    with served(tmp_path) as (url, _):
        assert verify_snapshot(f"{url}/{place}").is_intact
    (tmp_path / "folder/index.html").write_bytes(b"!")
    with served(tmp_path) as (url, _):
        assert verify_snapshot(f"{url}/{place}").is_intact == (place != "folder")


@pytest.mark.parametrize("read", [verify_snapshot, open_site])
def test_tar_zst_url_sends_no_request(tmp_path: Path, read: Callable[[str], object]) -> None:
    with served(tmp_path) as (url, requested):
        for query in ("", "?version=1"):
            with pytest.raises(PublishingError, match="no longer read"):
                read(f"{url}/site.tar.zst{query}")
    assert requested == []


def test_mirror_without_manifest_verifies_against_snapshot(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    folder = published(small_documents(), tmp_path / "folder")
    with served(tmp_path) as (url, _):
        with pytest.raises(DamagedSnapshotError, match="missing"):
            verify_snapshot(f"{url}/folder")
        assert verify_snapshot(f"{url}/folder", against=str(file)).is_intact
        (folder / "index.html").write_bytes(b"<p>" * 39 + b"<q>")
        problems = verify_snapshot(f"{url}/folder", against=str(file)).problems
    assert len(problems) == 1
    assert problems[0].startswith("index.html")


def test_mirror_with_different_manifest_is_rejected(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    mirrored(
        made(tmp_path / "other.zip", [*small_documents()[:-1], status(b"major")][3:]), tmp_path / "folder"
    )
    assert verify_snapshot(str(tmp_path / "folder")).is_intact
    assert not verify_snapshot(str(tmp_path / "folder"), against=str(file)).is_intact
    with pytest.raises(DamagedSnapshotError, match="is not the same version of the site"):
        verify_snapshot(str(tmp_path / "other.zip"), against=str(file))


def test_malformed_server_response_raises_error(tmp_path: Path) -> None:
    answers = {
        "/error": (500, {}, b""),
        "/long": (200, {}, b"x" * 2000),
        "/broken": (200, {"Content-Length": "500"}, b"x"),
        "/file": (302, {"Location": "file:///etc/passwd"}, b""),
        "/moved": (302, {"Location": "/there"}, b""),
        "/there": (200, {}, b"there"),
    }
    with served(tmp_path, answers=answers) as (url, _):
        for path, why in (
            ("error", "returns 500"),
            ("long", "more than"),
            ("broken", "bytes are missing"),
            ("file", ""),
        ):
            with pytest.raises(
                UnreachableError, match=f"^{url} .*{why}$" if why == "returns 500" else f"^{url} .*{why}"
            ):
                get(f"{url}/{path}", 1000)
        assert get(f"{url}/moved", 1000) == b"there"
        assert get(f"{url}/nothing", 1000) is None
    with pytest.raises(UnreachableError, match="refuses the connection"):
        get(f"{url}/gone", 1000)


def test_url_without_http_scheme_is_rejected() -> None:
    with pytest.raises(UnreachableError, match="not a web address"):
        get("file:///etc/passwd", 1000)
