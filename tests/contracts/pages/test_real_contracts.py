"""Pages of real records: each can be rendered, and shows its record."""

import pytest

from statuary.contracts.model.proof import Proof
from statuary.site.pages.page_texts import HIDDEN_CHARACTERS
from support.page_links import PageParts
from support.pages import Elements, page_of
from support.real_records import real_records

pytestmark = pytest.mark.slow


def test_real_record_pages_render_completely() -> None:
    count = 0
    for name, record in real_records():
        page = page_of(record, Proof(results=()))
        assert PageParts(page).repeated == [], name
        assert HIDDEN_CHARACTERS.search(page) is None, name
        text = Elements(page).text
        assert record["address"] in text
        # an anonymous event has no topic for its signature
        anonymous = {item["name"] for item in record["abi"] or () if item.get("anonymous")}
        for kind in record["signatures"].values():
            for signature in kind:
                is_shown = signature["signature"].partition("(")[0] not in anonymous
                assert (signature["signatureHash4"] in text) or not is_shown, (name, signature)
        count += 1
    assert count > 50
