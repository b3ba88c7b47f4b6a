"""Content that wants to be more than text: every place where it reaches a page, one by one.

What is put there adds no element and no attribute to the page, and no character that hides or turns text.
"""

from copy import deepcopy

import pytest

from statuary.base.findings import Finding
from statuary.base.primitives import ChainId
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.proof import CheckOutcome, CheckResult, Proof
from statuary.contracts.model.record import make_contract_row
from statuary.contracts.pages.lists import ContractListPages
from statuary.contracts.pages.page_members import listed_compilation, with_page_members
from statuary.contracts.pages.previous_pages import no_previous_pages
from statuary.contracts.settings import Chain
from statuary.site.pages.page_texts import HIDDEN_CHARACTERS, one_line
from statuary.site.pages.rendering import Renderer
from statuary.status.model.timeline import build_timeline
from statuary.status.pages.pages import StatusPages
from support.chain_lists import divided_list
from support.contracts import made_record
from support.hostile_records import RECORD_SINKS
from support.pages import Elements, page_of, small_site_context
from support.status_site import at, catalogue_of

BLOW = "\"'><script>acted(1)</script><img src=x onerror=acted(2)></title>--><svg onload=acted(3)>&lt;\u202e\u2066\x00\x1b\ufeff{{ 7*7 }}"
HARMLESS = "quite harmless, " * 8 + "and as long"  # a long name has another size


def assert_inert(hostile: str, harmless: str) -> None:
    """Hold a page with hostile content against the same page with harmless content."""
    found, expected = Elements(hostile), Elements(harmless)
    assert set(found.tags) == set(expected.tags)
    assert found.attributes == expected.attributes
    assert found.tags["script"] == expected.tags["script"]
    assert found.tags["img"] == expected.tags["img"] == 0
    assert not [
        address for address in found.addresses if address.lower().startswith(("javascript:", "data:"))
    ]
    assert HIDDEN_CHARACTERS.search(hostile) is None
    assert "acted(" not in "".join(address for address in found.addresses)


@pytest.mark.parametrize("place", RECORD_SINKS)
def test_record_page_escapes_texts(place: str) -> None:
    pages = {}
    for text in (BLOW, HARMLESS):
        record = deepcopy(made_record("everything"))
        RECORD_SINKS[place](record, text)
        pages[text] = page_of(record, Proof(results=()))
    assert_inert(pages[BLOW], pages[HARMLESS])
    assert "acted(" in Elements(pages[BLOW]).text
    assert HARMLESS in Elements(pages[HARMLESS]).text


def test_proof_page_escapes_texts() -> None:
    def page(text: str) -> str:
        finding = Finding(rule=text, message=text, pointer=(text,))
        result = CheckResult(
            check=text, outcome=CheckOutcome.FAILED, evidence={text: text}, findings=(finding,)
        )
        return page_of(made_record(), Proof(results=(result,)), published=False)

    assert_inert(page(BLOW), page(HARMLESS))


def test_contract_list_escapes_texts() -> None:
    def page(text: str) -> str:
        record = made_record()
        record["compilation"] |= {"name": text, "language": text}
        chain = Chain(chain_id=ChainId("31337"), name=text, title=text)
        lists = ContractListPages(Renderer(small_site_context()), with_pages=True)
        row = with_page_members(make_contract_row(record), record, listed_compilation(record))
        chain_list = divided_list("31337", [row])
        (document,) = lists.chain_pages(chain, chain_list, no_previous_pages())
        home = lists.chains_page([chain], {"31337": 1}, {"31337": chain_list}, has_search=True)
        return document.body.decode() + home.body.decode()

    assert_inert(page(BLOW), page(HARMLESS))


def test_search_shard_name_has_only_letters() -> None:
    from statuary.contracts.pages.search import search_documents

    entry = ContractRow(
        match="match",
        creationMatch=None,
        runtimeMatch="match",
        chainId="1",
        address="0x" + "5a" * 20,
        verifiedAt="2026-01-01T00:00:00Z",
        matchId="1",
        name="../../<x>é\u202e",
        language="Yul",
    )
    renderer = Renderer(small_site_context())
    paths = [
        document.path for document in search_documents([entry], renderer.localization.texts, with_pages=True)
    ]
    assert paths
    assert all(path.startswith("contracts/search/") and ".." not in path for path in paths)


def status_page(text: str) -> str:
    """Return every page of a status side that has a text wherever one can be."""
    quoted = "'" + text.replace("'", "''").replace("\x00", "").replace("\x1b", "").replace("\ufeff", "") + "'"
    catalogue = catalogue_of(
        components=f"""
            components:
              group:
                name: {quoted}
                description: {quoted}
                components:
                  rpc: {{name: {quoted}, description: {quoted}}}
        """,
        incidents={
            "trouble": f"""
                name: {quoted}
                components: {{rpc: major_outage}}
                updates:
                  - {{at: 2026-11-02T10:00:00Z, status: investigating, body: {quoted}}}
            """,
            "over": f"""
                name: {quoted}
                components: {{rpc: major_outage}}
                updates:
                  - {{at: 2026-11-01T10:00:00Z, status: investigating, body: {quoted}}}
                  - {{at: 2026-11-01T11:00:00Z, status: resolved, body: {quoted}}}
                postmortem: {{published_at: 2026-11-01T12:00:00Z, body: {quoted}}}
            """,
        },
        maintenances={
            "upgrade": f"""
                name: {quoted}
                components: [rpc]
                created_at: 2026-11-01T00:00:00Z
                scheduled_for: 2026-12-01T22:00:00Z
                scheduled_until: 2026-12-01T23:00:00Z
                updates:
                  - {{at: 2026-11-01T00:00:00Z, status: scheduled, body: {quoted}}}
            """
        },
    )
    now = at("11-02 12:00")
    pages = StatusPages(build_timeline(catalogue, now), small_site_context(name=one_line(text)))
    return "\n".join(document.body.decode() for document in pages.documents_at(now))


def test_status_page_escapes_names_and_bodies() -> None:
    hostile, harmless = status_page(BLOW), status_page(HARMLESS)
    assert_inert(hostile, harmless)
    assert "acted(" in Elements(hostile).text


LONG = "x" * 1_000_000


def test_page_cuts_long_source_line() -> None:
    record = made_record()
    (source,) = record["sources"].values()
    source["content"] = f"// {LONG[:400_000]}\ncontract A {{}}\n// {LONG[:400_000]}"
    page = page_of(record, Proof(results=()))
    assert len(page) < 60_000
    assert "Very long lines are cut" in page


def test_page_hides_oversized_sources() -> None:
    record = made_record()
    record["sources"] |= {f"contracts/{n}.sol": {"content": LONG} for n in range(4)}
    page = page_of(record, Proof(results=()))
    assert len(page) < 60_000
    assert page.count("too large to show") == 4


def test_oversized_record_fields_keep_page_small() -> None:
    record = made_record("everything")
    for member in ("name", "fullyQualifiedName", "language"):
        record["compilation"][member] = LONG
    record["abi"] = [{"type": "function", "name": LONG, "inputs": [{"name": LONG, "type": LONG}]}] * 3
    page = page_of(record, Proof(results=()))
    assert len(page) < 500_000
