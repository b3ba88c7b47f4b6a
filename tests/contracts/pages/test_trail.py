"""The trail of a verdict: one strand for each piece of evidence, in the style of what it shows."""

import re

import pytest

from statuary.contracts.checks.prove import prove
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.trail import small_trail, trail_signs
from support.contracts import made_record
from support.pages import page_of

STRAND = re.compile(
    r'class="strand to-(\w+)" href="#claim-(\w+)">.*?<span class="hidden-text">([^<]+): </span>([^<]+)<'
)

WORD = re.compile(r'<span class="word s-(\w+)">.*?</svg>([^<]+)</span>')


def strands(page):
    return {f"{claim}: {check}": (sign, status) for sign, claim, status, check in STRAND.findall(page)}


def changed(record, code):
    record["runtimeBytecode"] |= {
        "onchainBytecode": code,
        "transformations": None,
        "transformationValues": None,
    }
    return record | {"runtimeMatch": None}


def test_unproven_record_names_missing_evidence():
    record = made_record("immutables")
    assert strands(page_of(record)) == {
        "hashed: hash matches": ("ok", "Verified here"),
        "compiled: not recompiled": ("none", "Not proven"),
        "on_chain: no account proof": ("none", "Not proven"),
        "deployed: deployment not proven": ("none", "Not proven"),
    }


def test_stated_compilation_has_own_style():
    record = made_record("immutables")
    evidence = CompilationEvidence(
        "ab", record["compilation"]["compilerVersion"], "cd", "ef", "01", "0.1.0", ()
    )
    page = page_of(record, prove(record, compilation=evidence, record_digest="ab"))
    assert strands(page)["compiled: recompiled"] == ("stated", "Stated in a file")


def test_different_code_contradicts_first_line():
    page = page_of(changed(made_record("immutables"), "0x33ff"))
    assert next(iter(strands(page).items())) == ("matches: bytes differ", ("major", "Contradicted"))
    assert '<body class="contradicted"' in page


def test_verified_claim_is_ticked_beside_contradiction():
    page = page_of(changed(made_record("immutables"), "0x33ff"))
    signs = {(word, sign) for sign, word in WORD.findall(page)}
    assert ("Verified here", "checked") in signs
    assert {sign for word, sign in signs if word == "Not proven"} == {"none"}
    assert {sign for word, sign in signs if word == "Verified here"} == {"checked"}
    assert 'href="#i-checked"/></svg>\n<div>\n<p><span class="hidden-text">Passed: ' in page


def test_contradicted_trail_shows_no_green():
    assert '<body class="contradicted"' not in page_of(made_record("immutables"))


@pytest.mark.parametrize("published", [True, False])
def test_rejected_record_states_failed_check_first(published):
    record = made_record("immutables")
    record["sources"] = {path: {"content": "// other\n"} for path in record["sources"]}
    page = page_of(record, published=published)
    failure = page.index('<ul class="failures">')
    assert "Keccak-256" in page[failure : page.index("</ul>", failure)]
    assert failure < page.index('class="trail"') < page.index('id="proof"') < page.index('id="source"')


def test_every_trail_line_shows_claim():
    page = page_of(made_record("immutables"))
    for claim in {key.partition(":")[0] for key in strands(page)}:
        assert f'<tr id="claim-{claim}">' in page


@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize("code", ["", "0x33ff"])
def test_list_drawing_matches_page_drawing(code, published):
    record = changed(made_record("immutables"), code) if code else made_record("immutables")
    proof = prove(record)
    small = trail_signs(RecordWithProof(record, proof, published))
    page = page_of(record, proof, published=published)
    assert small.replace("-", "") == "".join(sign[0] for sign, _ in strands(page).values())
    assert [stroke.sign for stroke in small_trail(small)] == [sign for sign, _ in strands(page).values()]
