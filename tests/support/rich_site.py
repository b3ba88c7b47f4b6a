"""The content of a site with every kind of page in every state, with names that are long, and in a script that runs from right to left."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from statuary.base.primitives import checksum_address
from statuary.contracts.sources.evidence import encode_anchor
from statuary.site.document import encode_unchecked
from support.made_anchors import anchor_of
from support.signing_sites import TOKEN_ABI, TOKEN_FILE, descriptor, record_path, signed_record
from support.sites import CHAIN, write_files

NOW = "2026-11-22T14:32:00Z"

WORDS = " ".join(["Donaudampfschifffahrtsgesellschaft"] * 6)[:200]
LETTERS = "x" * 200
HEBREW = "שרת הבלוקים הציבורי של הרשת (RPC) אינו עונה לקריאות"

SETTINGS = f"""\
page: {{name: Plinth, url: https://status.plinth.example, time_zone: Europe/Zurich, created_at: 2026-01-12T09:00:00Z}}
chains: [{{chain_id: {CHAIN}, name: Plinth, title: "Plinth, a demo network", explorer: https://explorer.plinth.example}}]
contracts: {{publish: all}}
apis: [signatures, etherscan, otterscan, blockscout, code, proxies]
log: {{origin: status.plinth.example/example-key-log, example_key: true}}
languages: [en, de, ja]
cards: {{}}
embed: true
clear_signing: {{}}
metrics:
  shown:
    block: {{name: Newest block, unit: s, file: points.csv}}
    lag: {{name: Finality lag of the whole network, unit: blocks, file: points.csv}}
"""

COMPONENTS = f"""\
components:
  network:
    name: Network
    components:
      public-rpc: {{name: Public RPC, description: "Answers calls of wallets."}}
      websocket: {{name: WebSocket RPC}}
      hebrew: {{name: "{HEBREW}"}}
  long:
    name: {WORDS}
    components:
      words: {{name: {WORDS}}}
      letters: {{name: {LETTERS}}}
  bridge: {{name: Bridge}}
"""

OUTAGE = f"""\
name: The public RPC answers with errors
impact_override: critical
started_at: 2026-11-22T13:42:00Z
components: {{public-rpc: major_outage, hebrew: partial_outage}}
updates:
  - {{at: 2026-11-22T13:44:00Z, status: investigating, body: Most calls fail with status 502.}}
  - at: 2026-11-22T14:20:00Z
    status: identified
    next_update_by: 2026-11-22T14:45:00Z
    body: |
      One call in five succeeds at <https://rpc.plinth.example/{"a" * 150}>.

      ```
      curl -s https://rpc.plinth.example -d '{{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}}' -H 'content-type: application/json'
      ```
  - {{at: 2026-11-22T14:25:00Z, status: identified, body: "{HEBREW}. {HEBREW}."}}
"""

ENDED = """\
name: Time-outs of the bridge
components: {bridge: degraded_performance}
updates:
  - {at: 2026-11-09T09:15:00Z, status: investigating, body: Transfers wait for an hour.}
  - {at: 2026-11-09T11:15:00Z, status: resolved, body: Transfers take a minute again.}
  - {at: 2026-11-10T11:15:00Z, status: postmortem, body: A queue was full.}
"""


def incident(name: str, component: str, state: str, body: str) -> str:
    """Return an open incident of one update."""
    return (
        f"name: {name}\ncomponents: {{{component}: {state}}}\nupdates:\n"
        f"  - {{at: 2026-11-22T13:44:00Z, status: investigating, body: {body}}}\n"
    )


STATUS = {
    "site.yaml": SETTINGS,
    "components.yaml": COMPONENTS,
    "incidents/2026-11-22-rpc.yaml": OUTAGE,
    "incidents/2026-11-09-bridge.yaml": ENDED,
    "incidents/2026-11-22-words.yaml": incident(WORDS, "words", "major_outage", LETTERS),
    "incidents/2026-11-22-letters.yaml": incident(LETTERS, "letters", "degraded_performance", WORDS),
    "maintenances/2026-11-22-relayers.yaml": "name: New keys for the bridge\ncomponents: [bridge]\n"
    "created_at: 2026-11-15T08:00:00Z\nscheduled_for: 2026-11-22T06:00:00Z\nscheduled_until: 2026-11-22T18:00:00Z\n",
    "maintenances/2026-11-29-words.yaml": f"name: {WORDS}\ncomponents: [words, letters]\n"
    "created_at: 2026-11-15T08:00:00Z\nscheduled_for: 2026-11-29T06:00:00Z\nscheduled_until: 2026-11-29T18:00:00Z\n",
    "pages/index.md": "---\ntitle: Help\nnavigation: true\n---\nText.\n",
    "pages/help/table.md": f"---\ntitle: {WORDS}\n---\n{HEBREW}.\n\n| Key | Meaning | Default |\n|---|---|---|\n"
    f"| `{'key_' * 20}` | {WORDS} | `{'0x' + 'ab' * 32}` |\n\n```\n{'statuary build ' * 20}\n```\n\n## {WORDS}\n\n- `{'--option ' * 12}`\n",
}

VERIFIED, PLAIN, CHANGED, GONE, DIFFERS, REJECTED, UPGRADED = (
    checksum_address("0x" + f"{number}" * 20) for number in ("a1", "a2", "b3", "b4", "b5", "b6", "b7")
)
OTHER_CODE = "0x33ff"


def _record(address: str, **changes: Any) -> dict[str, Any]:
    value: dict[str, Any] = orjson.loads(signed_record(TOKEN_ABI, address, **changes))
    return value


def _anchored(address: str, code: str = "") -> dict[str, bytes]:
    record = _record(address)
    digest = sha256(encode_unchecked(record)).hexdigest()
    anchor = anchor_of(digest, address, code or record["runtimeBytecode"]["onchainBytecode"])
    path = record_path(address)
    return {path: orjson.dumps(record), f"{path.removesuffix('.json')}/anchor.json": encode_anchor(anchor)}


def records() -> dict[str, bytes]:
    """Return records that are proven as far as a build can, not proven, contradicted in three ways, and rejected."""
    differs, rejected = _record(DIFFERS), _record(REJECTED)
    differs["runtimeMatch"] = None
    differs["runtimeBytecode"] |= {
        "onchainBytecode": OTHER_CODE,
        "transformations": None,
        "transformationValues": None,
    }
    next(iter(rejected["sources"].values()))["content"] += "// more\n"
    rejected["compilation"]["name"] = LETTERS[:120]
    return {
        **_anchored(VERIFIED),
        record_path(PLAIN): orjson.dumps(_record(PLAIN)),
        **_anchored(CHANGED, OTHER_CODE),
        **_anchored(GONE, "0x"),
        record_path(DIFFERS): orjson.dumps(differs),
        record_path(REJECTED): orjson.dumps(rejected),
        record_path(UPGRADED): orjson.dumps(
            _record(UPGRADED, proxy="EIP1967Proxy", implementations=(PLAIN,))
        ),
    }


def rich_content(folder: Path) -> Path:
    """Write the content; its measurements stand beside it."""
    rows = "".join(
        f"2026-11-{day:02}T{hour:02}:00:00Z,{hour % 3 + 3}\n" for day in (21, 22) for hour in range(14)
    )
    write_files(folder, {"measurements/points.csv": f"at,value\n{rows}"})
    described = {f"clear-signing/{TOKEN_FILE}": orjson.dumps(descriptor(None, VERIFIED))}
    return write_files(folder / "content", {**STATUS, **records(), **described})
