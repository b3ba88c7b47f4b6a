"""Small content folders for tests, drawn as dictionaries of path to text."""

from functools import cache
from pathlib import Path

import orjson

from statuary.domain.primitives import checksum_address
from support.contracts import made_record

SITE = """\
page:
  name: Plinth
  url: https://status.plinth.example
  id: plinthpage01
chains:
  - chain_id: 748463
    name: Plinth
"""

COMPONENTS = """\
components:
  network:
    name: Network
    components:
      rpc:
        name: Public RPC
      blocks:
        name: Block production
  explorer:
    name: Explorer
"""

INCIDENT = """\
name: Slow answers
components:
  rpc: degraded_performance
updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating
    body: We are looking into it.
  - at: 2026-11-02T11:00:00Z
    status: resolved
"""

MAINTENANCE = """\
name: Upgrade
components: [rpc]
created_at: 2026-11-01T00:00:00Z
scheduled_for: 2026-12-01T22:00:00Z
scheduled_until: 2026-12-01T23:00:00Z
"""

SMALL_SITE = {
    "site.yaml": SITE,
    "components.yaml": COMPONENTS,
    "incidents/slow.yaml": INCIDENT,
    "maintenances/upgrade.yaml": MAINTENANCE,
}
"""A site that is in order."""

NOW = "2026-11-20T12:00:00Z"
"""The instant that tests build at."""


def write_files(root: Path, files: dict[str, str | bytes | None]) -> Path:
    """Write files below a folder and return it; a file that is None is removed."""
    for path, body in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if body is None:
            file.unlink()
        elif isinstance(body, bytes):
            file.write_bytes(body)
        else:
            file.write_text(body, encoding="utf-8", newline="")
    return root


def small_site(root: Path, **_: object) -> Path:
    """Write the site that is in order below a folder and return its content folder."""
    return write_files(root / "content", dict(SMALL_SITE))


CHAIN = "748463"


@cache
def _record() -> bytes:
    return orjson.dumps(made_record())


def address_of(number: int) -> str:
    """Return the address of a contract."""
    return checksum_address(f"0x{number * 7919:040x}")


def record_of(number: int) -> bytes:
    """Return the record of a contract as it is written."""
    record = orjson.loads(_record())
    return orjson.dumps(record | {"chainId": CHAIN, "address": address_of(number), "matchId": str(number)})


def path_of(number: int) -> str:
    """Return where a contract is written, below the content folder."""
    return f"contracts/{CHAIN}/{address_of(number)}.json"


def site_of_many(root: Path, count: int, *, pages: bool = False) -> Path:
    """Write a small site with so many contracts, numbered from 1, and return its content folder."""
    content = small_site(root)
    if not pages:
        with (content / "site.yaml").open("a") as file:
            file.write("pages: {contracts: 0, listed: 0, search: false}\n")
    (content / "contracts" / CHAIN).mkdir(parents=True)
    for number in range(1, count + 1):
        (content / path_of(number)).write_bytes(record_of(number))
    return content
