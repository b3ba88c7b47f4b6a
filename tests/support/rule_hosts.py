"""Hosts that have no emulator, as their documentation describes them: GitHub Pages, S3 behind CloudFront, and Vercel.

Each is a small server here that applies the files that `statuary hosting` writes for the host; of S3, the objects are in a real
object store, and of Vercel, the routes are those that its own command line makes of `vercel.json`.
"""

import gzip
import json
import mimetypes
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch
from urllib.parse import parse_qsl, unquote, urlsplit

from support.edge_runtimes import Served
from support.local_server import LocalServer
from support.object_stores import moto, objects_of
from support.requirements import require_program

mimetypes.add_type("application/rss+xml", ".rss")  # as web servers know it

LOOPBACK = "127.0.0.1"


class Answer(NamedTuple):
    """What a host sends."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Host = Callable[[str, str], Answer]
"""Path and query to the answer."""


@contextmanager
def serving(host: Host) -> Iterator[Served]:
    """Serve what a host answers: compressed, and 304 where the client has it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            target = urlsplit(self.path)
            status, headers, body = host(unquote(target.path), target.query)
            headers = dict(headers)
            tag = headers.setdefault("ETag", f'"{sha256(body).hexdigest()[:16]}"')
            if status == 200 and self.headers.get("If-None-Match", "").removeprefix("W/") == tag:
                status, body = 304, b""
            elif "gzip" in self.headers.get("Accept-Encoding", ""):
                headers |= {"Content-Encoding": "gzip", "ETag": f"W/{tag}", "Vary": "Accept-Encoding"}
                body = gzip.compress(body, mtime=0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_OPTIONS(self) -> None:
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with LocalServer((LOOPBACK, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield Served(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


def media_type_of(file: Path) -> str:
    """Return the media type that hosts give by the name's ending."""
    return mimetypes.guess_type(file.name)[0] or "application/octet-stream"


def file_at(site: Path, path: str, *, pages: bool, hidden: bool = False) -> Path | None:
    """Return the file of a path: itself, the index of a folder or, where a host has that, the page without its ending.

    Args:
        hidden: whether the host has files whose names begin with a dot.
    """
    there = site / path.strip("/")
    page = [there.with_name(f"{there.name}.html")] if pages and there != site else []
    for file in (there, there / "index.html", *page):
        if file.is_file() and (hidden or "/." not in f"/{path}"):
            return file
    return None


@contextmanager
def serve_as_github_pages(project: Path) -> Iterator[Served]:
    """Serve a site as GitHub Pages does: plain files, one cache rule, any origin, and 404.html for the rest."""
    site = project / "build"
    common = {"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=600"}

    def host(path: str, _: str) -> Answer:
        file = file_at(site, path, pages=True)
        if file is None:
            headers = common | {"Content-Type": "text/html; charset=utf-8"}
            return Answer(404, headers, (site / "404.html").read_bytes())
        kind = media_type_of(file)
        text = f"{kind}; charset=utf-8" if kind.startswith("text/") or kind == "application/json" else kind
        return Answer(200, common | {"Content-Type": text}, file.read_bytes())

    with serving(host) as server:
        yield server


def written_for(project: Path, host: str) -> dict[str, str]:
    """Return the files that `statuary hosting` prints for a host, by path."""
    command = [sys.executable, "-m", "statuary", "hosting", host, "--out", str(project), "--force"]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    return {
        path.relative_to(project).as_posix(): path.read_text("utf-8")
        for folder in ("s3", "cloudfront")
        for path in (project / folder).rglob("*")
        if path.is_file()
    }


@contextmanager
def serve_as_s3(project: Path) -> Iterator[Served]:
    """Publish a site into an object store, and serve it as CloudFront does with the files for it."""
    files = written_for(project, "s3")
    policy = json.loads(files["cloudfront/response-headers-policy.json"])["SecurityHeadersConfig"]
    errors = json.loads(files["cloudfront/custom-error-responses.json"])["Items"]
    pages = {int(item["ErrorCode"]): (item["ResponsePagePath"], int(item["ResponseCode"])) for item in errors}
    common = {
        "Access-Control-Allow-Origin": "*",
        "Content-Security-Policy": policy["ContentSecurityPolicy"]["ContentSecurityPolicy"],
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": policy["FrameOptions"]["FrameOption"],
        "Referrer-Policy": policy["ReferrerPolicy"]["ReferrerPolicy"],
    }
    node = require_program("node", install=".ci/install-hosts")
    asked = (
        "const asked = JSON.parse(process.argv[1]); console.log(JSON.stringify(handler({request: asked})));"
    )

    def requested(path: str, query: str) -> dict[str, object]:
        values = {name: {"value": value} for name, value in parse_qsl(query)}
        request = json.dumps({"uri": path, "querystring": values})
        script = f"{files['cloudfront/viewer-request.js']}\n{asked}"
        done = subprocess.run([node, "-e", script, request], check=True, capture_output=True, text=True)
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    with moto() as store:
        environment = os.environ | store.environment()
        command = [sys.executable, "-m", "statuary", "publish", "build", "--to", store.make_bucket("site")]
        subprocess.run(command, cwd=project, check=True, capture_output=True, env=environment)
        with patch.dict(os.environ, store.environment()):
            objects = objects_of("s3://site")

        def object_at(path: str) -> Answer:
            if (there := objects.get(path.removeprefix("/"))) is not None:
                return Answer(200, common | there[1], there[0])
            page, status = pages[404]
            body, headers = objects[page.removeprefix("/")]
            return Answer(status, common | headers, body)

        def host(path: str, query: str) -> Answer:
            request = requested("/index.html" if path == "/" else path, query)
            if "statusCode" in request:
                headers = {name: str(item["value"]) for name, item in dict(request["headers"]).items()}  # type: ignore[call-overload]
                return Answer(int(str(request["statusCode"])), headers, str(request["body"]).encode())
            return object_at(str(request["uri"]))

        with serving(host) as server:
            yield server


@contextmanager
def serve_as_vercel(project: Path) -> Iterator[Served]:
    """Serve a site by the routes that `vercel build` makes of vercel.json; VERCEL_CLI names the folder that has `vercel` and Node 22."""
    tools = Path(os.environ["VERCEL_CLI"]) / "node_modules/.bin"
    (project / ".vercel").mkdir(exist_ok=True)
    about = {"projectId": "prj_1", "orgId": "team_1", "settings": {"framework": None}}
    (project / ".vercel/project.json").write_text(json.dumps(about), "utf-8")
    rules = json.loads((project / "vercel.json").read_text("utf-8")) | {"buildCommand": "true"}
    copy = project / "vercel.json"
    before = copy.read_text("utf-8")
    copy.write_text(json.dumps(rules), "utf-8")
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "VERCEL_TELEMETRY_DISABLED": "1"}
    command = [shutil.which("vercel", path=str(tools)) or "vercel", "build", "--yes"]
    subprocess.run(command, cwd=project, check=True, capture_output=True, env=environment)
    copy.write_text(before, "utf-8")
    output = project / ".vercel/output"
    routes = json.loads((output / "config.json").read_text("utf-8"))["routes"]
    with serving(routed(output / "static", routes)) as server:
        yield server


def routed(site: Path, routes: list[dict[str, object]]) -> Host:
    """Return a host that follows routes of Vercel's build output: those before the files, the files, those after."""
    marks = [number for number, route in enumerate(routes) if "handle" in route]
    phases: dict[str, list[dict[str, object]]] = {"": routes[: marks[0] if marks else len(routes)]}
    for start, end in zip(marks, [*marks[1:], len(routes)], strict=True):
        phases[str(routes[start]["handle"])] = routes[start + 1 : end]

    def host(path: str, query: str) -> Answer:
        headers: dict[str, str] = {}
        for phase in ("", "filesystem", "rewrite", "miss"):
            if phase:
                file = file_at(site, path, pages=False, hidden=True)
                if file is not None:
                    kind = media_type_of(file)
                    return Answer(
                        200,
                        {"Content-Type": kind, "Cache-Control": VERCEL_CACHE} | headers,
                        file.read_bytes(),
                    )
            for route in phases.get(phase, []):
                found = re.fullmatch(str(route.get("src", "")).removeprefix("^").removesuffix("$"), path)
                if found is None or not applies(route, query):
                    continue
                headers |= {str(name): str(value) for name, value in dict(route.get("headers") or {}).items()}  # type: ignore[call-overload]
                if 300 <= int(str(route.get("status", 0))) < 400:
                    return Answer(int(str(route["status"])), headers, b"")
                if "dest" in route:
                    path = found.expand(re.sub(r"\$(\d+)", r"\\\1", str(route["dest"]))).partition("?")[0]
                    if not route.get("continue"):
                        break
        missing = {"Content-Type": "text/html; charset=utf-8"} | headers
        return Answer(404, missing, (site / "404.html").read_bytes())

    return host


VERCEL_CACHE = "public, max-age=0, must-revalidate"


def applies(route: Mapping[str, object], query: str) -> bool:
    """Return whether a request has the parameters that a route asks for."""
    names = dict(parse_qsl(query, keep_blank_values=True))
    wanted: list[dict[str, str]] = list(route.get("has") or ())  # type: ignore[call-overload]
    return all(item["type"] == "query" and item["key"] in names for item in wanted)


RULE_HOSTS = {
    "Vercel (`vercel build`)": (serve_as_vercel, "static"),
    "S3 (`moto`)": (serve_as_s3, "static"),
    "GitHub Pages": (serve_as_github_pages, "static"),
}
"""Every host of this file, as in `SERVERS`."""
