"""`statuary probe` against real servers on loopback, a real node among them; and what follows from answers."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.extensions.metrics.probe import ProbeAnswer, evaluate_probe_answers
from statuary.extensions.metrics.settings import Probe, ProbeKind
from support.ethereum_node import ANVIL, ask, ethereum_node
from support.json_server import serve_json
from support.local_server import LocalServer
from support.manual import MANUAL
from support.receivers import receiver
from support.requirements import absent, require_program
from support.sites import SITE, small_site, write_files

NOW = parse_instant("2026-11-20T10:00:00Z")
NODE = Probe("rpc", ProbeKind.JSONRPC, "http://x", "rpc")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(small_site(tmp_path), {"incidents/slow.yaml": None, "maintenances/upgrade.yaml": None})


@contextmanager
def node_that_sends(body: bytes) -> Iterator[str]:
    """Serve something that takes calls of JSON-RPC and sends always the same."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def probe(content: Path, probes: str, *options: str, code: int = 0) -> str:
    write_files(content, {"site.yaml": SITE + f"metrics:\n  probes:\n{probes}"})
    done = CliRunner().invoke(command, ["probe", "--content", str(content), *options])
    assert done.exit_code == code, done.output
    return done.output


def rows(content: Path, name: str) -> list[str]:
    return (content.parent / f"measurements/{name}.csv").read_text().splitlines()


def test_http_and_tcp_probes_append_rows(content):
    with serve_json({"/health": {"ok": True}}) as server, socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        probes = f"""\
    up: {{kind: http, url: "{server.url}/health", component: rpc}}
    gone: {{kind: http, url: "{server.url}/nothing", component: explorer}}
    peer: {{kind: tcp, url: "127.0.0.1:{port}", component: rpc}}
"""
        said = probe(content, probes, code=1)
    assert "up: well" in said
    assert "gone: the server responds with 404 (no answer)" in said
    assert "peer: well" in said
    assert rows(content, "up")[0] == "at,seconds,head,age,finalized,lag,fault"
    assert rows(content, "gone")[1].endswith(",,,,,,the server responds with 404")


def test_probe_with_refused_connection_records_fault(content):
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    probes = "".join(
        f'    {name}: {{kind: {name}, url: "{"http://" if name != "tcp" else ""}127.0.0.1:{port}", component: rpc, timeout: 2}}\n'
        for name in ("http", "tcp", "jsonrpc")
    )
    said = probe(content, probes, code=1)
    assert len(said.splitlines()) == 3
    for name in ("http", "tcp", "jsonrpc"):
        assert rows(content, name)[1].rpartition(",")[2]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        {"error": {"message": "no"}},
        {"result": None},
        {"result": {"number": "x"}},
        {"result": {"number": "0x-1", "timestamp": "0x1"}},
        {"result": {"number": "0x" + "f" * 50, "timestamp": "0x1"}},
        [],
        {"result": {"number": 7}},
    ],
)
def test_invalid_node_response_fails_probe(content, body):
    with node_that_sends(body if isinstance(body, bytes) else json.dumps(body).encode()) as url:
        said = probe(content, f'    rpc: {{kind: jsonrpc, url: "{url}", component: rpc}}\n', code=1)
    assert "rpc: the " in said


def test_block_timestamp_in_future_fails_probe(content):
    block = {"result": {"number": "0x7", "timestamp": hex(2_000_000_000_000)}}
    with node_that_sends(json.dumps(block).encode()) as url:
        said = probe(content, f'    rpc: {{kind: jsonrpc, url: "{url}", component: rpc}}\n', code=1)
    assert "seconds ahead of the clock" in said


BLOCK = {"number": "0x2de7bd9", "timestamp": "0x691ee788"}  # 2025-11-20T10:03:52Z


def l2_block(number: int, timestamp: int) -> dict:
    """A block as `optimism_syncStatus` has it, its hashes left short."""
    origin = {"hash": "0x0d", "number": 10058256}
    return {"hash": "0x0a", "number": number, "timestamp": timestamp, "l1origin": origin, "sequenceNumber": 2}


SYNC_STATUS = {
    "current_l1": {"hash": "0x0b", "number": 10058256, "parentHash": "0x0c", "timestamp": 1768590756},
    "unsafe_l2": l2_block(30100300, 1768590790),
    "safe_l2": l2_block(30100000, 1768590190),
    "finalized_l2": l2_block(30099000, 1768588190),
}
BATCHES = {
    12347: {"number": 12347, "timestamp": 1763632990, "status": "sealed", "committedAt": None},
    12346: {"number": 12346, "timestamp": 1763632900, "status": "sealed", "committedAt": None},
    12345: {"number": 12345, "timestamp": 1763632432, "committedAt": "2025-11-20T10:00:40.548203Z"},
}
ROLLUPS = {
    "optimism": ({"optimism_syncStatus": lambda: SYNC_STATUS}, "2026-01-16T19:13:20Z", "10", "610"),
    "zksync": (
        {
            "zks_L1BatchNumber": lambda: "0x303b",
            "zks_getL1BatchDetails": BATCHES.get,
            "eth_getBlockByNumber": lambda *_: BLOCK,
        },
        "2025-11-20T10:04:02Z",
        "10",
        "610",
    ),
}


