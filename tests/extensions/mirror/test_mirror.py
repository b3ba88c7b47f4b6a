"""Mirrors: byte for byte, of what differs alone, resumed where a run was cut, and nothing of a server that lies."""

import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statuary.base.files import MANIFEST, manifest_part_path
from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.extensions.mirror import mirror_site, served_site
from statuary.extensions.mirror.served_site import ServedSite
from statuary.publish.listing import Entry, encode_part
from statuary.publish.manifest import Manifest, encode_manifest
from statuary.publish.origin import SiteOrigin
from statuary.system.network.client import Retries, UnreachableError
from support.edge_runtimes import served as server_process
from support.file_server import Answers, served
from support.logs import KEY, LOGGED_SITE, logged
from support.sites import INCIDENT, NOW, build, path_of, record_of, small_site, tree, write_files

ORIGIN = SiteOrigin(parse_instant(NOW), "", "0.2.0")

REQUESTS = re.compile(r"^([\d,]+) requests?, ", re.MULTILINE)


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_site, "RETRIES", Retries(tries=2, first_pause=0.01))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with a contract."""
    content = write_files(small_site(tmp_path), {path_of(1): record_of(1)})
    build(content, tmp_path / "site", NOW)
    return tmp_path / "site"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(command, list(map(str, arguments)))
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def mirrored(url: str, folder: Path, *options: str) -> int:
    """Mirror a site; return how many requests it took."""
    return int(REQUESTS.findall(run("mirror", url, folder, *options).output)[0].replace(",", ""))


@pytest.mark.slow
def test_unchanged_mirror_requests_only_manifest(site: Path, tmp_path: Path) -> None:
    with served(site) as (url, asked):
        mirrored(url, tmp_path / "mirror")
        assert tree(tmp_path / "mirror") == tree(site)
        asked.clear()
        mirrored(url, tmp_path / "mirror")
    assert sorted(asked) == [f"/{MANIFEST}", f"/{MANIFEST}.minisig"]


@pytest.mark.slow
def test_second_mirror_fetches_only_changed_files(site: Path, tmp_path: Path) -> None:
    before = tree(site)
    with served(site) as (url, asked):
        mirrored(url, tmp_path / "mirror")
        changes = {"incidents/slow.yaml": INCIDENT.replace("Slow", "Very slow"), path_of(2): record_of(2)}
        build(write_files(tmp_path / "content", changes | {"maintenances/upgrade.yaml": None}), site, NOW)
        asked.clear()
        mirrored(url, tmp_path / "mirror")
    after = tree(site)
    assert tree(tmp_path / "mirror") == after
    changed = {path for path, body in after.items() if before.get(path) != body}
    own = {"snapshot/manifest.json", "snapshot/manifest.json.minisig"}
    assert {path.removeprefix("/") for path in asked} <= changed | own
    assert len(asked) == len(set(asked))


@pytest.mark.slow
def test_mirror_deletes_only_stale_files(site: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    with served(site) as (url, _):
        mirrored(url, mirror)
        write_files(mirror, {"theirs.txt": "theirs", "incidents/theirs.json": "theirs"})
        build(write_files(tmp_path / "content", {"incidents/slow.yaml": None}), site, NOW)
        mirrored(url, mirror)
    assert tree(mirror) == tree(site) | {"theirs.txt": b"theirs", "incidents/theirs.json": b"theirs"}


@pytest.mark.slow
def test_conflicting_foreign_file_stops_mirror(site: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "mirror", {"index.html": "theirs"})
    with served(site) as (url, _):
        assert "the folder has files at the site's paths that statuary did not write: index.html" in str(
            run("mirror", url, tmp_path / "mirror", code=3).output
        )
    assert tree(tmp_path / "mirror") == {"index.html": b"theirs"}


@pytest.mark.slow
@pytest.mark.parametrize("cut_after", [0, 1, 40, 100])
def test_interrupted_mirror_resumes_without_repeated_requests(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut_after: int
) -> None:
    """Each file is asked for once in both runs together, but for those of the batch that was cut."""
    monkeypatch.setattr(mirror_site, "BATCH_FILES", 8)
    fetch, fetched = ServedSite.fetch_verified, list[str]()

    def cut(self: ServedSite, entry: Entry) -> bytes:
        if len(fetched) >= cut_after:
            raise UnreachableError(self.url, "is gone")
        fetched.append(entry.path)
        return fetch(self, entry)

    mirror = tmp_path / "mirror"
    with served(site) as (url, asked):
        monkeypatch.setattr(ServedSite, "fetch_verified", cut)
        assert f"{url} is gone" in run("mirror", url, mirror, code=3).output
        assert tree(mirror) == {}
        monkeypatch.setattr(ServedSite, "fetch_verified", fetch)
        first = set(asked)
        asked.clear()
        mirrored(url, mirror)
    assert tree(mirror) == tree(site)
    assert len(first.intersection(asked)) <= 8 + 4


@pytest.mark.slow
def test_interrupted_mirror_resumes_with_updated_site(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror_site, "BATCH_FILES", 1)
    fetch, mirror = ServedSite.fetch_verified, tmp_path / "mirror"

    def cut(self: ServedSite, entry: Entry) -> bytes:
        if entry.path.startswith("v2/"):
            raise UnreachableError(self.url, "is gone")
        return fetch(self, entry)

    with served(site) as (url, _):
        monkeypatch.setattr(ServedSite, "fetch_verified", cut)
        run("mirror", url, mirror, code=3)
        monkeypatch.setattr(ServedSite, "fetch_verified", fetch)
        build(write_files(tmp_path / "content", {"incidents/slow.yaml": None}), site, NOW)
        mirrored(url, mirror)
    assert tree(mirror) == tree(site)


@pytest.mark.slow
def test_publication_during_mirror_restarts_comparison(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, builds = ServedSite.fetch_verified, list[str]()

    def publish(self: ServedSite, entry: Entry) -> bytes:
        if not builds and entry.path.startswith("api/"):
            builds.append(entry.path)
            build(write_files(tmp_path / "content", {"incidents/slow.yaml": None}), site, NOW)
        return fetch(self, entry)

    monkeypatch.setattr(ServedSite, "fetch_verified", publish)
    monkeypatch.setattr(mirror_site, "CONNECTIONS", 1)
    with served(site) as (url, _):
        mirrored(url, tmp_path / "mirror")
    assert builds
    assert tree(tmp_path / "mirror") == tree(site)


@pytest.mark.slow
@pytest.mark.parametrize("option", ["", "--verify"])
def test_damaged_mirror_files_are_refetched(site: Path, tmp_path: Path, option: str) -> None:
    mirror = tmp_path / "mirror"
    with served(site) as (url, asked):
        mirrored(url, mirror)
        page = mirror / "index.html"
        if option:
            page.write_bytes(page.read_bytes()[::-1])
        else:
            page.unlink()
        asked.clear()
        mirrored(url, mirror, *filter(None, [option]))
    assert tree(mirror) == tree(site)
    assert "/index.html" in asked
    assert len(asked) == 3


@pytest.mark.slow
def test_lost_ledger_is_rebuilt_from_manifest(site: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    with served(site) as (url, asked):
        mirrored(url, mirror)
        shutil.rmtree(mirror / ".statuary")
        (mirror / "theirs.txt").write_text("theirs", "utf-8")
        build(write_files(tmp_path / "content", {"incidents/slow.yaml": None}), site, NOW)
        asked.clear()
        mirrored(url, mirror)
    assert tree(mirror) == tree(site) | {"theirs.txt": b"theirs"}
    assert not [path for path in asked if path.startswith("/v2/contract/")]


@pytest.mark.slow
def test_mirror_of_mirror_is_identical(site: Path, tmp_path: Path) -> None:
    with served(site) as (url, _):
        mirrored(url, tmp_path / "first")
    with served(tmp_path / "first") as (url, _):
        mirrored(url, tmp_path / "second")
    assert tree(tmp_path / "second") == tree(site)


def test_mirror_dry_run_only_lists_changes(site: Path, tmp_path: Path) -> None:
    with served(site) as (url, _):
        mirrored(url, tmp_path / "mirror")
        (tmp_path / "mirror/index.html").unlink()
        before = tree(tmp_path / "mirror")
        printed = run("mirror", url, tmp_path / "mirror", "--dry-run").output
    assert printed.startswith("~ index.html")
    assert "1 change would be made" in printed
    assert tree(tmp_path / "mirror") == before


LATER = "2026-11-21T22:30:00Z"
"""An instant in the maintenance, of which the build of `NOW` has the epoch."""


@pytest.mark.slow
def test_mirror_of_server_stores_built_files(site: Path, tmp_path: Path) -> None:
    serve = [sys.executable, "-m", "statuary", "serve", "--port", "0", "--at", LATER, str(site)]
    with server_process(serve, r"at http://127\.0\.0\.1:(\d+)/") as server:
        url = f"http://127.0.0.1:{server.port}"
        mirrored(url, tmp_path / "mirror")
        run("snapshot", "verify", url)
        run("snapshot", "create", "--from", url, tmp_path / "site.zip")
        assert b"under_maintenance" in run("extract", url, "api/v2/summary.json").stdout_bytes
    assert tree(tmp_path / "mirror") == tree(site)
    run("snapshot", "create", "--from", tmp_path / "mirror", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "site.zip").read_bytes()


@pytest.mark.slow
def test_transparency_log_verifies_on_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATUARY_STATE", str(tmp_path / "state"))
    logged(write_files(tmp_path / "content", LOGGED_SITE), tmp_path / "site")
    with served(tmp_path / "site") as (url, _):
        mirrored(url, tmp_path / "mirror")
    assert tree(tmp_path / "mirror") == tree(tmp_path / "site")
    run("log", "verify", tmp_path / "mirror", "--public-key", KEY.public.text)


@pytest.mark.slow
def test_mirror_skips_host_configuration_files(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    with (content / "site.yaml").open("a") as file:
        file.write("hosting: {files: [netlify, github-pages]}\n")
    build(content, tmp_path / "site", NOW)
    assert (tmp_path / "site/_headers").is_file()
    with served(tmp_path / "site") as (url, asked):
        mirrored(url, tmp_path / "mirror")
    own = {"_headers", "_redirects", ".nojekyll"}
    assert tree(tmp_path / "mirror") == {
        path: body for path, body in tree(tmp_path / "site").items() if path not in own
    }
    assert not own & {path.removeprefix("/") for path in asked}
    run("snapshot", "verify", tmp_path / "site")


@pytest.mark.slow
def test_mirror_into_other_site_fails(site: Path, tmp_path: Path) -> None:
    with served(site) as (url, _), served(site) as (other, _):
        assert "has a site that was built or published into it" in run("mirror", url, site, code=3).output
        mirrored(url, tmp_path / "mirror")
        assert f"is the mirror of {url}" in run("mirror", other, tmp_path / "mirror", code=3).output


@pytest.mark.slow
def test_older_mirror_requires_allow_older_option(tmp_path: Path) -> None:
    content, mirror = small_site(tmp_path), tmp_path / "mirror"
    build(content, tmp_path / "new", "2026-11-25T12:00:00Z")
    build(content, tmp_path / "old", NOW)
    with served(tmp_path / "new") as (url, _):
        mirrored(url, mirror)
        shutil.rmtree(tmp_path / "new")
        shutil.copytree(tmp_path / "old", tmp_path / "new")
        before = tree(mirror)
        assert f"{mirror} has a newer site" in run("mirror", url, mirror, code=3).output
        assert tree(mirror) == before
        mirrored(url, mirror, "--allow-older")
    assert tree(mirror) == tree(tmp_path / "old")


def listing_of(entries: list[Entry], **changes: object) -> Answers:
    """Return the answers of a server whose manifest lists these entries."""
    part, text = encode_part(entries)
    size = sum(entry.size for entry in entries)
    manifest = Manifest(ORIGIN, len(entries), len(entries), size, (part,))._replace(**changes)
    return {
        f"/{MANIFEST}": (200, {}, encode_manifest(manifest)),
        f"/{manifest_part_path(part.sha256)}": (200, {}, text),
    }


def entry_of(path: str, body: bytes = b"x", size: int | None = None) -> Entry:
    return Entry(path, (), len(body) if size is None else size, sha256(body).hexdigest(), "text/plain")


LIES: dict[str, tuple[Answers, int, str]] = {
    "a path that leaves the folder": (listing_of([entry_of("../x")]), 3, "is not a path inside a site"),
    "an absolute path": (listing_of([entry_of("/etc/x")]), 3, "is not a path inside a site"),
    "the ledger": (listing_of([entry_of(".statuary/ledger.sqlite3")]), 3, "is not a path"),
    "the manifest itself": (listing_of([entry_of("snapshot/manifest.json")]), 3, "hidden or reserved path"),
    "a hidden file": (
        listing_of([entry_of(".git/config")]),
        3,
        "is a hidden or reserved path, which no file of a site may have",
    ),
    "a path twice": (listing_of([entry_of("a"), entry_of("a")]), 3, "twice, or not in order"),
    "paths out of order": (listing_of([entry_of("b"), entry_of("a")]), 3, "twice, or not in order"),
    "two paths that differ in case": (listing_of([entry_of("A"), entry_of("a")]), 3, "differ only in case"),
    "a file as a folder": (listing_of([entry_of("a"), entry_of("a/b")]), 3, "is a file and a folder"),
    "a file of a petabyte": (listing_of([entry_of("a", size=10**15)]), 3, "bytes more, and"),
    "a file that is too large": (
        listing_of([entry_of("a", size=300 << 20)]),
        1,
        "more than a file of a site can have",
    ),
    "other counts": (listing_of([entry_of("a")], documents=2), 3, "it counts more or fewer files"),
    "a file that is missing": (listing_of([entry_of("a")]), 1, "the server has no such file"),
    "other bytes": (
        listing_of([entry_of("a")]) | {"/a": (200, {}, b"y")},
        1,
        "a has another SHA-256 than the manifest lists",
    ),
    "fewer bytes": (listing_of([entry_of("a", b"xx")]) | {"/a": (200, {}, b"x")}, 1, "a has 1 bytes"),
    "more bytes": (listing_of([entry_of("a")]) | {"/a": (200, {}, b"x" * 100)}, 1, "sends more than 1 bytes"),
    "a forbidden file": (listing_of([entry_of("a")]) | {"/a": (403, {}, b"x" * 9)}, 1, "or refuses it"),
    "another part": (
        {
            path: (200, {}, body.replace(b"text", b"TEXT") if "parts" in path else body)
            for path, (_, _, body) in listing_of([entry_of("a")]).items()
        },
        3,
        "its SHA-256 differs from its name",
    ),
    "no manifest": ({}, 3, f"has no {MANIFEST}"),
    "a page in its place": ({f"/{MANIFEST}": (200, {}, b"<html>")}, 3, "is not JSON"),
    "a manifest of brackets": ({f"/{MANIFEST}": (200, {}, b"[" * 1_000_000)}, 3, "is not JSON"),
    "a manifest that was changed": (
        {
            path: (200, {}, body.replace(b'"documents":1,"names"', b'"documents":2,"names"'))
            for path, (_, _, body) in listing_of([entry_of("a")]).items()
        },
        3,
        "was changed after the build: its digest is wrong",
    ),
    "a redirect to a file": (
        {f"/{MANIFEST}": (302, {"Location": "file:///etc/passwd"}, b"")},
        3,
        "web address",
    ),
    "redirects without end": (
        {f"/{MANIFEST}": (302, {"Location": f"/{MANIFEST}"}, b"")},
        3,
        "redirects more",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_malicious_server_is_reported_without_writes(tmp_path: Path, lie: str) -> None:
    answers, code, message = LIES[lie]
    with served(tmp_path / "nothing", answers=answers) as (url, _):
        printed = run("mirror", url, tmp_path / "mirror", code=code).output
    assert message in printed
    assert tree(tmp_path / "mirror") == {}


def test_mirror_rejects_oversized_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_site, "LARGEST_MANIFEST", 100)
    with served(tmp_path, answers=listing_of([entry_of("a")])) as (url, _):
        assert "sends more than 100 bytes" in run("mirror", url, tmp_path / "mirror", code=3).output


@pytest.mark.slow
def test_failed_mirror_keeps_valid_downloads(site: Path, tmp_path: Path) -> None:
    """The folder stays as it was; once the server sends what it lists, only that is fetched."""
    mirror = tmp_path / "mirror"
    answers: Answers = {"/assets/statuary.css": (200, {}, b"@import 'evil.css'")}
    with served(site, answers=answers) as (url, asked):
        printed = run("mirror", url, mirror, code=1).output
        assert "assets/statuary.css has 18 bytes" in printed
        assert "is unchanged" in printed
        assert tree(mirror) == {}
        answers.clear()
        asked.clear()
        mirrored(url, mirror)
        assert [path for path in asked if "snapshot/" not in path] == ["/assets/statuary.css"]
    assert tree(mirror) == tree(site)


@pytest.mark.parametrize(
    ("url", "message"),
    [("site", "is not a URL"), ("https://s.example.org/site.zip", "is a snapshot in a file")],
)
def test_mirror_of_invalid_url_is_reported(tmp_path: Path, url: str, message: str) -> None:
    assert message in run("mirror", url, tmp_path / "mirror", code=3).output


HOST_FILES = (
    "Package.json",
    "_worker.js",
    "api/run.py",
    "functions/api.js",
    "netlify.toml",
    "pages/index.php",
)


def test_host_files_require_mirror_option(tmp_path: Path) -> None:
    paths = sorted([*HOST_FILES, "index.html", "api/v2/summary.json"])
    answers = listing_of([entry_of(path) for path in paths]) | {f"/{path}": (200, {}, b"x") for path in paths}
    (tmp_path / "site").mkdir()
    with served(tmp_path / "site", answers=answers) as (url, asked):
        output = run("mirror", url, tmp_path / "mirror").output
        assert [path for path in HOST_FILES if (tmp_path / "mirror" / path).exists()] == []
        assert (tmp_path / "mirror/api/v2/summary.json").is_file()
        assert [path for path in HOST_FILES if f"not copied: {path} (" not in output] == []
        assert not any(path in str(asked) for path in HOST_FILES)
        assert "not copied" not in run("mirror", url, tmp_path / "mirror", "--with-host-files").output
        assert [path for path in HOST_FILES if not (tmp_path / "mirror" / path).exists()] == []
        run("mirror", url, tmp_path / "mirror")
        assert [path for path in HOST_FILES if (tmp_path / "mirror" / path).exists()] == []


def test_conflicting_same_time_site_is_reported(tmp_path: Path) -> None:
    """Neither is newer, so it is taken with a warning; the same one again is not."""
    (tmp_path / "site").mkdir()
    answers: Answers = {"/a": (200, {}, b"x"), "/b": (200, {}, b"x")}
    printed = []
    with served(tmp_path / "site", answers=answers) as (url, _):
        for path in ("a", "b", "b"):
            answers.update(listing_of([entry_of(path)]))
            printed.append(
                "another site with the same build time" in run("mirror", url, tmp_path / "mirror").output
            )
    assert printed == [False, True, False]


def test_mirror_rejects_manifest_dated_in_future(tmp_path: Path) -> None:
    future = SiteOrigin(parse_instant("9999-01-01T00:00:00Z"), "", "0.2.0")
    (tmp_path / "site").mkdir()
    with served(tmp_path / "site", answers=listing_of([entry_of("a")], origin=future)) as (url, _):
        assert (
            "more than a day ahead of this machine's clock"
            in run("mirror", url, tmp_path / "mirror", code=3).output
        )
    assert not (tmp_path / "mirror/a").exists()
