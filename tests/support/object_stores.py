"""Object stores on this machine: moto and rclone for S3, Azurite for Azure, and a proxy that counts and fails.

Each server runs in a process of its own on loopback, from where `.ci/install-stores` put it.
"""

import base64
import hashlib
import hmac
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

from statuary.base.primitives import Instant, to_instant
from statuary.extensions.object_stores.objects import make_object_entry
from statuary.extensions.object_stores.store import Lease, ObjectStore, RetryPolicy
from statuary.extensions.object_stores.store_target import ObjectStoreTarget, RequestCounts
from statuary.publish.listing import Entry
from statuary.publish.plan import Plan
from support.requirements import CHECKOUT, absent

STORES = Path(os.environ.get("STATUARY_STORES", CHECKOUT / ".stores"))
INSTALL = ".ci/install-stores"

AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The key of Azurite's development account, which is public."""


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        port: on loopback.
        scheme: of its URLs.
        folder: whose folders are its buckets; None if it has a request for making them.
    """

    port: int
    scheme: str
    folder: Path | None = None

    def environment(self, port: int | None = None) -> dict[str, str]:
        """Return the environment that lets obstore find the server, or a proxy in front of it."""
        endpoint = f"http://127.0.0.1:{port or self.port}"
        if self.scheme == "az":
            return {
                "AZURE_STORAGE_ACCOUNT_NAME": "devstoreaccount1",
                "AZURE_STORAGE_ACCOUNT_KEY": AZURE_KEY,
                "AZURE_ENDPOINT": f"{endpoint}/devstoreaccount1",
                "AZURE_ALLOW_HTTP": "true",
            }
        return {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
        }

    def make_bucket(self, name: str) -> str:
        """Make a bucket and return its URL."""
        if self.folder is not None:
            (self.folder / name).mkdir(parents=True)
            return f"{self.scheme}://{name}"
        if self.scheme == "az":
            path, headers = f"/devstoreaccount1/{name}?restype=container", _azure_headers(name)
        else:
            path, headers = (
                f"/{name}",
                {
                    "Authorization": "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
                },
            )
        urlopen(
            Request(f"http://127.0.0.1:{self.port}{path}", method="PUT", headers=headers), timeout=10
        ).close()
        return f"{self.scheme}://{name}"


def _azure_headers(container: str) -> dict[str, str]:
    """Sign the making of a container, which obstore does not offer."""
    date, version = formatdate(usegmt=True), "2021-08-06"
    signed = f"PUT{12 * chr(10)}x-ms-blob-public-access:blob\nx-ms-date:{date}\nx-ms-version:{version}\n/devstoreaccount1/devstoreaccount1/{container}\nrestype:container"
    signature = base64.b64encode(
        hmac.new(base64.b64decode(AZURE_KEY), signed.encode(), hashlib.sha256).digest()
    )
    return {
        "x-ms-blob-public-access": "blob",  # anybody may read its objects, as behind a CDN
        "x-ms-date": date,
        "x-ms-version": version,
        "Authorization": f"SharedKey devstoreaccount1:{signature.decode()}",
        "Content-Length": "0",
    }


@contextmanager
def moto() -> Iterator[Server]:
    """Run moto: everything in memory, conditions kept."""
    program = STORES / "moto" / "bin" / "moto_server"
    with _running(program, lambda port: [program, "-H", "127.0.0.1", "-p", str(port)], "s3") as server:
        yield server


@contextmanager
def rclone(folder: Path) -> Iterator[Server]:
    """Run rclone over a folder: it overlooks the conditions of puts."""
    program = STORES / "rclone" / "bin" / "rclone"

    def command(port: int) -> list[object]:
        return [program, "serve", "s3", folder, "--addr", f"127.0.0.1:{port}", "--auth-key", "key,secret"]

    with _running(program, command, "s3") as server:
        yield replace(server, folder=folder)


@contextmanager
def azurite(folder: Path) -> Iterator[Server]:
    """Run Azurite over a folder."""
    program = STORES / "azurite" / "node_modules" / ".bin" / "azurite-blob"

    def command(port: int) -> list[object]:
        place = ["--blobHost", "127.0.0.1", "--blobPort", port, "--location", folder]
        return [program, "--silent", "--skipApiVersionCheck", *place]

    with _running(program, command, "az") as server:
        yield server


@contextmanager
def _running(program: Path, command: Callable[[int], list[object]], scheme: str) -> Iterator[Server]:
    if not program.exists():
        absent(f"the object store {program}", INSTALL)
    port = free_port()
    process = subprocess.Popen(
        [str(part) for part in command(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port, process)
        yield Server(port, scheme)
    finally:
        process.terminate()
        process.wait(20)


def free_port() -> int:
    """Return a free port of loopback."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(f"{process.args} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{process.args} does not listen")


Fault = Callable[[str, str, int], str]
"""Method, path and number of a request to what befalls it: nothing (empty), `500`, `503`, `lost` (it takes effect,
but the answer never comes), `cut` (half of the answer comes), `slow` (it waits a second) or `hang` (nothing happens
for longer than anybody waits)."""


