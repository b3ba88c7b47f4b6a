"""Forged records that take the contract or the match id of a published one: the published one stays as it was."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from contracts.checks.test_compilation_forgeries import FORGERIES, RECORDS, UNKNOWN, forged, true_record
from statuary.contracts.model.record import sort_members_as_served
from support.sites import build, files_in, write_files

CHAIN = "31337"
SITE = """\
page: {name: Plinth, url: https://plinth.example, id: plinthpage01, created_at: 2026-01-01T00:00:00Z}
chains: [{chain_id: 31337, name: Plinth}]
"""
NOW = "2026-11-21T12:00:00Z"
EARLIER = "2026-10-01T00:00:00Z"


def targets() -> dict[str, str]:
    """Return the match id of each true record that has its address alone."""
    by_address = {true_record(name)["address"]: name for name in RECORDS}
    return {name: str(number) for number, name in enumerate(by_address.values(), 1)}


TARGETS = targets()


def squatting() -> list[dict[str, Any]]:
    """Return each forgery of these records, with the match id of its own record, a new one, or that of another record."""
    made = []
    wanted = [one for one in FORGERIES if one[0] in TARGETS and one[1] not in UNKNOWN]
    for number, (name, kind, forge) in enumerate(wanted):
        record = forged(name, kind, forge)
        ids = (TARGETS[name], str(1000 + number), str(1 + int(TARGETS[name]) % len(TARGETS)))
        if isinstance(record.get("matchId"), str) and record["matchId"].isdecimal():
            record["matchId"] = ids[number % 3]
        if kind not in ("release before it was made", "hour that is none", "time of another zone"):
            record["verifiedAt"] = EARLIER
        made.append(record)
    return made


def true_files() -> dict[str, bytes]:
    records = {name: true_record(name) | {"matchId": number} for name, number in TARGETS.items()}
    return {
        f"contracts/{CHAIN}/{record['address']}.json": orjson.dumps(sort_members_as_served(record))
        for record in records.values()
    }


def documents_of_targets(site: Path) -> dict[str, bytes]:
    addresses = {true_record(name)["address"].lower() for name in TARGETS}
    return {
        path: body
        for path, body in files_in(site).items()
        if path.startswith(("v2/contract/", "proof/"))  # a site with bulk files has no pages of contracts
        and path.rpartition("/")[2].partition(".")[0].lower() in addresses
    }


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["", "contracts: {publish: all}\n"], ids=["", "all"])
@pytest.mark.parametrize("has_ledger", [True, False], ids=["published", "together"])
def test_forgery_never_replaces_genuine_record(tmp_path, has_ledger, setting):
    content = write_files(tmp_path / "content", {"site.yaml": SITE + setting, **true_files()})
    assert build(content, tmp_path / "true", NOW).checked.excluded_count == 0
    before = documents_of_targets(tmp_path / "true")
    assert len(before) >= 3 * len(TARGETS)
    lines = [json.dumps(record).encode() for record in squatting()]
    assert len(lines) > 250
    write_files(content, {"contracts/aaa.jsonl": b"\n".join(lines) + b"\n"})
    out = tmp_path / ("true" if has_ledger else "together")
    checked = build(content, out, NOW).checked
    after = documents_of_targets(out)
    assert [path for path in before if after.get(path) != before[path]] == []
    assert checked.excluded_count == len(lines)
