"""Files from elsewhere that want to fill memory, to take for ever, or to crash their reader, made from a seed."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple
from zlib import compress

from statuary.base.files import MANIFEST
from statuary.extensions.packs.pack_list import LIST, make_pack_name
from support.sites import NOW, SITE, SMALL_SITE, write_files

LITERALS: dict[str, Callable[[], str]] = {
    "deep lists": lambda: "[" * 100_000 + "]" * 100_000,
    "deep objects": lambda: '{"a":' * 50_000 + "0" + "}" * 50_000,
    "many lists": lambda: "[" + ",".join(["[]"] * 3_000_000) + "]",
    "many members": lambda: "{" + ",".join(f'"k{number}":0' for number in range(400_000)) + "}",
    "long number": lambda: "9" * 100_000,
    "long string": lambda: '"' + "a" * 20_000_000 + '"',
    "below zero": lambda: "-1",
    "above 64 bits": lambda: str(1 << 80),
    "4 TB": lambda: str(4 << 40),
    "no finite number": lambda: "1e400",
    "no number": lambda: "NaN",
    "half a character": lambda: '"\\ud800"',
    "path that leads out": lambda: '"../../../../etc/passwd"',
    "controls": lambda: '"\\u0000\\u001b[2J\\u202e"',
    "nothing": lambda: "null",
    "empty list": lambda: "[]",
    "empty object": lambda: "{}",
    "cut off": lambda: '{"a":',
}
"""JSON in place of a value."""

Template = tuple[str, ...]
"""A JSON document in pieces: between each two is a value, which is given in turn."""


class HostileRun(NamedTuple):
    """The arguments of a command that reads a hostile input."""

    arguments: tuple[object, ...]
    stdin: bytes = b""
    served: Path | None = None  # the folder of the site whose URL is the first `URL` of the arguments


def _json(text: str, dice: Random) -> bytes:
    """Return a document in which one of the values in `«»` is hostile."""
    parts = text.replace("»", "«").split("«")
    values = range(1, len(parts), 2)
    parts[dice.choice(values)] = LITERALS[dice.choice([*LITERALS])]()
    return "".join(parts).encode()


PACKS = (
    '{"version":«1»,"packs":«[{"path":«"%s"»,"run":«0»,"size":«100»,"sha256":«"%s"»,"end":«[0,"%s"]»,'
    '"documents":«1»,"removals":«0»,"plain":«1»,"first":«"v2/a"»,"last":«"v2/b"»}]»}'
)


def _flat(text: str) -> str:
    """Keep the values within another value, without its own mark."""
    return text.replace("«[{", "[{").replace("}]»", "}]")


def packs(folder: Path, dice: Random) -> HostileRun:
    digest = "ab" * 32
    text = _flat(PACKS % (make_pack_name(digest), digest, digest))
    write_files(folder, {LIST: _json(text, dice), f"packs/{make_pack_name(digest)}": dice.randbytes(100)})
    arguments = ("pack", "verify", folder) if dice.random() < 0.5 else ("pack", "read", folder, "v2/a")
    return HostileRun(arguments)


MANIFEST_TEXT = (
    '{"version":«1»,"generated_at":«"2026-11-20T12:00:00.000Z"»,"title":«"A"»,"entries":[{"path":«"v2/a"»,'
    '"size":«1»,"sha256":«"%s"»}],"parts":[{"sha256":«"%s"»,"size":«9»}]}'
)


def manifests(folder: Path, dice: Random) -> HostileRun:
    text = MANIFEST_TEXT % ("ab" * 32, "cd" * 32)
    write_files(folder / "site", {MANIFEST: _json(text, dice), "v2/a": "x"})
    if dice.random() < 0.5:
        return HostileRun(("snapshot", "verify", folder / "site"))
    return HostileRun(("mirror", "URL", folder / "copy"), served=folder / "site")


def snapshots(folder: Path, dice: Random) -> HostileRun:
    body = compress(b"[" * 10_000_000)
    name = dice.choice([b"snapshot/manifest.json", b"../a", b"a" * 60_000])
    sizes = [dice.choice([0, 1, 0xFFFFFFFF, len(body), dice.getrandbits(32)]) for _ in range(3)]
    head = b"PK\3\4\x14\0" + dice.randbytes(2) + bytes([8, 0]) + bytes(4)
    head += b"".join(size.to_bytes(4, "little") for size in sizes)
    head += len(name).to_bytes(2, "little") + bytes([0, 0]) + name
    (folder / "site.zip").write_bytes(head + body + dice.randbytes(dice.randrange(200)))
    command = dice.choice([("snapshot", "verify"), ("extract",)])
    return HostileRun((*command, folder / "site.zip"))


ALERT = (
    '{"version":«"4"»,"groupKey":«"a"»,"status":«"firing"»,"commonLabels":«{}»,"commonAnnotations":«{}»,'
    '"alerts":[{"status":«"firing"»,"labels":«{}»,"annotations":«{}»,"startsAt":«"2026-11-20T12:00:00Z"»}]}'
)


def alerts(folder: Path, dice: Random) -> HostileRun:
    write_files(folder, SMALL_SITE | {"site.yaml": f"{SITE}alerts: {{rules: []}}\n"})
    return HostileRun(("incident", "from-alert", "--content", folder, "--now", NOW), _json(ALERT, dice))


METRICS = "metrics:\n  shown:\n    age: {name: Age, unit: s, file: rpc.csv, series: age}\n"

POINTS: dict[str, Callable[[Random], bytes]] = {
    "long line": lambda _: b"at,age\n" + b"9" * 20_000_000,
    "many columns": lambda _: b"at,age" + b",a" * 1_000_000 + b"\n",
    "many rows": lambda _: b"at,age\n" + b"2026-11-20T12:00:00Z,1\n" * 1_000_000,
    "open quote": lambda _: b'at,age\n"' + b"a\n" * 5_000_000,
    "infinity": lambda _: b"at,age\n2026-11-20T12:00:00Z,1e999\n2026-11-20T12:01:00Z,nan\n",
    "noise": lambda dice: dice.randbytes(100_000),
    "null bytes": lambda _: bytes(5_000_000),
}


def points(folder: Path, dice: Random) -> HostileRun:
    write_files(folder / "content", SMALL_SITE | {"site.yaml": SITE + METRICS})
    write_files(folder, {"content/measurements/rpc.csv": POINTS[dice.choice([*POINTS])](dice)})
    return HostileRun(("check", "--content", folder / "content", "--now", NOW))


DESCRIPTOR = (
    '{"$schema":«"https://eips.ethereum.org/assets/eip-7730/erc7730-v1.schema.json"»,"context":{"contract":'
    '{"deployments":[{"chainId":«748463»,"address":«"0x%s"»}],"abi":«[]»}},"metadata":{"owner":«"A"»},'
    '"display":{"formats":{"transfer(address to,uint256 value)":{"intent":«"Send"»,"fields":[{"path":«"to"»,'
    '"label":«"To"»,"format":«"addressName"»}]}}}}'
)


def descriptors(folder: Path, dice: Random) -> HostileRun:
    body = _json(DESCRIPTOR % ("ab" * 20), dice)
    files = {"site.yaml": f"{SITE}clear_signing: {{}}\n", "clear-signing/registry/a/calldata-a.json": body}
    write_files(folder, SMALL_SITE | files)
    return HostileRun(("check", "--content", folder, "--now", NOW))


BROADCAST = (
    '{"transactions":[{"hash":«"0x%s"»,"transactionType":«"CREATE"»,"contractName":«"A"»,"contractAddress":'
    '«"0x%s"»,"transaction":«{}»}],"receipts":[{"transactionHash":«"0x%s"»,"contractAddress":«"0x%s"»,'
    '"blockNumber":«"0x1"»,"status":«"0x1"»}],"chain":«748463»,"timestamp":«1»}'
)
ARTIFACT = (
    '{"abi":«[]»,"bytecode":{"object":«"0x00"»},"deployedBytecode":{"object":«"0x00"»},"metadata":«{}»,'
    '"rawMetadata":«"{}"»,"id":«0»}'
)


def projects(folder: Path, dice: Random) -> HostileRun:
    write_files(folder / "content", dict(SMALL_SITE))
    transaction, address = "ab" * 32, "cd" * 20
    broadcast = BROADCAST % (transaction, address, transaction, address)
    is_broadcast = dice.random() < 0.5
    files: dict[str, str | bytes | None] = {
        "foundry.toml": "[profile.default]\n",
        "broadcast/A.s.sol/748463/run-latest.json": _json(broadcast, dice)
        if is_broadcast
        else broadcast.replace("«", "").replace("»", ""),
        "out/A.sol/A.json": ARTIFACT.replace("«", "").replace("»", "")
        if is_broadcast
        else _json(ARTIFACT, dice),
    }
    write_files(folder / "project", files)
    return HostileRun(
        ("import", "foundry", folder / "project", "--content", folder / "content", "--now", NOW)
    )


EXPORTED = (
    '{"chainId":«"748463"»,"address":«"0x%s"»,"match":«"exact_match"»,"abi":«[]»,"sources":«{}»,"stdJsonInput":'
    '«{}»,"metadata":«{}»,"compilation":«{}»,"creationBytecode":«{}»,"runtimeBytecode":«{}»}'
)


def exports(folder: Path, dice: Random) -> HostileRun:
    write_files(folder / "content", dict(SMALL_SITE))
    write_files(folder / "export", {f"748463/0x{'ab' * 20}.json": _json(EXPORTED % ("ab" * 20), dice)})
    return HostileRun(
        ("import", "sourcify", folder / "export", "--content", folder / "content", "--now", NOW)
    )


COLUMNS = (
    "deployment_id, contract_name, contract_address, rpc, deployer, tx_hash, broadcast_ts, tx_dict, "
    "receipt_dict, source_code, abi, session_id, filename"
)

VALUES = {
    "view": "CREATE VIEW deployments AS WITH RECURSIVE n(deployment_id) AS "
    "(SELECT 1 UNION ALL SELECT deployment_id + 1 FROM n) SELECT * FROM n;",
    "function": "CREATE VIEW deployments AS SELECT load_extension('/tmp/a') AS deployment_id;",
    "pattern": "CREATE VIEW deployments AS SELECT hex(zeroblob(900000000)) LIKE '%a%a%a%' AS deployment_id;",
    "columns": "CREATE TABLE deployments (deployment_id, "
    + ", ".join(f"c{number}" for number in range(1500))
    + ");",
    "text": f"CREATE TABLE deployments ({COLUMNS}); INSERT INTO deployments (deployment_id, tx_dict) "
    "VALUES (1, hex(zeroblob(20000000)));",
    "blob": f"CREATE TABLE deployments ({COLUMNS}); INSERT INTO deployments (deployment_id, contract_name) "
    "VALUES (x'ff', x'ff00');",
    "nested": f"CREATE TABLE deployments ({COLUMNS}); INSERT INTO deployments (deployment_id, tx_dict) "
    f"VALUES (1, '{'[' * 100_000}');",
}


def databases(folder: Path, dice: Random) -> HostileRun:
    write_files(folder / "content", dict(SMALL_SITE))
    file = folder / "deployments.db"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(VALUES[dice.choice([*VALUES])])
    if dice.random() < 0.3:
        body = bytearray(file.read_bytes())
        for _ in range(20):
            body[dice.randrange(len(body))] = dice.randrange(256)
        file.write_bytes(body)
    return HostileRun(("import", "boa", file, "--content", folder / "content", "--now", NOW))


COMPONENTS_OF_PRODUCT = 1_000


def _updates(count: int, status: str) -> str:
    times = (
        f"2026-11-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"
        for number in range(count)
    )
    return "updates:\n" + "".join(f"  - {{at: {time}, status: {status}, body: x}}\n" for time in times)


def _incident_of_many(dice: Random) -> dict[str, str]:
    names = ", ".join(f"c{number}: major_outage" for number in range(COMPONENTS_OF_PRODUCT))
    return {"incidents/many.yaml": f"name: A\ncomponents: {{{names}}}\n{_updates(8_000, 'investigating')}"}


def _maintenance_of_many(dice: Random) -> dict[str, str]:
    names = ", ".join(f"c{number}" for number in range(COMPONENTS_OF_PRODUCT))
    window = "scheduled_for: 2026-11-21T22:00:00Z\nscheduled_until: 2026-11-21T23:00:00Z\n"
    text = f"name: A\ncomponents: [{names}]\ncreated_at: 2026-11-01T00:00:00Z\n{window}{_updates(8_000, 'scheduled')}"
    return {"maintenances/many.yaml": text}


def _recurring_window(dice: Random) -> dict[str, str]:
    rule = dice.choice(
        ("FREQ=SECONDLY", "FREQ=MINUTELY", "FREQ=DAILY;COUNT=100000000", "FREQ=DAILY;INTERVAL=1")
    )
    window = "scheduled_for: 1971-01-01T22:00:00Z\nscheduled_until: 1971-01-01T23:00:00Z\n"
    return {"maintenances/many.yaml": f"name: A\ncomponents: [c1]\n{window}recurrence: {{rule: '{rule}'}}\n"}


def _many_channels(dice: Random) -> dict[str, str]:
    channels = "".join(f"    - {{name: h{n}, kind: webhook, url_variable: X{n}}}\n" for n in range(5_000))
    incident = f"name: A\ncomponents: {{c1: major_outage}}\n{_updates(8_000, 'investigating')}"
    return {"site.yaml": f"{SITE}notify:\n  channels:\n{channels}", "incidents/many.yaml": incident}


def _many_chains(dice: Random) -> dict[str, str]:
    return {"site.yaml": SITE + "".join(f"  - {{chain_id: {n}, name: C{n}}}\n" for n in range(1, 10_000))}


def _many_deployments(dice: Random) -> dict[str, str]:
    addresses = (f"0x{number:040x}" for number in range(1, 2_001))
    deployments = ",".join(f'{{"chainId":748463,"address":"{address}"}}' for address in addresses)
    formats = ",".join(
        f'"f{number}(address to,uint256 value)":{{"intent":"x","fields":[{{"path":"to","label":"a","format":"raw"}}]}}'
        for number in range(dice.choice((1_000, 5_000, 10_000)))
    )
    text = f'{{"context":{{"contract":{{"deployments":[{deployments}]}}}},"display":{{"formats":{{{formats}}}}}}}'
    return {"site.yaml": f"{SITE}clear_signing: {{}}\n", "clear-signing/registry/a/calldata-a.json": text}


PRODUCTS = (
    _incident_of_many,
    _maintenance_of_many,
    _recurring_window,
    _many_channels,
    _many_chains,
    _many_deployments,
)
"""Few lines that ask for many documents or entries: one number times another."""


def products(folder: Path, dice: Random) -> HostileRun:
    components = "".join(f"  c{number}: {{name: C{number}}}\n" for number in range(COMPONENTS_OF_PRODUCT))
    files = {"site.yaml": SITE, "components.yaml": f"components:\n{components}"}
    write_files(folder / "content", files | dice.choice(PRODUCTS)(dice))
    out = ("--out", folder / "out", "--workers", "1")
    return HostileRun(("build", "--content", folder / "content", *out, "--now", NOW))


KINDS: dict[str, Callable[[Path, Random], HostileRun]] = {
    "packs": packs,
    "manifests": manifests,
    "snapshots": snapshots,
    "alerts": alerts,
    "points": points,
    "descriptors": descriptors,
    "projects": projects,
    "exports": exports,
    "databases": databases,
    "products": products,
}
"""What makes a hostile input in a folder, by its kind."""
