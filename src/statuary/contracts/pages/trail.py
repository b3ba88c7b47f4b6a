"""The trail on a contract's page: from sources to bytecode to address.

The trail shows which evidence connects each part with the next.
"""

from functools import lru_cache
from typing import NamedTuple

from statuary.base.json_values import as_object, as_text
from statuary.base.primitives import Instant, parse_instant
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus, Proof
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.proof import CHECKED, CLAIM_ICONS, icon_for_record
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.site_context import FormattedTime, Localization


class Strand(NamedTuple):
    """A line in the drawing of a contract's evidence.

    It represents the evidence that links one part to the next, such as sources to bytecode.
    """

    claim: str  # the name of the claim, such as `on_chain`
    sign: str  # the sign of the status: `ok`, `checked`, `stated`, `none` or `major`
    status: str  # the status in words
    check: str  # the name of the check, in words


class TrailPart(NamedTuple):
    """A part of the drawing, such as the bytecode.

    Lines lead from it to the next part.
    """

    section: str  # the section of the page
    name: str
    note: str  # what it is, in a few words; empty if that is unknown
    at: FormattedTime | None  # the date, if the chain proves it
    strands: tuple[Strand, ...]  # the lines to the next part; none after the last part


def evidence_trail(checked_record: RecordWithProof, localization: Localization) -> tuple[TrailPart, ...]:
    """Return the evidence from a contract's sources to its deployment, for drawing.

    Returns:
        Sources, bytecode, address and deployment. Each has the evidence that links it to the next one. Empty
        if the record has no claims.
    """
    record, proof = checked_record.record, checked_record.proof
    if not proof.claims:
        return ()
    texts = localization.texts
    compiled, on_chain, deployed = (
        tuple(_claim_strand(claim, checked_record, texts) for claim in claims)
        for claims in group_claims_by_step(proof)
    )
    address, created = record["address"], proven_creation_time(proof)
    size = len(as_text(as_object(record.get("runtimeBytecode")).get("onchainBytecode"))) // 2 - 1
    size_text = texts("contract.bytes", bytes=texts.number(size)) if size > 0 else ""
    return (
        TrailPart("source", texts("trail.sources"), _sources_text(record, texts), None, compiled),
        TrailPart("bytecode", texts("trail.bytecode"), size_text, None, on_chain),
        TrailPart("main", texts("trail.address"), f"{address[:6]}…{address[-4:]}", None, deployed),
        TrailPart(
            "deployment",
            texts("trail.deployment"),
            _block_text(record, texts),
            localization.dates.day_of(created) if created else None,
            (),
        ),
    )


def group_claims_by_step(proof: Proof) -> tuple[tuple[Claim, ...], ...]:
    """Group the claims of a proof by step, from sources to deployment.

    The steps are from sources to code, from code to address, and from address to deployment. If the compiled
    code differs from the on-chain code, the first step has only that claim.
    """
    claims = {claim.name: claim for claim in proof.claims}
    matches = claims[ClaimName.MATCHES]
    differs = matches.status is ClaimStatus.CONTRADICTED
    of_sources = (matches,) if differs else (claims[ClaimName.HASHED], claims[ClaimName.COMPILED])
    return of_sources, (claims[ClaimName.ON_CHAIN],), (claims[ClaimName.DEPLOYED],)


def trail_signs(checked_record: RecordWithProof) -> str:
    """Abbreviate the evidence for a contract, for the small drawing in lists.

    For example, `os-o-n` has a letter for the status of each claim (`o` for ok), and a dash between the steps from sources
    to deployment.

    Returns:
        The letters; empty if the record has no claims.
    """
    if not checked_record.proof.claims:
        return ""
    return "-".join(
        [
            "".join([icon_for_record(CLAIM_ICONS[claim.status], checked_record)[0] for claim in claims])
            for claims in group_claims_by_step(checked_record.proof)
        ]
    )


class Stroke(NamedTuple):
    """A line in the small drawing of a contract's evidence."""

    sign: str
    x: int  # the position at which the line begins, in pixels
    y: int


@lru_cache(maxsize=1024)
def small_trail(signs: str) -> tuple[Stroke, ...]:
    """Convert the letters of a contract's evidence to lines of a drawing.

    Lists show it beside each contract.

    Args:
        signs: the letters and dashes from `trail_signs`.
    """
    names = {name[0]: name for name in (*CLAIM_ICONS.values(), CHECKED)}
    return tuple(
        Stroke(names[letter], 8 + 18 * part, 3 + 4 * at if len(letters) > 1 else 5)
        for part, letters in enumerate(signs.split("-"))
        for at, letter in enumerate(letters)
    )


def proven_creation_time(proof: Proof) -> Instant | None:
    """Return the time of the block in which the contract was created.

    Returns:
        The time, or None if the deployment is not proven.
    """
    claim = proof.find_claim(ClaimName.DEPLOYED)
    time = str(claim.evidence.get("blockTime", "")) if claim else ""
    return parse_instant(time) if time else None


def _sources_text(record: RecordValue, texts: PageTexts) -> str:
    compilation = as_object(record.get("compilation"))
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    files = texts.count("trail.files", len(as_object(record.get("sources"))))
    compiler = one_line(f"{as_text(compilation.get('compiler'))} {version}")
    return f"{files} · {compiler}"


def _block_text(record: RecordValue, texts: PageTexts) -> str:
    block = as_text(as_object(record.get("deployment")).get("blockNumber"))
    if block == "-1":
        return texts("contract.genesis")
    return texts("verdict.block", number=texts.number(int(block))) if block.isdecimal() else ""


def _claim_strand(claim: Claim, checked_record: RecordWithProof, texts: PageTexts) -> Strand:
    name = claim.name.name.lower()
    status = claim.status.name.lower()
    key = f"{name}_{status}"
    if claim.name is ClaimName.MATCHES:
        key = "bytes_differ"
    elif key == "on_chain_contradicted":
        key = claim.reason.key
    return Strand(
        claim=name,
        sign=icon_for_record(CLAIM_ICONS[claim.status], checked_record),
        status=texts(f"claim_status.{status}"),
        check=texts(f"trail.{key}"),
    )
