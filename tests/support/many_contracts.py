"""Content folders with many small contracts, whose records are in order."""

from functools import cache
from pathlib import Path

import orjson

from statuary.domain.primitives import checksum_address
from support.contracts import made_record
from support.sites import small_site

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
