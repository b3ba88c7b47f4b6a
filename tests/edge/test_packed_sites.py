"""Sites whose records and proofs are only in packs answer as those that have the files: on Deno, Cloudflare and Netlify."""

import json
import shutil
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.extensions.packs.pack_list import LIST
from statuary.extensions.packs.pack_sources import is_packable
from statuary.site.settings import HostingSettings, PathLayout
from support.edge_runtimes import (
    EDGE_TESTS,
    Served,
    run_deno,
    serve_project_with_cloudflare,
    serve_project_with_netlify,
)
from support.host_servers import caddy_and_deno, nginx_and_deno, serve_folder_with_deno
from support.packed_sites import build, built_files, list_of, packed_content, require_zstd
from support.same_answers import Request, Serve, asked, assert_same, requests_of
from support.sites import CHAIN, address_of, files_in, path_of, record_of

pytestmark = pytest.mark.slow

ON = frozenset({"packs", "apis"})
REMOVED, CHANGED, ADDED, UNKNOWN = 3, 5, 45, 99


class Sites(NamedTuple):
    """A project whose site has files, and one whose site has only packs; their content; what is in the folder of shards."""

    whole: Path
    packed: Path
    content: Path
    settings: HostingSettings


def publish(site: Path, out: Path) -> None:
    """Publish a site without the files that its packs have."""
    done = CliRunner().invoke(command, ["publish", str(site), "--to", str(out), "--exclude-packed"])
    assert done.exit_code == 0, done.output
    assert not [path for path in files_in(out) if is_packable(path)]


def made(root: Path, layout: PathLayout) -> Sites:
    content = packed_content(root / "whole", 40)
    with (content / "site.yaml").open("a") as file:
        file.write(f"apis: [etherscan, blockscout]\nhosting: {{layout: {layout}, files: [cloudflare]}}\n")
    out = root / "whole" / "build"
    built_files(content, out)
    (content / path_of(REMOVED)).unlink()
    changed = orjson.loads(record_of(CHANGED)) | {"verifiedAt": "2026-01-02T03:04:05Z"}
    (content / path_of(CHANGED)).write_bytes(orjson.dumps(changed))
    (content / path_of(ADDED)).write_bytes(record_of(ADDED))
    assert [pack.run for pack in list_of(built_files(content, out))] == [0, 1]
    packed = root / "packed"
    publish(out, packed / "build")
    return Sites(root / "whole", packed, content, HostingSettings(layout=layout))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    require_zstd()
    return made(tmp_path_factory.mktemp("plain"), PathLayout.PLAIN)


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    require_zstd()
    return made(tmp_path_factory.mktemp("sharded"), PathLayout.SHARDED)


def are_same(serve: Serve, sites: Sites, requests: list[Request], *, tags: bool = False, **more: Any) -> None:
    """Make sure that both sites answer the same."""
    with serve(sites.whole, settings=sites.settings, **more) as server:
        expected = asked(server, requests, tags=tags)
    with serve(sites.packed, settings=sites.settings, **more) as server:
        assert_same(expected, asked(server, requests, tags=tags))


@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_deno_serves_documents_from_packs(layout: str, request: pytest.FixtureRequest) -> None:
    sites: Sites = request.getfixturevalue(layout)
    numbers = (1, 17, 40, REMOVED, CHANGED, ADDED, UNKNOWN)
    are_same(
        serve_folder_with_deno, sites, [each for number in numbers for each in requests_of(number)], tags=True
    )


@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_cloudflare_serves_documents_from_packs(layout: str, request: pytest.FixtureRequest) -> None:
    sites: Sites = request.getfixturevalue(layout)
    requests = [each for number in (17, REMOVED, CHANGED, UNKNOWN) for each in requests_of(number)]
    are_same(serve_project_with_cloudflare, sites, requests, on=ON)


@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_netlify_serves_documents_from_packs(layout: str, request: pytest.FixtureRequest) -> None:
    """Each request starts a new worker there, so that a few are asked."""
    sites: Sites = request.getfixturevalue(layout)
    address, record = address_of(CHANGED), f"/v2/contract/{CHAIN}"
    requests = [
        ("GET", f"{record}/{address}?fields=abi,compilation.compiler"),
        ("HEAD", f"{record}/{address.lower()}"),
        ("GET", f"/proof/{CHAIN}/{address}.json"),
        ("HEAD", f"/proof/{CHAIN}/{address.lower()}.json"),
        ("GET", f"{record}/{address_of(REMOVED)}"),
        ("GET", f"/proof/{CHAIN}/{address_of(REMOVED)}.json"),
    ]
    are_same(serve_project_with_netlify, sites, requests, on=ON)


