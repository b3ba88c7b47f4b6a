"""The readers that stand alone, in Python and in JavaScript, against servers that serve ranges and such that do not."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

import statuary.extensions.packs
from statuary.extensions.packs.commands import JAVASCRIPT_READER
from statuary.extensions.packs.pack_format import make_pack_key
from statuary.extensions.packs.pack_list import iter_newest_documents
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.snapshots.streams import FileRanges
from support import file_server
from support.edge_runtimes import deno
from support.host_servers import serve_with_nginx, serve_with_statuary
from support.packed_sites import built_files, list_of, packed_content, require_zstd
from support.sites import path_of, record_of

READERS = Path(statuary.extensions.packs.__file__).parent
RUNNER = Path(__file__).with_name("read_packs.mjs")


@pytest.fixture(autouse=True)
def _extra() -> None:
    require_zstd()


class Packed:
    """A project whose site has a base and two small runs."""

    def __init__(self, root: Path) -> None:
        self.project = root
        content = packed_content(root, 60)
        self.out = root / "build"
        built_files(content, self.out)
        for number in range(70, 80):
            (content / path_of(number)).write_bytes(record_of(number))
        built_files(content, self.out)
        (content / path_of(3)).unlink()
        changed = orjson.loads(record_of(5)) | {"verifiedAt": "2026-01-02T03:04:05Z"}
        (content / path_of(5)).write_bytes(orjson.dumps(changed))
        files = built_files(content, self.out)
        self.packs = list_of(files)
        self.documents = {make_pack_key(path): body for path, body in files.items() if is_packable(path)}
        base = iter_newest_documents(
            self.packs[:1], lambda pack: FileRanges(self.out / "packs" / pack.path), with_removals=False
        )
        (self.removed,) = {
            document.key
            for document in base
            if document.key not in self.documents and document.key.startswith("v2/contract/7")
        }
        keys = sorted(self.documents)
        self.paths = [keys[0], keys[-1], *keys[::25], self.removed, "v2/contract/1/0x" + "e" * 40, "a", "z"]
        self.upper = f"/{keys[-1][:-40]}{keys[-1][-40:].upper()}"
        self.paths.append(self.upper)

    def digest(self, path: str) -> str | None:
        body = self.documents.get(path.lstrip("/").lower())
        return None if body is None else sha256(body).hexdigest()


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    require_zstd()
    site = Packed(tmp_path_factory.mktemp("packed"))
    assert [pack.run for pack in site.packs] == [0, 1, 2]
    return site


@contextmanager
def with_ranges(project: Path) -> Iterator[str]:
    with file_server.served(project / "build") as (url, _):
        yield url


@contextmanager
def without_ranges(project: Path) -> Iterator[str]:
    with file_server.served(project / "build", ranges=False) as (url, _):
        yield url


@contextmanager
def nginx(project: Path) -> Iterator[str]:
    with serve_with_nginx(project) as server:
        yield f"http://127.0.0.1:{server.port}"


@contextmanager
def own_server(project: Path) -> Iterator[str]:
    with serve_with_statuary(project) as server:
        yield f"http://127.0.0.1:{server.port}"


Server = Callable[[Path], AbstractContextManager[str]]
SERVERS = [with_ranges, without_ranges, nginx, own_server]


def run_javascript() -> list[str]:
    """Return a command that runs the script: Deno has Zstandard, and so has Node.js from 22.15 on."""
    return [deno(), "run", "--quiet", "--no-config", "--allow-net=127.0.0.1", "--allow-read", str(RUNNER)]


def asked_of_javascript(url: str, paths: list[str]) -> dict[str, Any]:
    command = [*run_javascript(), JAVASCRIPT_READER.as_uri(), url, *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("server", SERVERS)
def test_javascript_pack_reader_returns_exact_documents(packed: Packed, server: Server) -> None:
    with server(packed.project) as url:
        found = asked_of_javascript(url, packed.paths * 2)
    for path in packed.paths:
        assert found[path].get("sha256") == packed.digest(path), (path, found[path])
        # the second time every end and leaf is there
        assert len(found[path]["requests"]) <= 1, found[path]


@pytest.mark.slow
@pytest.mark.parametrize("server", SERVERS)
def test_python_pack_reader_returns_exact_documents(packed: Packed, server: Server) -> None:
    reader = str(READERS / "standalone.py.txt")
    with server(packed.project) as url:
        for path in packed.paths:
            done = subprocess.run(
                [sys.executable, "-I", reader, url, path], capture_output=True, timeout=60, check=False
            )
            wanted = packed.documents.get(path.lstrip("/").lower())
            if wanted is None:
                assert (done.returncode, done.stderr) == (1, f"there is no {path}\n".encode())
            else:
                assert (done.returncode, done.stdout) == (0, wanted), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("place", ["frame", "end", "list"])
def test_standalone_pack_readers_report_damaged_packs(packed: Packed, tmp_path: Path, place: str) -> None:
    base, *_ = packed.packs
    body = bytearray((packed.out / "packs" / base.path).read_bytes())
    text = (packed.out / "packs/packs.json").read_bytes()
    body[10 if place == "frame" else base.end.offset + 9] ^= place != "list"
    (tmp_path / "packs/data").mkdir(parents=True)
    for pack in packed.packs[1:]:
        (tmp_path / "packs" / pack.path).write_bytes((packed.out / "packs" / pack.path).read_bytes())
    (tmp_path / "packs" / base.path).write_bytes(body)
    (tmp_path / "packs/packs.json").write_bytes(
        text.replace(b'"version":1', b'"version":2') if place == "list" else text
    )
    path = min(packed.documents)
    with file_server.served(tmp_path) as (url, _):
        done = subprocess.run(
            [sys.executable, "-I", str(READERS / "standalone.py.txt"), url, path],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 1
        assert (b"version 2" if place == "list" else b"is damaged") in done.stderr
        assert b"Traceback" not in done.stderr
        if place != "list":
            assert "is damaged" in asked_of_javascript(url, [path])[path]["error"]


@pytest.mark.slow
def test_large_pack_requires_server_range_support(packed: Packed, tmp_path: Path) -> None:
    value = json.loads((packed.out / "packs/packs.json").read_bytes())
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs/packs.json").write_bytes(orjson.dumps(value))
    name = f"/packs/{value['packs'][0]['path']}"
    large = {name: (200, {"Content-Length": str(33 << 20)}, b"")}
    path = min(packed.documents)
    with file_server.served(tmp_path, answers=large) as (url, _):
        done = subprocess.run(
            [sys.executable, "-I", str(READERS / "standalone.py.txt"), url, path],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert b"does not support ranges" in done.stderr
        assert "does not support ranges" in asked_of_javascript(url, [path])[path]["error"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage: "),
        (["http://127.0.0.1:9", "v2/x"], "http://127.0.0.1:9 cannot be read: "),
        (["nowhere", "v2/x"], "nowhere cannot be read: "),
        (["{}", "v2/x"], "cannot be read: "),
    ],
)
def test_python_pack_reader_prints_failure(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs/packs.json").write_text("{}")
    with file_server.served(tmp_path) as (url, _):
        command = [sys.executable, "-I", str(READERS / "standalone.py.txt")]
        done = subprocess.run(
            [*command, *(url if argument == "{}" else argument for argument in arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
