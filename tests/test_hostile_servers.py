"""Every command that reads the network, against servers that want to hold it up, fill it, lead it away or mislead it.

HOSTILE=20 tries each attack so often on each command, each time from another request on; by default one attack is
tried on each command.
"""

import gzip
import itertools
import os
import random
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from statuary.base.primitives import checksum_address
from statuary.extensions.conform import deployment
from statuary.extensions.importing import sources
from statuary.extensions.importing.evidence import ethereum_node as node_client
from statuary.extensions.mirror import served_site
from statuary.system.network import client, connections
from statuary.system.network.client import Retries
from statuary.system.network.connections import Timeouts
from support.edge_runtimes import served as server_process
from support.ethereum_node import ask, ethereum_node, send
from support.file_server import served
from support.imported_projects import FOUNDRY, chain, empty_site
from support.logs import KEY, LOGGED_SITE, logged
from support.random_runs import IS_LARGE, seeded
from support.sites import INCIDENT, NOW, SITE, path_of, record_of, write_files
from support.warm_commands import CRASHED, Outcome, WarmCommand, warm_up

pytestmark = pytest.mark.thorough

PACE = Timeouts(seconds=0.6, rate=16 << 10, timeout=1, each=0.05)
"""What a command waits for a server here, for a minute elsewhere."""

Send = Callable[[bytes], None]
Attack = Callable[[Send, bytes, random.Random], None]
"""Sends something in place of a good answer, which it is given whole, with its head."""


def _head(status: str = "200 OK", **headers: object) -> bytes:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{lines}\r\n".encode()


def _body(good: bytes) -> bytes:
    return good.partition(b"\r\n\r\n")[2]


def _whole(body: bytes) -> bytes:
    return _head(Content_Length=len(body)) + body


def _slowly(send: Send, text: bytes) -> None:
    for place in range(len(text)):
        send(text[place : place + 1])
        time.sleep(0.02)


def _for_ever(send: Send, piece: bytes) -> None:
    for _ in range(10_000):  # 600 MB, or 10 s
        send(piece)


def _flipped(good: bytes, dice: random.Random) -> bytes:
    body = bytearray(_body(good) or b"x")
    body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    return _whole(bytes(body))


SECRET = "{secret}"