@dataclass
class Proxy:
    """Stands between a client and a server.

    Attributes:
        server: where requests go.
        fault: what befalls them.
        hang: seconds that a hanging request takes.
        refuses_conditions: answer 501 to a request with a condition, as some stores do.
        seen: method, path and outcome of every request: the status, or the fault.
    """

    server: Server
    fault: Fault = lambda method, path, number: ""
    hang: float = 5.0
    refuses_conditions: bool = False
    seen: list[tuple[str, str, str]] = field(default_factory=list)
    port: int = 0

    def environment(self) -> dict[str, str]:
        """Return the environment that lets obstore find the proxy."""
        return self.server.environment(self.port)

    def count(self, method: str, outcome: str = "2", without: str = "/.statuary/") -> int:
        """Return how many requests of a method had an outcome, those for the ledger left out."""
        return sum(
            one == method and status.startswith(outcome) and without not in path
            for one, path, status in list(self.seen)
        )


@contextmanager
def proxied(server: Server, fault: Fault | None = None, hang: float = 5.0) -> Iterator[Proxy]:
    """Run a proxy in front of a server."""
    proxy = Proxy(server, hang=hang)
    proxy.fault = fault or proxy.fault
    lock, numbers, connections = threading.Lock(), iter(range(1, 1 << 60)), threading.local()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.partition("?")[0]
            with lock:
                fault = proxy.fault(self.command, path, next(numbers))
            if proxy.refuses_conditions and {"If-Match", "If-None-Match"} & set(map(str.title, self.headers)):
                fault = "501"
            if fault in ("500", "501", "503"):
                proxy.seen.append((self.command, path, fault))
                self.send_response_only(int(fault))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif fault == "hang":
                proxy.seen.append((self.command, path, fault))
                time.sleep(proxy.hang)
                self.close_connection = True
            else:
                self.forward(body, path, fault)

        def forward(self, body: bytes, path: str, fault: str) -> None:
            time.sleep(fault == "slow")
            status, headers, answer = self.ask(body)
            proxy.seen.append((self.command, path, fault or str(status)))
            if fault == "lost":
                self.close_connection = True
                return
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                    self.send_header(name, value)
            output = {name.lower(): value for name, value in headers}
            length = output.get("content-length", "0") if self.command == "HEAD" else str(len(answer))
            self.send_header("Content-Length", length)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer[: len(answer) // 2] if fault == "cut" else answer)
            self.close_connection = fault == "cut"

        def ask(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
            """Ask the server, over the connection that this thread has with it."""
            for _ in range(2):
                connection = getattr(connections, "found", None) or HTTPConnection(
                    "127.0.0.1", server.port, timeout=30
                )
                connections.found = connection
                try:
                    connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                    for name, value in self.headers.items():
                        connection.putheader(name, value)
                    connection.endheaders(body)
                    answer = connection.getresponse()
                    return answer.status, answer.getheaders(), answer.read()
                except (OSError, HTTPException):
                    connection.close()
                    connections.found = None
            return 502, [], b""

        def finish(self) -> None:
            super().finish()
            if getattr(connections, "found", None) is not None:
                connections.found.close()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that goes away is no news."""

    with Quiet(("127.0.0.1", 0), Handler) as listener:
        proxy.port = listener.server_address[1]
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            listener.shutdown()
            thread.join()


def objects_of(url: str) -> dict[str, tuple[bytes, dict[str, str]]]:
    """Return every object below a URL with its body and attributes; the environment says where the store is."""
    import obstore
    from obstore.store import from_url

    store = from_url(url)
    found = {}
    for piece in obstore.list(store, chunk_size=1000):
        for one in piece:
            answer = obstore.get(store, one["path"])
            found[one["path"]] = bytes(answer.bytes()), dict(answer.attributes)
    return found


HASTY = RetryPolicy(timeout=2, tries=4, begins=4, pause=0.01)
"""For servers on this machine."""


class MadeSource:
    """A site in memory.

    Attributes:
        bodies: by path.
        on_read: is called for every body that is read.
    """

    def __init__(self, bodies: dict[str, bytes], on_read: Callable[[str], None] = lambda _: None) -> None:
        self.bodies = bodies
        self.on_read = on_read

    def objects(self) -> Iterator[Entry]:
        for path, body in self.bodies.items():
            yield make_object_entry(path, hashlib.sha256(body).hexdigest(), len(body))

    def prepare_reading(self, is_needed: Callable[[str], bool]) -> None:
        """Everything is at hand."""

    def read(self, path: str) -> bytes:
        self.on_read(path)
        return self.bodies[path]


def clock(ahead: float = 0) -> Callable[[], Instant]:
    """Return a clock that is so many seconds ahead."""
    return lambda: to_instant(datetime.now(UTC) + timedelta(seconds=ahead))


def publish(
    url: str,
    bodies: dict[str, bytes],
    *,
    ahead: float | Callable[[], Instant] = 0,
    has_lease: bool = True,
    adopt: bool = False,
    dry_run: bool = False,
    verify: bool = False,
    on_read: Callable[[str], None] = lambda _: None,
    seconds: float = 30,
    patience: RetryPolicy = HASTY,
) -> tuple[Plan, RequestCounts, RequestCounts]:
    """Publish bodies below a URL; return the plan, what comparing took and what applying was to take."""
    bucket = ObjectStore(url, patience)
    lease = None
    if has_lease and not dry_run:
        lease = Lease(bucket, ahead if callable(ahead) else clock(ahead), timedelta(seconds=seconds))
    source = MadeSource(bodies, on_read)
    with ObjectStoreTarget(
        bucket, source, lease=lease, adopt=adopt, dry_run=dry_run, verify=verify
    ) as publication:
        publication.add(source.objects())
        plan = publication.plan()
        requested, cost = publication.asked, publication.count_requests()
        if not dry_run:
            publication.apply()
        return plan, requested, cost
