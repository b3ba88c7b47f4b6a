"""Ids that are derived."""

import re

from statuary.status.model.records import derived_id


def test_derived_record_id_is_stable():
    assert derived_id("trouble", "2026-11-02T10:00:00+00:00", "0") == "e3yucwe2pzro"
    assert re.fullmatch("[a-z0-9]{12}", derived_id(""))


def test_derived_record_id_distinguishes_part_boundaries():
    assert derived_id("ab", "c") != derived_id("a", "bc")
