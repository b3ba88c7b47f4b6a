"""Real contract records, where they are at hand: `../shared/data` beside the checkout.

Nothing of it is part of the project; tests that need it skip without it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from support.requirements import CHECKOUT, require_folder

DATA = CHECKOUT.parent / "shared" / "data"

DOCTORED = {"proxy_eip1167", "proxy_eip1967_resolved", "proxy_eip1967_rpc_error", "proxy_factory_not_proxy"}
"""Served vectors whose on-chain bytecode was replaced by a proxy's, to try proxy resolution: they replay nothing."""

UNDERSTATED = "edge_creation_onchain_but_unmatched"
"""A served vector made to have an unmatched creation side, although its bytecode matches."""


def real_records() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and value of each record that a real server sent."""
    folder = _folder("contract-records", "records of a real Sourcify server")
    yield from _records(sorted(folder.glob("*/*.json")))


def served_vectors(*, doctored: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and value of each record that the real request handler made of a published test vector."""
    folder = _folder("transformation-vectors/v2-served-by-real-handler", "records made from test vectors")
    files = sorted(folder.glob("*.json"))
    yield from _records([file for file in files if doctored or file.stem not in DOCTORED])


def vectors(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and value of each published test vector in a folder."""
    folder = _folder(f"transformation-vectors/{name}", "published verification test vectors")
    yield from _records(sorted(folder.glob("*.json")))


def _folder(name: str, what: str) -> Path:
    return require_folder(DATA / name, what=what)


def _records(files: list[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    assert files, "the folder is empty, so that no test of its records could fail"
    for file in files:
        yield f"{file.parent.name}/{file.stem}", orjson.loads(file.read_bytes())
