"""Broken inputs: each a name and the files that break a site which is in order (`sites.SMALL_SITE`).

What is expected of each stands in `bad_inputs.expected.txt`.
"""

import json

from support.requirements import CHECKOUT
from support.sites import COMPONENTS, INCIDENT, MAINTENANCE, SITE

RECORD_FILE = CHECKOUT / "content/contracts/748463/0x0217960F13aFc1c77313E1158139960f9831FF0c.json"
"""The smallest record of the project's own site: a contract in Yul, whose creation side did not match."""

RECORD = RECORD_FILE.read_text("utf-8").strip()
ADDRESS = RECORD_FILE.stem
OTHER_ADDRESS = "0xD85DdeAF33D8B25605F173a9B85ad25B8aEF05d0"
MATCH_ID = f'"matchId":"{json.loads(RECORD)["matchId"]}"'
RECORD_PATH = f"contracts/748463/{ADDRESS}.json"
WORKSPACE = """\
compiler: {name: solc, version: 0.8.30+commit.73712a01}
contract: a.sol:A
verified_at: 2026-01-01T00:00:00Z
match_id: 1
"""
WORKSPACE_PATH = f"contracts/748463/{ADDRESS}/contract.yaml"

CASES: dict[str, dict[str, str | bytes | None]] = {}


def changed(path: str, text: str, name: str, old: str, new: str) -> None:
    """Add a case: one stretch of a file that is in order, replaced."""
    assert old in text, (name, old)
    CASES[name] = {path: text.replace(old, new, 1)}


def incident(name: str, old: str, new: str) -> None:
    changed("incidents/slow.yaml", INCIDENT, name, old, new)


def maintenance(name: str, old: str, new: str) -> None:
    changed("maintenances/upgrade.yaml", MAINTENANCE, name, old, new)


def site(name: str, old: str, new: str) -> None:
    changed("site.yaml", SITE, name, old, new)


def components(name: str, old: str, new: str) -> None:
    changed("components.yaml", COMPONENTS, name, old, new)


def record(name: str, old: str, new: str, path: str = RECORD_PATH) -> None:
    changed(path, RECORD, name, old, new)


