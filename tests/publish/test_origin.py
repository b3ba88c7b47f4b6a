"""The notes about the origin of a site."""

from statuary.base.primitives import parse_instant
from statuary.publish.origin import SiteOrigin, origin_meta_values


def test_ledger_metadata_states_time_revision_version() -> None:
    origin = SiteOrigin(parse_instant("2026-11-20T12:00:00Z"), "r1", "1.2.3")
    assert origin_meta_values(origin) == {
        "instant": "2026-11-20T12:00:00.000Z",
        "revision": "r1",
        "statuary": "1.2.3",
    }
