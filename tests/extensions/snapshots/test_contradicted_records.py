"""A record that fails a check is an error of a snapshot, unless its proof there says that it is contradicted."""

import orjson
import pytest

from statuary.extensions.snapshots.verify import RecordVerifier
from statuary.publish.listing import Entry
from support.contracts import made_record

RECORD = made_record()
NAME = f"{RECORD['chainId']}/{RECORD['address']}"


def entry(path: str) -> Entry:
    return Entry(path)


@pytest.mark.parametrize("proof_is_first", [True, False])
@pytest.mark.parametrize("status", ["contradicted", "verified_here"])
def test_snapshot_accepts_invalid_record_marked_contradicted(status: str, *, proof_is_first: bool) -> None:
    record = RECORD | {"matchId": "not a number"}
    proof = {"chainId": RECORD["chainId"], "address": RECORD["address"], "verdict": {"status": status}}
    documents = [
        (f"v2/contract/{NAME}", orjson.dumps(record)),
        (f"proof/{NAME}.json", orjson.dumps(proof)),
    ]
    with RecordVerifier() as records:
        for path, body in documents[:: -1 if proof_is_first else 1]:
            records(entry(path), body)
    is_admitted = status == "contradicted"
    assert (records.verified, records.undisclosed_failure_count, records.disclosed_failure_count) == (
        0,
        not is_admitted,
        is_admitted,
    )
    assert bool(records.errors) == (not is_admitted)