@contextmanager
def node_with(methods: dict) -> Iterator[str]:
    """Serve a node that has some methods of JSON-RPC."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer: dict = {"jsonrpc": "2.0", "id": call["id"]}
            if call["method"] in methods:
                answer["result"] = methods[call["method"]](*call["params"])
            else:
                answer["error"] = {"code": -32601, "message": "the method does not exist"}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("kind", ROLLUPS)
def test_old_rollup_batch_fails_probe(content, kind):
    methods, now, age, batch_age = ROLLUPS[kind]
    with node_with(methods) as url:
        line = f'    seq: {{kind: {kind}, url: "{url}", component: rpc, most_batch_age: %s}}\n'
        said = probe(content, line % 3600, "--now", now)
        late = probe(content, line % 600, "--now", now, code=1)
    assert "seq: well (head " in said
    assert f"age {age} s" in said
    assert f"batches {batch_age} s" in said
    assert f"its newest block in a batch is {batch_age} seconds old, more than 600" in late
    header, first, second = rows(content, "seq")
    assert header == "at,seconds,head,age,finalized,lag,fault,batch_age"
    assert first.endswith(f",,{batch_age}.0")
    assert second.endswith(f'more than 600",{batch_age}.0')


@pytest.mark.parametrize(
    ("kind", "methods", "words"),
    [
        ("optimism", {}, "the server responds with an error"),
        ("optimism", {"optimism_syncStatus": dict}, "the response has no unsafe_l2"),
        (
            "optimism",
            {"optimism_syncStatus": lambda: SYNC_STATUS | {"safe_l2": {"timestamp": "0x1"}}},
            "no valid timestamp",
        ),
        ("optimism", {"optimism_syncStatus": lambda: None}, "the response has no unsafe_l2"),
        (
            "zksync",
            {"zks_L1BatchNumber": lambda: "0x0", "zks_getL1BatchDetails": lambda _: None},
            "was committed",
        ),
        ("zksync", {"zks_L1BatchNumber": lambda: 7}, "has no valid batch number"),
        ("zksync", {"zks_L1BatchNumber": lambda: "0x1"}, "the server responds with an error"),
    ],
)
def test_probe_without_batches_reports_reason(content, kind, methods, words):
    with node_with(methods) as url:
        said = probe(content, f'    seq: {{kind: {kind}, url: "{url}", component: rpc}}\n', code=1)
    assert words in said


def test_probe_keeps_columns_of_existing_csv(content):
    written = content.parent / "measurements/seq.csv"
    written.parent.mkdir()
    written.write_text("at,seconds,head,age,finalized,lag,fault\n2026-01-01T00:00:00Z,0.1,7,1,6,,\n")
    methods, now, *_ = ROLLUPS["optimism"]
    with node_with(methods) as url:
        probe(content, f'    seq: {{kind: optimism, url: "{url}", component: rpc}}\n', "--now", now)
    assert [row.count(",") for row in rows(content, "seq")] == [6, 6, 6]


@pytest.mark.slow
def test_ethereum_probe_reports_block_age(content):
    with ethereum_node(31337, "--block-time", "1") as url:
        probes = f'    rpc: {{kind: jsonrpc, url: "{url}", component: rpc, most_age: 30}}\n'
        said = probe(content, probes)
        number = int(ask(url, "eth_blockNumber"), 16)
    match = re.match(r"rpc: well \(head ([\d,]+), age (-?\d+) s, finalized ([\d,]+), [\d,]+ ms\)", said)
    assert match, said
    assert 0 <= number - int(match[1].replace(",", "")) <= 3


@pytest.mark.slow
def test_node_lag_is_measured_within_group(content):
    with ethereum_node(31337) as first, ethereum_node(31337) as second:
        ask(first, "anvil_mine", "0x14")
        probes = "".join(
            f'    {name}: {{kind: jsonrpc, url: "{url}", component: rpc, group: mainnet, most_lag: 5}}\n'
            for name, url in (("a", first), ("b", second))
        )
        said = probe(content, probes, code=1)
    assert "a: well (head 20" in said
    assert "b: it is 20 blocks behind its group, more than 5 (head 0" in said


@pytest.mark.parametrize(
    ("limits", "answer", "reason"),
    [
        ({}, ProbeAnswer(0.1, 10, 0), ""),
        ({"most_age": 60}, ProbeAnswer(0.1, 10, int(NOW.timestamp()) - 60), ""),
        (
            {"most_age": 60},
            ProbeAnswer(0.1, 10, int(NOW.timestamp()) - 61),
            "its newest block is 61 seconds old, more than 60",
        ),
        ({"most_unfinalized": 64}, ProbeAnswer(0.1, 100, 0, 36), ""),
        (
            {"most_unfinalized": 64},
            ProbeAnswer(0.1, 100, 0, 35),
            "its finalized block is 65 blocks behind, more than 64",
        ),
        ({"most_unfinalized": 64}, ProbeAnswer(0.1, 100, 0, None), ""),
        ({"most_age": 60}, ProbeAnswer(reason="it is down"), "it is down"),
    ],
)
def test_exceeded_limit_gives_measurement_reason(limits, answer, reason):
    (measured,) = evaluate_probe_answers([(NODE._replace(**limits), answer)], NOW)
    assert measured.reason == reason
    assert bool(measured.title) == bool(reason)


def test_probe_alert_fires_after_consecutive_failures(content, tmp_path):
    probes = '    rpc: {kind: tcp, url: "127.0.0.1:1", component: rpc, failures: 3, timeout: 1}\n'
    alert = tmp_path / "alert.json"
    statuses = []
    for _ in range(4):
        probe(content, probes, "--alert", str(alert), code=1)
        statuses.append(json.loads(alert.read_bytes())["status"])
    assert statuses == ["resolved", "resolved", "firing", "firing"]


@pytest.mark.slow
def test_manual_probe_commands_run_with_node(tmp_path):
    """The commands of the page run as they are written, with a real node; its last messages go to a real receiver too."""
    if not ANVIL.is_file():
        absent(f"the Ethereum node {ANVIL}", ".ci/install-compilers")
    require_program("curl", install="apt-get install curl")
    text = (MANUAL / "monitoring.md").read_text("utf-8").partition("## Try it: from a chain")[2]
    begin, well, stops, publish, again = re.findall(r"```sh account\n(.*?)```", text, re.DOTALL)
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    write_files(
        bin_folder,
        {
            "anvil": f'#!/bin/sh\nexec {ANVIL} --port {port} "$@"\n',
            "statuary": f'#!/bin/sh\nexec {sys.executable} -m statuary "$@"\n',
        },
    )
    for file in bin_folder.iterdir():
        file.chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    work = tmp_path / "work"
    work.mkdir()

    def run(script: str, **more: str) -> str:
        written = script.replace("127.0.0.1:8545", f"127.0.0.1:{port}")
        done = subprocess.run(
            ["bash", "-c", written],
            cwd=work,
            env={**environment, **more},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.stdout + done.stderr

    start, _, rest = begin.replace("127.0.0.1:8545", f"127.0.0.1:{port}").partition(
        "anvil --block-time 1 --silent &\n"
    )
    run(start)
    node = subprocess.Popen(
        ["anvil", "--block-time", "1", "--silent"], env=environment, executable=str(bin_folder / "anvil")
    )
    try:
        run(rest)
        for _ in range(50):
            said = run(well)
            if "rpc: well" in said:
                break
        assert "rpc: well (head" in said, said
        assert "nothing to do" in said
        said = run(stops)
        assert re.search(r"rpc: its newest block is \d+ seconds old, more than 3", said), said
        assert "Open incident as a draft: rpc: no new blocks" in said
        (incident,) = (work / "content/incidents").glob("*.yaml")
        assert "draft: true" in incident.read_text()
        with receiver() as served:
            said = run(publish, SLACK_WEBHOOK_URL=served.url)
            assert '"text": "Investigating: rpc: no new blocks' in said, said
            assert '"type": "header"' in said
            sent = run(
                "statuary notify --state notified.json --since 2020-01-01T00:00:00Z",
                SLACK_WEBHOOK_URL=served.url,
            )
            assert "1 message sent, 0 not sent" in sent, sent
            assert served.requests[0].value["text"].startswith("Investigating: rpc: no new blocks")
            assert "draft" not in incident.read_text()
            assert b"Investigating" in (work / "build/index.html").read_bytes()
            assert (work / "build/metrics-display/head-age.svg").is_file()
            said = run(again)
            assert "Resolve incident: rpc: no new blocks" in said, said
            run("statuary notify --state notified.json", SLACK_WEBHOOK_URL=served.url)
            assert served.requests[-1].value["text"].startswith("Resolved: rpc: no new blocks")
    finally:
        node.terminate()
        node.wait(10)
