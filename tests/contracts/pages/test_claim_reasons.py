"""The reasons of claims: every key has a sentence in every language, with the values that the code gives it."""

import ast
import re
from collections import defaultdict

import orjson
import pytest

from statuary.base.reasons import make_reason
from statuary.contracts.chain.anchor import Anchor, AnchoredBlock
from statuary.contracts.checks.prove import prove
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus, Proof
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.proof import proof_view
from statuary.site.pages.page_texts import DEFAULT_LANGUAGE, PLACEHOLDER, english_sentence, page_texts
from statuary.site.pages.site_context import Localization
from statuary.site.settings import LANGUAGES
from support.contracts import FEATURES, made_record
from support.requirements import CHECKOUT

GIVING_REASONS = {"make_reason", "EvidenceError"}
OTHERS = [language for language in LANGUAGES if language != DEFAULT_LANGUAGE]


def sentences(language):
    """Return the sentences of a language as its file has them, by key."""
    file = CHECKOUT / f"src/statuary/contracts/pages/texts/{language}.json"
    return orjson.loads(file.read_bytes())["claim_reason"]


def placeholders(sentence):
    return {match[1] for match in PLACEHOLDER.finditer(sentence) if match[1]}


def written_keys(argument):
    """Yield patterns of the keys that an expression may be."""
    if isinstance(argument, ast.IfExp):
        yield from written_keys(argument.body)
        yield from written_keys(argument.orelse)
    elif isinstance(argument, ast.JoinedStr):
        yield "".join(
            re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in argument.values
        )
    elif isinstance(argument, ast.Constant):
        yield re.escape(argument.value)


def reasons_of_the_code():
    """Return the names of the values that the code gives to each key; None where they are counted only as it runs."""
    keys, values = sentences(DEFAULT_LANGUAGE), defaultdict(list)
    for file in sorted((CHECKOUT / "src/statuary").rglob("*.py")):
        text = file.read_text("utf-8")
        gives_reasons = any(name in text for name in GIVING_REASONS)
        for node in ast.walk(ast.parse(text)) if gives_reasons else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in GIVING_REASONS and node.args:
                names = [keyword.arg for keyword in node.keywords]
                for pattern in written_keys(node.args[0]):
                    meant = [key for key in keys if re.fullmatch(pattern, key)]
                    assert meant, f"{file}:{node.lineno}: no text for {pattern}"
                    for key in meant:
                        values[key].append(None if None in names else set(names))
    return values


def test_reason_keys_match_english_sentences():
    values = reasons_of_the_code()
    assert set(values) == set(sentences(DEFAULT_LANGUAGE))
    for key, sentence in sentences(DEFAULT_LANGUAGE).items():
        for names in values[key]:
            assert names is None or names == placeholders(sentence), key


@pytest.mark.parametrize("language", OTHERS)
def test_languages_translate_every_reason(language):
    own, english_sentences = sentences(language), sentences(DEFAULT_LANGUAGE)
    assert set(own) == set(english_sentences)
    for key, sentence in english_sentences.items():
        assert placeholders(own[key]) == placeholders(sentence), key
        assert own[key] != sentence, key


def shown_reason(reason, language):
    claim = Claim(ClaimName.DEPLOYED, ClaimStatus.NOT_SHOWN, reason)
    localization = Localization(page_texts(language), None)
    return (
        proof_view(RecordWithProof({}, Proof(results=(), claims=(claim,))), localization, {}, "")
        .claims[0]
        .reason
    )


@pytest.mark.parametrize("key", sorted(sentences(DEFAULT_LANGUAGE)))
def test_translated_reason_has_no_english(key):
    sentence = sentences(DEFAULT_LANGUAGE)[key]
    reason = make_reason(key, **{name: f"<{name} {{member}}>" for name in placeholders(sentence)})
    words = [
        words.strip() for words in PLACEHOLDER.split(sentence)[::2] if len(words.strip()) > len("in Vyper")
    ]
    assert shown_reason(reason, DEFAULT_LANGUAGE) == english_sentence(reason)
    for language in OTHERS:
        shown = shown_reason(reason, language)
        assert all(value in shown for _, value in reason.values)
        assert not [part for part in words if part in shown]


def test_reason_numbers_use_language_grouping():
    reason = make_reason("older_block", block=21_000)
    assert (
        english_sentence(reason)
        == "block 21,000 is older than the record and has different code at the address"
    )
    assert "21.000" in shown_reason(reason, "de")


def test_evidence_error_uses_page_language():
    record = made_record(next(name for name in FEATURES if made_record(name)["runtimeMatch"]))
    block = AnchoredBlock(21_000, "0x" + "ab" * 32, "0xnot hex")
    proof = prove(record, anchor=Anchor("ab", block=block), record_digest="ab")
    claim = proof.find_claim(ClaimName.ON_CHAIN)
    assert (claim.status, english_sentence(claim.reason)) == (
        ClaimStatus.NOT_SHOWN,
        "a node of the proof is not hex",
    )
    assert (claim.reason, "") in proof.evidence_problems
    assert shown_reason(claim.reason, "de") == "ein Knoten des Beweises ist nicht hexadezimal"


def test_reasons_quote_words_of_anchors():
    record = made_record(FEATURES[0] if isinstance(FEATURES, (list, tuple)) else next(iter(FEATURES)))
    anchor = Anchor("ab", missing={"onChain": "example.org has no {such} block"})
    claim = prove(record, anchor=anchor, record_digest="ab").find_claim(ClaimName.ON_CHAIN)
    assert english_sentence(claim.reason) == "anchor.json says: “example.org has no {such} block”"
    assert "„example.org has no {such} block“" in shown_reason(claim.reason, "de")