@contextmanager
def netlify(project: Path) -> Iterator[Served]:
    with serve_project_with_netlify(project, on=ON) as server:
        yield server


@contextmanager
def cloudflare(project: Path) -> Iterator[Served]:
    with serve_project_with_cloudflare(project, on=ON) as server:
        yield server


@pytest.mark.parametrize("serve", [serve_folder_with_deno, cloudflare, netlify])
def test_packed_document_etag_returns_304(serve: Serve, plain: Sites) -> None:
    with serve(plain.packed) as server:
        for target in (
            f"/v2/contract/{CHAIN}/{address_of(17)}",
            f"/v2/contract/{CHAIN}/{address_of(17)}?fields=abi",
            f"/proof/{CHAIN}/{address_of(17)}.json",
        ):
            tag = server.ask(target)["headers"]["etag"]
            for method in ("GET", "HEAD"):
                again = server.ask(target, method, {"If-None-Match": tag})
                assert (again["status"], again["body"], again["headers"]["etag"]) == (304, "", tag)
            assert server.ask(target, "GET", {"If-None-Match": '"other"'})["status"] == 200


@pytest.fixture
def damaged(plain: Sites, tmp_path: Path) -> Path:
    project = shutil.copytree(plain.packed, tmp_path / "damaged")
    base, *_ = list_of(_files(project))
    file = project / "build/packs" / base.path
    body = bytearray(file.read_bytes())
    for at in range(10, base.end.offset, 200):  # every frame
        body[at] ^= 1
    file.write_bytes(body)
    return project


def _files(project: Path) -> dict[str, bytes]:
    return {"packs/packs.json": (project / "build/packs/packs.json").read_bytes()}


@pytest.mark.parametrize("serve", [serve_folder_with_deno, cloudflare, netlify])
def test_damaged_pack_fails_only_affected_documents(serve: Serve, damaged: Path) -> None:
    with serve(damaged) as server:
        for target in (f"/v2/contract/{CHAIN}/{address_of(17)}", f"/proof/{CHAIN}/{address_of(1)}.json"):
            answer = server.ask(target)
            assert (answer["status"], answer["headers"]["content-type"]) == (
                500,
                "application/json; charset=utf-8",
            )
            said = json.loads(answer["body"])
            assert said["customCode"] == "internal_error"
            assert "is damaged at byte" in said["message"]
        assert server.ask(f"/v2/contracts/{CHAIN}")["status"] == 200
        assert server.ask(f"/v2/contract/{CHAIN}/{address_of(ADDED)}")["status"] == 200  # in the small pack


def test_missing_zstd_fails_only_packed_documents(plain: Sites) -> None:
    with serve_project_with_cloudflare(plain.packed) as server:  # nothing says that there are packs
        answer = server.ask(f"/v2/contract/{CHAIN}/{address_of(17)}")
        assert answer["status"] == 500
        assert "no zstdDecompressSync in node:zlib" in json.loads(answer["body"])["message"]
        assert server.ask(f"/v2/contracts/{CHAIN}")["status"] == 200
        assert server.ask("/v2/contract/1/" + address_of(17))["status"] == 500  # nobody knows
    with serve_project_with_cloudflare(plain.whole) as server:
        assert server.ask(f"/v2/contract/{CHAIN}/{address_of(17)}")["status"] == 200


def test_cloudflare_reads_pack_once(plain: Sites, tmp_path: Path) -> None:
    """Its assets ignore ranges: the pack is in the cache after the first look-up, and parts are read from there."""
    project = shutil.copytree(plain.packed, tmp_path / "once")
    (base, _) = list_of(_files(project))
    with cloudflare(project) as server:
        assert server.ask(f"/v2/contract/{CHAIN}/{address_of(17)}")["status"] == 200
        (project / "build/packs" / base.path).unlink()
        for number in (1, 40):
            answer = server.fetch(f"/v2/contract/{CHAIN}/{address_of(number)}")
            assert answer["status"] == 200
            assert answer["body"] == (plain.whole / "build" / record_path(number)).read_bytes()