# text
CASES["not utf-8"] = {"incidents/slow.yaml": b"name: caf\xe9\n"}
CASES["utf-16"] = {"incidents/slow.yaml": "name: x\n".encode("utf-16")}
CASES["merge key"] = {"incidents/slow.yaml": "name: &n x\n<<: {draft: true}\n"}
CASES["incident as a note"] = {"incidents/slower.md": "name: x\n"}
CASES["components missing"] = {"components.yaml": None}
CASES["many equal findings"] = {
    "incidents/slow.yaml": "name: x\n" + "".join(f"unknown{number}: x\n" for number in range(14))
}
CASES["control characters"] = {"incidents/slow.yaml": '"a\\e[31m\\n::stop-commands::x": y\nname: x\n'}
CASES["nul byte"] = {"incidents/slow.yaml": b"name: a\x00b\n"}
CASES["tab indentation"] = {"incidents/slow.yaml": "name: x\nupdates:\n\t- at: y\n"}
CASES["colon in a plain text"] = {"incidents/slow.yaml": "name: RPC: slow\n"}
CASES["open quote"] = {"incidents/slow.yaml": 'name: "RPC\nupdates: []\n'}
CASES["open bracket"] = {"incidents/slow.yaml": "name: [RPC\nupdates: []\n"}
CASES["wrong indentation"] = {"incidents/slow.yaml": "name: x\n  status: y\n"}
CASES["duplicate key"] = {"incidents/slow.yaml": INCIDENT + "name: Twice\n"}
CASES["duplicate nested key"] = {"components.yaml": COMPONENTS + "  explorer:\n    name: Other\n"}
CASES["two documents"] = {"incidents/slow.yaml": INCIDENT + "---\n" + INCIDENT}
CASES["list as a key"] = {"incidents/slow.yaml": "[a, b]: c\n"}
CASES["undefined alias"] = {"incidents/slow.yaml": "name: *nobody\n"}
CASES["alias that holds itself"] = {"incidents/slow.yaml": "name: &a\n  - *a\n"}
CASES["alias bomb"] = {
    "incidents/slow.yaml": "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(8))
}
CASES["brackets without end"] = {"incidents/slow.yaml": "name: " + "[" * 5000}
CASES["nested too deep"] = {"incidents/slow.yaml": "name: " + "[" * 300 + "]" * 300 + "\n"}
CASES["custom tag"] = {
    "incidents/slow.yaml": INCIDENT.replace("name: Slow answers", "name: !!python/object:os.system Slow")
}
CASES["empty file"] = {"incidents/slow.yaml": ""}
CASES["a list at the top"] = {"incidents/slow.yaml": "- a\n- b\n"}
CASES["a text at the top"] = {"incidents/slow.yaml": "hello\n"}
CASES["json with a trailing comma"] = {
    "incidents/slow.yaml": None,
    "incidents/slow.json": '{\n  "name": "x",\n  "updates": [],\n}\n',
}
CASES["json duplicate key"] = {
    "incidents/slow.yaml": None,
    "incidents/slow.json": '{\n  "name": "x",\n  "updates": [],\n  "name": "y"}\n',
}
CASES["json not a number"] = {"incidents/slow.yaml": None, "incidents/slow.json": '{"name": NaN}'}
CASES["too large a file"] = {"incidents/slow.yaml": "#" + "x" * (1 << 20) + "\nname: x\n"}
# keys
incident("unknown key", "name: Slow", "nmae: x\nname: Slow")
incident("unknown key without a neighbour", "name: Slow", "zzzz: x\nname: Slow")
incident(
    "unknown key in an update",
    "    status: investigating",
    "    stauts: investigating\n    status: investigating",
)
incident("missing name", "name: Slow answers\n", "")
incident("missing updates", INCIDENT[INCIDENT.index("updates:") :], "")
incident("no update at all", INCIDENT[INCIDENT.index("updates:") :], "updates: []\n")
incident("missing instant", "at: 2026-11-02T10:00:00Z\n    ", "")
# values
incident("name is a list", "Slow answers", "[a]")
incident("name is null", "Slow answers", "~")
incident("name too long", "Slow answers", "x" * 256)
incident("status misspelled", "investigating", "investigatin")
incident("status of a maintenance", "investigating", "in_progress")
incident("component status misspelled", "degraded_performance", "degraded")
incident("time without offset", "2026-11-02T10:00:00Z", "2026-11-02T10:00:00")
incident("date without time", "2026-11-02T10:00:00Z", "2026-11-02")
incident("no such day", "2026-11-02T10:00:00Z", "2026-02-30T10:00:00Z")
incident("time in words", "2026-11-02T10:00:00Z", "yesterday")
incident("flag in words", "name: Slow", "draft: yes\nname: Slow")
incident("components as a list", "components:\n  rpc: degraded_performance", "components: [rpc]")
incident(
    "updates as a mapping",
    "updates:\n  - at: 2026-11-02T10:00:00Z\n    status: investigating\n    body: We are looking into it.\n  - at: 2026-11-02T11:00:00Z\n    status: resolved\n",
    "updates:\n  at: 2026-11-02T10:00:00Z\n",
)
incident("id with a slash", "name: Slow", "id: a/b\nname: Slow")
incident("impact misspelled", "name: Slow", "impact_override: majr\nname: Slow")
incident("tweet id in words", "    body: We", "    tweet_id: many\n    body: We")
incident(
    "several at once",
    "name: Slow answers\ncomponents:\n  rpc: degraded_performance",
    "nam: Slow\ncomponents:\n  rpc: broken",
)
maintenance("window without end", "scheduled_until: 2026-11-21T23:00:00Z\n", "")
maintenance("recurrence rule that is none", "name: Upgrade", "name: Upgrade\nrecurrence:\n  rule: EVERY DAY")
maintenance("never announced", "created_at: 2026-11-01T00:00:00Z\n", "")
site("page url without scheme", "https://status", "status")
site("unknown time zone", "  id: plinthpage01", "  time_zone: Mars/Olympus")
site("chain id in hex", "748463", "0xB6BAF")
site("chain id with a leading zero", "748463", "0748463")
site("chain id too long", "748463", "1" * 21)
site("publish misspelled", "chains:", "contracts:\n  publish: prooved\nchains:")
site("page missing", SITE[: SITE.index("chains:")], "")
site("page url without a host", "https://status.plinth.example", "https://[x")
site("page url with an empty label", "status.plinth", "status..plinth")
components("component key that climbs", "  explorer:", "  ../up:")
components("group with a status", "    name: Network", "    name: Network\n    status: operational")
components("position in words", "    name: Explorer", "    name: Explorer\n    position: first")
components(
    "start date with time", "    name: Explorer", "    name: Explorer\n    start_date: 2026-01-01T00:00:00Z"
)
components(
    "group in a group",
    "      rpc:\n        name: Public RPC",
    "      rpc:\n        name: Public RPC\n        components: {}",
)
# files
CASES["no site.yaml"] = {"site.yaml": None}
CASES["two site files"] = {"site.json": '{"page":{"name":"x","url":"https://x"}}'}
CASES["misspelled folder"] = {"incident/a.yaml": INCIDENT}
CASES["misspelled file"] = {"component.yaml": COMPONENTS}
CASES["unknown suffix"] = {"incidents/slow.toml": "x=1"}
# records
record("record is not json", '"matchId"', "matchId")
CASES["record is a list"] = {RECORD_PATH: "[]"}
CASES["record is empty"] = {RECORD_PATH: ""}
CASES["record cut in the middle"] = {RECORD_PATH: RECORD[:60]}
CASES["record with a twin key"] = {RECORD_PATH: RECORD[:-1] + ',"match":"match"}'}
record("record with an unknown member", '"match":"match"', '"matches":1,"match":"match"')
record("record without an address", f',"address":"{ADDRESS}"', "")
record("wrong EIP-55 checksum", f'"address":"{ADDRESS}"', f'"address":"{ADDRESS.replace("aF", "Af")}"')
record("address in lower case", f'"address":"{ADDRESS}"', f'"address":"{ADDRESS.lower()}"')
record("address too short", f'"address":"{ADDRESS}"', f'"address":"{ADDRESS[:-1]}"')
record("address of another path", f'"address":"{ADDRESS}"', f'"address":"{OTHER_ADDRESS}"')
record("chain of another path", '"748463"', '"1"')
record("chain id as a number", '"748463"', "748463")
record("chain that is not the site's", '"748463"', '"10"', RECORD_PATH.replace("748463", "10"))
record("match level misspelled", '"runtimeMatch":"match"', '"runtimeMatch":"exact"')
record("match that its sides deny", ',"match":"match"', ',"match":"exact_match"')
record("match of nothing", '"runtimeMatch":"match"', '"runtimeMatch":null')
record("match id in words", MATCH_ID, '"matchId":"one"')
record("verified at with milliseconds", "44Z", "44.000Z")
record("record without sources", '"sources":{', '"sourcs":{')
record(
    "unknown member of a side", '"runtimeBytecode":{"onchainBytecode"', '"runtimeBytecode":{"onChainBytecode"'
)
record(
    "bytecode that is not hex",
    '"runtimeBytecode":{"onchainBytecode":"0x',
    '"runtimeBytecode":{"onchainBytecode":"0xg',
)
record(
    "bytecode of odd length",
    '"runtimeBytecode":{"onchainBytecode":"0x',
    '"runtimeBytecode":{"onchainBytecode":"0x1',
)
record(
    "transformation of no kind",
    '"transformations":[]',
    '"transformations":[{"type":"swap","reason":"library","offset":1}]',
)
record(
    "offset as text",
    '"transformations":[]',
    '"transformations":[{"type":"replace","reason":"library","offset":"1","id":"a:B"}]',
)
record("transaction hash too short", '"transactionHash":"0x043c5b', '"transactionHash":"0x')
record("block number in hex", '"blockNumber":"', '"blockNumber":"0x')
CASES["same contract twice"] = {
    RECORD_PATH: RECORD,
    RECORD_PATH.replace(".json", ".yaml"): json.dumps(json.loads(RECORD) | {"matchId": "2"}, indent=1),
}
CASES["same match id twice"] = {
    RECORD_PATH: RECORD,
    f"contracts/748463/{OTHER_ADDRESS}.json": RECORD.replace(ADDRESS, OTHER_ADDRESS),
}
CASES["workspace without files"] = {WORKSPACE_PATH: WORKSPACE}
CASES["workspace that climbs out"] = {WORKSPACE_PATH: WORKSPACE + "input: ../../../site.yaml\n"}
CASES["workspace under a wrong address"] = {"contracts/748463/0x12/contract.yaml": WORKSPACE}

CASES["unknown components in settings"] = {
    "site.yaml": f"{SITE}"
    "notify:\n  channels:\n    - {name: ops, kind: slack, url_variable: A, components: [rpc, rcp]}\n"
    "alerts:\n  rules:\n    - {labels: {alertname: Down}, component: bridge-1}\n"
    "metrics:\n  probes:\n    node: {kind: http, url: 'https://a.example', component: rcp}\n"
}
CASES["chain listed twice"] = {"site.yaml": f"{SITE}  - {{chain_id: 748463, name: Other}}\n"}
CASES["window among incidents"] = {"incidents/upgrade-2.yaml": MAINTENANCE}
CASES["page without keys"] = {"pages/about.md": "# About\n"}
CASES["logo in capitals"] = {"theme/Logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>"}
CASES["artifact for a record"] = {RECORD_PATH: '{"abi": [], "bytecode": {"object": "0x"}}'}