ATTACKS: dict[str, Attack] = {
    "the head a byte at a time": lambda send, good, _: _slowly(send, good),
    "the body a byte at a time": lambda send, good, _: (
        send(_head(Content_Length=10_000)),
        _slowly(send, _body(good) + b" " * 9_000),
    )[1],
    "an endless body": lambda send, *_: (send(_head()), _for_ever(send, b"[" * 65_536))[1],
    "an endless body in chunks": lambda send, *_: (
        send(_head(Transfer_Encoding="chunked")),
        _for_ever(send, b"10000\r\n" + b" " * 65_536 + b"\r\n"),
    )[1],
    "an endless head": lambda send, *_: (
        send(b"HTTP/1.1 200 OK\r\n"),
        _for_ever(send, b"X-More: 1\r\n" * 100),
    )[1],
    "endless interim answers": lambda send, *_: _for_ever(send, b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "a redirect into the private network": lambda send, *_: send(
        _head("302 Found", Location=SECRET, Content_Length=0)
    ),
    "redirects in a circle": lambda send, *_: send(_head("302 Found", Location="/again", Content_Length=0)),
    "a redirect to a file": lambda send, *_: send(
        _head("302 Found", Location="file:///etc/passwd", Content_Length=0)
    ),
    "a length that is too long": lambda send, good, _: send(
        _head(Content_Length=len(_body(good)) + 1000) + _body(good)
    ),
    "a length that is too short": lambda send, good, _: send(
        _head(Content_Length=len(_body(good)) // 2) + _body(good)
    ),
    "a length below zero": lambda send, good, _: send(_head(Content_Length=-1) + _body(good)),
    "a length that is no number": lambda send, good, _: send(_head(Content_Length="9" * 5_000) + _body(good)),
    "broken gzip": lambda send, good, _: send(
        _head(Content_Encoding="gzip", Content_Length=40) + gzip.compress(_body(good) or b"x" * 100)[:40]
    ),
    "gzip that expands": lambda send, *_: send(
        _head(Content_Encoding="gzip") + gzip.compress(b"[" * (64 << 20), 9)
    ),
    "a number of 100,000 digits": lambda send, *_: send(
        _whole(b'{"jsonrpc":"2.0","id":1,"result":' + b"9" * 100_000 + b"}")
    ),
    "a quantity of 100,000 digits": lambda send, *_: send(
        _whole(b'{"jsonrpc":"2.0","id":1,"result":"0x' + b"f" * 100_000 + b'"}')
    ),
    "100,000 brackets": lambda send, *_: send(_whole(b"[" * 100_000)),
    "cut in the middle": lambda send, good, _: send(good[: len(good) // 2]),
    "no answer": lambda send, *_: None,
    "silence": lambda *_: time.sleep(3),
    "no HTTP": lambda send, _, dice: send(dice.randbytes(2_000)),
    "a bit of it is wrong": lambda send, good, dice: send(_flipped(good, dice)),
    "nothing in it": lambda send, *_: send(_head(Content_Length=0)),
    "an error": lambda send, *_: send(_head("500 Internal Server Error", Content_Length=3) + b"\x1b[2"),
    "a reason with control characters": lambda send, *_: send(
        _head("403 No\x1b[2J\x07::stop-commands::x", Content_Length=0)
    ),
}


@dataclass
class HostileProxy:
    """A proxy in front of a good server.

    Attributes:
        good: the port of that server.
        attack: what it does from the request with the number `begins` on, counted from 0.
        answered: how many requests there were.
        secrets: how many requests came to the server of the private network.
    """

    good: int
    attack: Attack | None = None
    begins: int = 0
    url: str = ""
    answered: int = 0
    secrets: int = 0

    def set(self, attack: Attack | None = None, begins: int = 0) -> None:
        """Begin again."""
        self.attack, self.begins, self.answered, self.secrets = attack, begins, 0, 0

    def ask(self, request: bytes) -> bytes:
        """Return the good server's answer to a request, with its head."""
        with socket.create_connection(("127.0.0.1", self.good), timeout=30) as connection:
            connection.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))


@contextmanager
def hostile_proxy(good: int) -> Iterator[HostileProxy]:
    """Run a proxy in front of a port of loopback."""
    proxy, dice = HostileProxy(good), seeded(1)

    def answer(connection: socket.socket) -> None:
        request = _request(connection)
        if not request:
            return
        number, proxy.answered = proxy.answered, proxy.answered + 1
        response = proxy.ask(request)
        if proxy.attack is None or number < proxy.begins:
            connection.sendall(response)
        else:
            proxy.attack(
                lambda text: connection.sendall(text.replace(SECRET.encode(), secret.encode())),
                response,
                dice,
            )

    def private(connection: socket.socket) -> None:
        if _request(connection):  # a connection alone tells nothing
            proxy.secrets += 1
            connection.sendall(_whole(b'"secret"'))

    with _listener(answer) as proxy.url, _listener(private) as secret:
        yield proxy


def _request(connection: socket.socket) -> bytes:
    text = b""
    while b"\r\n\r\n" not in text:
        piece = connection.recv(1 << 16)
        if not piece:
            return b""
        text += piece
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [
        line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    ]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(1 << 16)
    kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    return b"\r\n".join(kept) + b"\r\n\r\n" + body


@contextmanager
def _listener(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:

        def one(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                answer(connection)

        def accept() -> None:
            with suppress(OSError):
                for _ in itertools.count():
                    connection, _ = listening.accept()
                    threading.Thread(target=one, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def hasten() -> None:
    """Let this process wait seconds for a server, not minutes, and take loopback for the public internet."""
    client.TIMEOUTS = deployment.TIMEOUTS = PACE
    node_client.TIMEOUTS = Timeouts(seconds=PACE.seconds, timeout=1)
    sources.RETRIES = served_site.RETRIES = Retries(tries=4, first_pause=0.01)
    connections.is_private_host = lambda _: False
    client.shared_opener.cache_clear()


MOST_MEMORY = 500 << 20
"""Bytes that a command takes at most: a document of a mirror may have 256 MiB."""

FARE = checksum_address(chain()["contracts"]["foundry"]["Fare"]["address"])
ARTIFACT = FOUNDRY / "out/Fare.sol/Fare.json"
RECORD = path_of(1).replace("contracts/", "v2/contract/").removesuffix(".json")
STATUS = "api/v2/summary.json"

MIRROR_COMMANDS = {
    "snapshot verify": ["snapshot", "verify", "{url}/small"],
    "snapshot diff": ["snapshot", "diff", "{url}/small", "{root}/small.zip"],
    "snapshot create": ["snapshot", "create", "--from", "{url}/small", "{work}/new.zip"],
    "snapshot create from a file": ["snapshot", "create", "--from", "{url}/site.zip", "{work}/new.zip"],
    "extract": ["extract", "{url}", STATUS, "chains", "--to", "{work}/files"],
    "extract from a file": ["extract", "{url}/site.zip", STATUS, "--to", "{work}/files"],
    "publish": ["publish", "{url}/small", "--to", "{work}/copy"],
    "mirror": ["mirror", "{url}/small", "{work}/copy"],
    "log prove": ["log", "prove", RECORD, "--from", "{url}"],
    "log verify": ["log", "verify", "{url}", "--public-key", KEY.public.text],
    "log history": ["log", "history", RECORD, "--from", "{url}"],
    "build": ["build", "--content", "{work}/content", "--out", "{work}/out", "--now", NOW],
}
SERVER_COMMANDS = {
    "conform": ["conform", "{url}"],
    "import statuspage": ["import", "statuspage", "{url}", "--content", "{work}/content", "--now", NOW],
    "import sourcify": ["import", "sourcify", "{url}", "--chain-id", "748463", "--content", "{work}/content"],
}
NODE_COMMANDS = {
    "contract add": [
        "contract",
        "add",
        ARTIFACT,
        "--address",
        FARE,
        "--rpc",
        "{url}",
        "--content",
        "{work}/content",
    ],
    "contract anchor": ["contract", "anchor", "--rpc", "{url}", "--content", "{work}/content", "--now", NOW],
}
VERIFIED = (
    "snapshot create",
    "snapshot create from a file",
    "extract",
    "extract from a file",
    "publish",
    "mirror",
)
"""Commands whose outcome is the mirror's, or nothing."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published snapshot of a site with a log, with the file of the snapshot in it, and a small part of it below."""
    folder = tmp_path_factory.mktemp("hostile")
    content = write_files(
        folder / "content", LOGGED_SITE | {path_of(2): record_of(2), "incidents/a.yaml": INCIDENT}
    )
    logged(content, folder / "site")
    warm_up("snapshot", "create", "--from", folder / "site", folder / "site.zip", log=folder / "log")
    small = ["snapshot", "create", "--from", folder / "site", "--only", "contracts", folder / "small.zip"]
    publish = ["publish", folder / "site.zip", "--to", folder / "mirror"]
    publish_small = ["publish", folder / "small.zip", "--to", folder / "mirror/small"]
    for command in (small, publish, publish_small):
        done = WarmCommand(folder / "log", *command).wait()
        assert done.code == 0, done.output
    (folder / "mirror/site.zip").write_bytes((folder / "site.zip").read_bytes())
    return folder


@pytest.fixture(scope="module")
def mirror(root: Path):
    """Its server behind a hostile proxy."""
    with served(root / "mirror") as (url, _), hostile_proxy(urlsplit(url).port) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def server(root: Path):
    """`statuary serve` behind a hostile proxy: it takes queries."""
    command = [sys.executable, "-m", "statuary", "serve", "--port", "0", "--at", NOW, str(root / "site")]
    with (
        server_process(command, r"at http://127\.0\.0\.1:(\d+)/") as running,
        hostile_proxy(running.port) as proxy,
    ):
        yield proxy


@pytest.fixture(scope="module")
def node():
    """A real node behind a hostile proxy, with a contract on its chain."""
    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        for _ in range(3):
            ask(url, "evm_mine")
        with hostile_proxy(urlsplit(url).port) as proxy:
            yield proxy


class Trials:
    """A command, run against a proxy repeatedly, each time in a new folder."""

    def __init__(
        self, name: str, arguments: list[object], root: Path, proxy: HostileProxy, folder: Path
    ) -> None:
        self.name, self.root, self.proxy, self.folder = name, root, proxy, folder
        self.arguments = [str(argument) for argument in arguments]
        self.number = self.memory = 0

    def run(self, attack: Attack | None = None, begins: int = 0) -> tuple[Outcome, dict[str, bytes]]:
        """Run it; return how it ended, and the files that it left."""
        self.number += 1
        work = self.folder / str(self.number)
        self._prepare(work)
        self.proxy.set(attack, begins)
        done = self._run(work, self.arguments)
        files = (file for file in work.rglob("*") if file.is_file() and ".statuary" not in file.parts)
        return done, {file.relative_to(work).as_posix(): file.read_bytes() for file in files}

    def _prepare(self, work: Path) -> None:
        self.proxy.set()
        work.mkdir()
        if self.name.startswith("contract"):
            empty_site(work)
        if self.name == "contract anchor":
            assert self._run(work, list(map(str, NODE_COMMANDS["contract add"]))).code == 0
        if self.name == "build":
            log = f"log:\n  origin: {KEY.name}\n  url: {self.proxy.url}\n"
            write_files(work / "content", LOGGED_SITE | {"site.yaml": SITE + log})
        if self.name.startswith("import"):
            write_files(work / "content", {"site.yaml": SITE})

    def _run(self, work: Path, arguments: list[str]) -> Outcome:
        def prepare() -> None:
            hasten()
            os.environ |= {"STATUARY_STATE": str(work / "state"), "STATUARY_LOG_KEY": KEY.text}

        places = {"{url}": self.proxy.url, "{root}": str(self.root), "{work}": str(work)}
        for place, value in places.items():
            arguments = [argument.replace(place, value) for argument in arguments]
        return WarmCommand(self.folder / "log", *arguments, prepare=prepare).wait()


def harm(trials: Trials, attack: str, begins: int, good: dict[str, bytes]) -> list[str]:
    """Attack a command from a request on; return what went wrong."""
    done, files = trials.run(ATTACKS[attack], begins)
    trials.memory = max(trials.memory, done.memory)
    found = []
    if done.code not in (0, 1, 3) or "Traceback" in done.output or done.code == CRASHED:
        found.append(f"ends with {done.code}: {done.output[-1500:]}")
    if trials.proxy.secrets:
        found.append("asks the private network")
    if re.search(r"[\x00-\x08\x0b-\x1f]|^::", done.output.replace("\r", ""), re.MULTILINE):
        found.append(f"prints control characters: {done.output[-500:]!r}")
    if done.memory > MOST_MEMORY:
        found.append(f"takes {done.memory >> 20} MiB")
    if trials.name in VERIFIED and (done.code == 0 or files) and files != good:
        found.append(
            f"leaves other files: {sorted(path for path in files | good if files.get(path) != good.get(path))}"
        )
    return [f"{trials.name}, {attack}, from request {begins}: {one}" for one in found]


def attacked(trials: Trials) -> None:
    """Try attacks on a command, each from a random request on."""
    done, good = trials.run()
    assert done.code == 0, f"{done.code} {done.output}"
    requests, dice = trials.proxy.answered, random.Random(trials.name)
    assert requests
    names = [*ATTACKS] if IS_LARGE else [dice.choice([*ATTACKS])]
    wrong = []
    for attack in names:
        wrong += harm(trials, attack, dice.randrange(requests), good)
    print(f"{trials.name}: {len(names)} attacks, at most {trials.memory >> 20} MiB")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", MIRROR_COMMANDS)
def test_commands_reject_attacks_by_mirror_server(name, root, mirror, tmp_path):
    attacked(Trials(name, MIRROR_COMMANDS[name], root, mirror, tmp_path))


@pytest.mark.parametrize("name", SERVER_COMMANDS)
def test_commands_reject_attacks_by_status_server(name, root, server, tmp_path):
    attacked(Trials(name, SERVER_COMMANDS[name], root, server, tmp_path))


@pytest.mark.parametrize("name", NODE_COMMANDS)
def test_commands_reject_attacks_by_ethereum_node(name, root, node, tmp_path):
    attacked(Trials(name, NODE_COMMANDS[name], root, node, tmp_path))