@pytest.mark.parametrize("serve", [nginx_and_deno, caddy_and_deno])
def test_deno_behind_proxy_serves_packed_documents(serve: Serve, plain: Sites) -> None:
    record = record_path(17)
    proof = f"proof/{CHAIN}/{address_of(17)}.json"
    with serve(plain.packed) as server:
        for path in (record, proof):
            answer = server.fetch(f"/{path}")
            assert (answer["status"], answer["body"]) == (200, (plain.whole / "build" / path).read_bytes())
            again = server.ask(f"/{path}", "HEAD", {"If-None-Match": answer["headers"]["etag"]})
            assert (again["status"], again["body"]) == (304, "")
        (pack, *_) = list_of(_files(plain.packed))
        part = server.fetch(f"/packs/{pack.path}", {"Range": "bytes=5-9"})
        whole = (plain.packed / "build/packs" / pack.path).read_bytes()
        assert (part["status"], part["body"]) == (206, whole[5:10])


def test_running_server_reads_newly_published_packs(plain: Sites, tmp_path: Path) -> None:
    """The server goes on: packs are gone, one contract is removed, one is new; then there are files, and no packs."""
    content, out = tmp_path / "content", tmp_path / "build"
    shutil.copytree(plain.content, content)
    shutil.copytree(plain.whole / "build", out)
    served = tmp_path / "served" / "build"

    def statuses(server: Served) -> list[int]:
        paths = [f"/v2/contract/{CHAIN}/{address_of(number)}" for number in (1, 2, 50)]
        return [server.ask(path)["status"] for path in paths]

    publish(out, served)
    with serve_folder_with_deno(tmp_path / "served") as server:
        assert statuses(server) == [200, 200, 404]
        (content / path_of(2)).unlink()
        (content / path_of(50)).write_bytes(record_of(50))
        shutil.rmtree(out / "packs")  # a build packs everything anew then
        built_files(content, out)
        publish(out, served)
        assert statuses(server) == [200, 404, 200]
        settings = (content / "site.yaml").read_text()
        (content / "site.yaml").write_text(settings.replace("packs: true", "packs: false"))
        assert build(content, out).applied
        done = CliRunner().invoke(command, ["publish", str(out), "--to", str(served)])
        assert done.exit_code == 0, done.output
        assert not (served / "packs").exists()
        assert statuses(server) == [200, 404, 200]


LATER = 3_600_000
"""An hour in milliseconds."""


def reads(publications: list[dict[str, bytes]], steps: list[int | str], age: int = LATER) -> list[Any]:
    """Return what is read from packs, and what was asked of the host for it."""
    texts = [
        {path: b64encode(body).decode() for path, body in files.items() if len(path) < 90}
        for files in publications
    ]
    question = json.dumps({"publications": texts, "steps": steps, "age": age})
    found: list[Any] = run_deno(EDGE_TESTS / "packed_reads.js", question)
    return found


def record_path(number: int) -> str:
    return f"v2/contract/{CHAIN}/{address_of(number).lower()}"


def tag_of(body: bytes) -> str:
    return b64encode(sha1(body, usedforsecurity=False).digest()).decode()


def test_edge_requests_absent_pack_list_once() -> None:
    files = {record_path(1): b"{}"}
    asked = reads([files], [record_path(1), record_path(2), record_path(3), record_path(1), "chains"])
    assert asked == [
        [tag_of(b"{}"), [record_path(1)]],
        [None, [record_path(2), LIST]],
        [None, [record_path(3)]],
        [tag_of(b"{}"), [record_path(1)]],
        [None, ["chains"]],
    ]


def test_repeated_pack_lookup_reuses_cached_index(plain: Sites) -> None:
    files = files_in(plain.packed / "build")
    base, run = (f"packs/{pack.path}" for pack in list_of(files))
    wanted = tag_of((plain.whole / "build" / record_path(17)).read_bytes())
    first, again, unknown = reads([files], [record_path(17), record_path(17), record_path(UNKNOWN)])
    assert first == [wanted, [record_path(17), LIST, f"{run} in part", *[f"{base} in part"] * 2]]
    assert again == [wanted, [record_path(17), f"{base} in part"]]
    assert unknown == [None, [record_path(UNKNOWN)]]


