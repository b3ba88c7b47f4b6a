"""The trail on a contract's page: from sources to bytecode to address.

It shows which evidence connects each part with the next.
"""

from typing import NamedTuple

from statuary.base.json_values import as_object, as_text
from statuary.base.primitives import Instant, parse_instant
from statuary.contracts.model.judged_record import JudgedRecord
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus, Proof
from statuary.contracts.model.record import RecordValue
from statuary.contracts.pages.proof import CLAIM_ICONS, sign_beside
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.site_context import FormattedTime, Localization


class Strand(NamedTuple):
    """A piece of evidence that connects two parts of the trail."""

    claim: str  # such as `on_chain`
    sign: str  # of its status: `ok`, `stated`, `none` or `major`
    status: str  # in words
    check: str  # the name of the check, in words


class TrailPart(NamedTuple):
    """A part of the trail, and the evidence that leads on."""

    section: str  # of the page
    name: str
    note: str  # what it is, in a few words; empty if that is unknown
    at: FormattedTime | None  # its day, where the chain shows it
    strands: tuple[Strand, ...]  # none after the last part


def trail(judged: JudgedRecord, localization: Localization) -> tuple[TrailPart, ...]:
    """Return the trail of a record; empty if it has no claims."""
    record, proof = judged.record, judged.proof
    if not proof.claims:
        return ()
    texts = localization.texts
    claims = {claim.name: claim for claim in proof.claims}
    address, created = record["address"], created_at(proof)
    size = len(as_text(as_object(record.get("runtimeBytecode")).get("onchainBytecode"))) // 2 - 1
    size_text = texts("contract.bytes", bytes=texts.number(size)) if size > 0 else ""
    on_chain, deployed = (
        _strand(claims[name], judged, texts) for name in (ClaimName.ON_CHAIN, ClaimName.DEPLOYED)
    )
    return (
        TrailPart(
            "source", texts("trail.sources"), _sources(record, texts), None, _compilation(judged, texts)
        ),
        TrailPart("bytecode", texts("trail.bytecode"), size_text, None, (on_chain,)),
        TrailPart("main", texts("trail.address"), f"{address[:6]}…{address[-4:]}", None, (deployed,)),
        TrailPart(
            "deployment",
            texts("trail.deployment"),
            _block(record, texts),
            localization.dates.day_of(created) if created else None,
            (),
        ),
    )


def created_at(proof: Proof) -> Instant | None:
    """Return the time of the block that created the contract.

    Returns:
        None if the deployment is not proved.
    """
    claim = proof.claim(ClaimName.DEPLOYED)
    time = str(claim.evidence.get("blockTime", "")) if claim else ""
    return parse_instant(time) if time else None


def _sources(record: RecordValue, texts: PageTexts) -> str:
    compilation = as_object(record.get("compilation"))
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    files = texts.count("trail.files", len(as_object(record.get("sources"))))
    compiler = one_line(f"{as_text(compilation.get('compiler'))} {version}")
    return f"{files} · {compiler}"


def _block(record: RecordValue, texts: PageTexts) -> str:
    block = as_text(as_object(record.get("deployment")).get("blockNumber"))
    if block == "-1":
        return texts("contract.genesis")
    return texts("verdict.block", number=texts.number(int(block))) if block.isdecimal() else ""


def _compilation(judged: JudgedRecord, texts: PageTexts) -> tuple[Strand, ...]:
    """Return the evidence that connects the sources with the bytecode.

    If the code differs, there is no other evidence to list.
    """
    proof = judged.proof
    matches = proof.claim(ClaimName.MATCHES)
    if matches is not None and matches.status is ClaimStatus.CONTRADICTED:
        status = texts("claim_status.contradicted")
        return (
            Strand("matches", CLAIM_ICONS[ClaimStatus.CONTRADICTED], status, texts("trail.bytes_differ")),
        )
    return tuple(
        _strand(claim, judged, texts)
        for claim in proof.claims
        if claim.name in (ClaimName.HASHED, ClaimName.COMPILED)
    )


def _strand(claim: Claim, judged: JudgedRecord, texts: PageTexts) -> Strand:
    name = claim.name.name.lower()
    status = claim.status.name.lower()
    is_since = name == "on_chain" and status == "contradicted"
    return Strand(
        claim=name,
        sign=sign_beside(CLAIM_ICONS[claim.status], judged),
        status=texts(f"claim_status.{status}"),
        check=texts(f"trail.{claim.reason.key}" if is_since else f"trail.{name}_{status}"),
    )