def test_missing_pack_file_reloads_pack_list(plain: Sites) -> None:
    files = files_in(plain.packed / "build")
    packs = [f"packs/{pack.path}" for pack in list_of(files)]
    listed = json.loads(files[LIST])
    newest = {
        "version": 1,
        "packs": [pack | {"path": f"data/new-{at}.pack"} for at, pack in enumerate(listed["packs"])],
    }
    moved = {f"packs/data/new-{at}.pack": files[path] for at, path in enumerate(packs)}
    later = moved | {LIST: json.dumps(newest).encode()}
    wanted = tag_of((plain.whole / "build" / record_path(17)).read_bytes())
    there, found = reads([files, later], [record_path(40), 1, record_path(17)])
    assert there[0]
    assert found[0] == wanted
    assert found[1].count(LIST) == 1
    lost = {LIST: files[LIST]}
    (told,) = reads([lost], [record_path(17)])
    assert told[0].startswith("The packs of this site cannot be read: ")
    assert told[0].endswith(".pack cannot be read: 404")
    assert told[1].count(LIST) == 2
    _, gone = reads([files, {}], [record_path(40), 1, record_path(17)])
    assert gone[0] is None
    assert gone[1][-2:] == [LIST, record_path(17)]  # the packs are gone: there may be files again


def test_invalid_pack_list_fails_every_request(plain: Sites) -> None:
    files = files_in(plain.packed / "build")
    broken = {LIST: b"{"}
    newer = {LIST: b'{"version":2,"packs":[]}'}
    first, second, third = reads(
        [broken, newer, files], [record_path(17), 1, record_path(17), 2, record_path(17)]
    )
    assert first[0].startswith("The packs of this site cannot be read: ")
    assert second[0].endswith("packs/packs.json has version 2, not 1")
    assert third[0] == tag_of((plain.whole / "build" / record_path(17)).read_bytes())


def test_deno_serve_answers_range_requests(plain: Sites) -> None:
    (pack, *_) = list_of(_files(plain.packed))
    target = f"/packs/{pack.path}"
    body = (plain.packed / "build/packs" / pack.path).read_bytes()
    size = len(body)
    with serve_folder_with_deno(plain.packed) as server:
        whole = server.fetch(target)
        assert (whole["status"], whole["body"], whole["headers"]["accept-ranges"]) == (200, body, "bytes")
        tag = whole["headers"]["etag"]
        assert not tag.startswith("W/")

        for text, start, end in (
            ("bytes=0-0", 0, 1),
            ("bytes=5-9", 5, 10),
            ("bytes=10-", 10, size),
            ("bytes=-7", size - 7, size),
            ("bytes=0-", 0, size),
            (f"bytes=-{size + 1}", 0, size),
            (f"bytes=1-{size * 2}", 1, size),
        ):
            part = server.fetch(target, {"Range": text})
            assert (part["status"], part["body"]) == (206, body[start:end]), text
            assert part["headers"]["content-range"] == f"bytes {start}-{end - 1}/{size}"
            assert part["headers"]["content-length"] == str(end - start)
            assert part["headers"]["etag"] == tag
        for text in (f"bytes={size}-", f"bytes={size}-{size + 5}", "bytes=-0"):
            none = server.fetch(target, {"Range": text})
            assert (none["status"], none["body"], none["headers"]["content-range"]) == (
                416,
                b"",
                f"bytes */{size}",
            ), text
        for text in (
            "bytes=9-5",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "lines=1-2",
            "bytes=0-1,4-5",
        ):
            assert server.fetch(target, {"Range": text})["status"] == 200, text
        for if_range, status in (
            (tag, 206),
            (f"W/{tag}", 200),
            ('"x"', 200),
            ("Wed, 21 Oct 2026 07:28:00 GMT", 200),
        ):
            assert server.fetch(target, {"Range": "bytes=0-1", "If-Range": if_range})["status"] == status
        assert (
            server.fetch(target, {"Range": "bytes=0-1"}, "HEAD")["status"] == 200
        )  # of GET only (RFC 9110, 14.2)
        assert server.fetch(target, {"Range": "bytes=0-1", "If-None-Match": tag})["status"] == 304
        text = server.fetch("/packs/packs.json", {"Range": "bytes=0-1", "Accept-Encoding": "gzip"})
        assert (text["status"], text["body"], text["headers"]["etag"][:2]) == (206, b'{"', "W/")
        assert "content-encoding" not in text["headers"]
        assert text["headers"]["vary"] == "Accept-Encoding"
        weak = {"Range": "bytes=0-1", "If-Range": text["headers"]["etag"]}
        assert server.fetch("/packs/packs.json", weak)["status"] == 200
        assert server.fetch("/nothing", {"Range": "bytes=0-1"})["status"] == 404
