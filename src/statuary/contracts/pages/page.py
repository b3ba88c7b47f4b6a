"""Render the page of a contract: verdict, facts and sections."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import orjson
from markupsafe import Markup

from statuary.base.json_values import Json, as_list, as_non_negative_integer, as_object, as_text
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.model.proof import CHECKPOINT, ClaimName, ClaimStatus, PinnedBy, Proof
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.bytecode import CodeView, code_view
from statuary.contracts.pages.context import ContractPageContext
from statuary.contracts.pages.difference import CodeDifference, compare_runtime_code
from statuary.contracts.pages.interface import InterfaceView, interface_view, render_natspec
from statuary.contracts.pages.proof import (
    Pin,
    ProofView,
    claims_sentence,
    evidence_on_page,
    evidence_sentences,
    is_code_at_address,
    proof_view,
    verdict_headline,
    verdict_text_key,
)
from statuary.contracts.pages.sources import LineMarks, SourceView, source_views
from statuary.contracts.pages.storage import StorageView, storage_view
from statuary.contracts.pages.trail import TrailPart, evidence_trail, proven_creation_time
from statuary.contracts.pages.verdict_signs import verdict_sign
from statuary.contracts.urls import CHAIN_PAGE, CONTRACT, CONTRACT_PAGE, PROOF
from statuary.site.document import Document
from statuary.site.pages.page_texts import PageTexts, one_line, visible_name, visible_text
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import FormattedTime, Localization, PageHead

MAX_SETTINGS_LENGTH = 50_000
"""Characters of the compiler's settings that are shown."""


class FactRow(NamedTuple):
    """A row in a page's table about compilation and deployment."""

    name: str
    value: str
    href: str = ""  # the page in the chain's explorer; empty for none
    at: FormattedTime | None = None  # the time of the block, if the chain proves it


def contract_fact_rows(
    record: RecordValue, pages: ContractPageContext, texts: PageTexts, created: FormattedTime | None = None
) -> Iterator[FactRow]:
    """Yield the rows of the facts table on a contract's page.

    For example, the compiler version, and the transaction of the deployment.

    Args:
        pages: the settings of contract pages.
        texts: the translated texts of pages.
        created: the time of the creating block, if the chain proves it.
    """
    compilation = as_object(record.get("compilation"))
    deployment = as_object(record.get("deployment"))
    settings = as_object(compilation.get("compilerSettings"))
    block = as_text(deployment.get("blockNumber"))
    values: list[tuple[str, Json, str]] = [
        # Show no transaction for a contract of the genesis block, because the hash in its record is only a
        # placeholder.
        ("transaction", deployment.get("transactionHash") if block != "-1" else None, "tx"),
        ("block", texts("contract.genesis") if block == "-1" else block, "block"),
        ("deployer", deployment.get("deployer"), "address"),
        (
            "compiler",
            f"{as_text(compilation.get('compiler'))} {as_text(compilation.get('compilerVersion'))}",
            "",
        ),
        ("language", compilation.get("language"), ""),
        ("optimizer", _optimizer_text(settings.get("optimizer"), texts), ""),
        ("evm", settings.get("evmVersion"), ""),
        ("qualified", compilation.get("fullyQualifiedName"), ""),
        ("match_id", record.get("matchId"), ""),
    ]
    for name, value, kind in values:
        if isinstance(value, str) and value:
            href = pages.explorer_page_url(record["chainId"], kind, value) if kind and block != "-1" else ""
            at = created if name == "block" else None
            yield FactRow(texts(f"fact.{name}"), visible_name(value), href, at)


def _optimizer_text(optimizer: Json, texts: PageTexts) -> str:
    settings = as_object(optimizer)
    if not settings.get("enabled"):
        return texts("contract.optimizer_off") if settings else ""
    runs = settings.get("runs")
    return (
        texts.count("contract.optimizer_on", runs)
        if isinstance(runs, int)
        else texts("contract.optimizer_plain")
    )


def format_compiler_settings(settings: Json) -> str:
    """Format compiler settings as indented JSON for the page.

    Settings that are too long are cut off.
    """
    try:
        text = visible_text(orjson.dumps(settings, option=orjson.OPT_INDENT_2).decode("utf-8"))
    except TypeError:  # orjson raises a TypeError for too deep nesting and lone surrogates
        return ""
    return text if len(text) <= MAX_SETTINGS_LENGTH else text[:MAX_SETTINGS_LENGTH] + " …"


class HeadFact(NamedTuple):
    """A fact in the line below the verdict, such as the compiler."""

    name: str
    value: str
    note: str = ""  # a note beside the value, such as that it is only claimed
    href: str = ""
    day: FormattedTime | None = None  # the day of the fact, if the chain proves the time


def head_facts(
    record: RecordValue, proof: Proof, pages: ContractPageContext, localization: Localization
) -> Iterator[HeadFact]:
    """Yield the facts that a contract's page shows below the verdict.

    For example, the network, the compiler and the size of the code.

    Args:
        pages: the settings of contract pages.
        localization: the translated texts of pages, and the format of dates.
    """
    texts, at, pinned = localization.texts, proven_creation_time(proof), evidence_on_page(proof)
    rows = {row.name: row.value for row in contract_fact_rows(record, pages, texts)}
    compilation = as_object(record.get("compilation"))
    chain_id = record["chainId"]
    marks = {PinnedBy.CLAIMED: texts("pinned.mark_claimed"), PinnedBy.STATED: texts("pinned.mark_stated")}
    settings, created = (
        marks.get(pinned[member], "") if member in pinned else ""
        for member in ("compilation.compilerSettings", "deployment.blockNumber")
    )
    yield HeadFact(
        texts("contract.network"), pages.chain_name(chain_id), chain_id, CHAIN_PAGE.path(chain_id=chain_id)
    )
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    yield HeadFact(
        texts("fact.compiler"), one_line(f"{as_text(compilation.get('compiler'))} {version}"), settings
    )
    if optimizer := rows.get(texts("fact.optimizer")):
        yield HeadFact(texts("fact.optimizer"), optimizer, settings)
    size = len(as_text(as_object(record.get("runtimeBytecode")).get("onchainBytecode"))) // 2 - 1
    if size > 0:
        yield HeadFact(texts("contract.size"), texts("contract.bytes", bytes=texts.number(size)))
    if block := rows.get(texts("fact.block")):
        value = texts("contract.in_block", block=texts.number(int(block))) if block.isdecimal() else block
        day = localization.dates.day_of(at) if at else None
        yield HeadFact(texts("contract.created"), value, created, day=day)
    yield from _proxy_fact(record, texts)


def _proxy_fact(record: RecordValue, texts: PageTexts) -> Iterator[HeadFact]:
    resolution = as_object(record.get("proxyResolution"))
    if resolution.get("isProxy") is not None:
        kind = one_line(as_text(resolution.get("proxyType"))) if resolution.get("isProxy") else ""
        yield HeadFact(texts("proxy.title"), kind or texts("contract.proxy_no"))


class MatchSideView(NamedTuple):
    """The match level of creation or runtime code, for the page."""

    name: str
    level: str
    sign: str


class ImplementationLink(NamedTuple):
    """A link to the implementation of a proxy."""

    address: str
    name: str  # the name that this record states; the implementation's own record may differ
    href: str  # the URL of its page, relative to the site's root; empty if the site has no page


class ProxyView(NamedTuple):
    """A proxy's type and implementations, for the page."""

    kind: str
    implementations: tuple[ImplementationLink, ...]
    error: str  # why they are unknown; empty if they are known
    sentence: str  # the sentence on the chain's proofs about it


class ContractView(NamedTuple):
    """The values that the template of a contract's page needs."""

    name: str
    title: Markup  # `title` of the developer documentation
    notice: Markup  # `notice` of the user documentation
    address: str  # checksummed
    chain: str
    chain_id: str
    chain_href: str
    published: bool  # whether the record is published; if not, its claims are not accepted
    level: str  # the word of the verdict; `refused` if the record is not published
    headline: str  # the first sentence
    level_label: str  # one or two sentences about the evidence for the verdict
    known: str  # the site author's explanation of a contradiction; empty if there is none
    level_sign: str  # the icon of the verdict
    level_meaning: str
    trail: tuple[TrailPart, ...]  # the evidence from the sources to the deployment; empty without claims
    sides: tuple[MatchSideView, ...]
    proof: ProofView
    is_contradicted: bool  # whether these are not the sources of the code at the address
    is_at_address: (
        bool  # whether the chain's proofs show the record's code at the address: claim D is verified here
    )
    difference: CodeDifference | None  # where on-chain and compiled code first differ; None if they do not
    head_facts: tuple[HeadFact, ...]
    parts: tuple[tuple[str, str, int], ...]  # id, name and number of entries of each section, in order
    compiled: str  # the language with the version of its compiler
    explorer: str  # the page of the contract in the chain's explorer; empty for none
    facts: tuple[FactRow, ...]
    settings: str
    proxy: ProxyView | None  # None for a contract that is not a proxy
    sources: tuple[SourceView, ...]
    interface: InterfaceView
    storage: StorageView | None
    transient: StorageView | None
    codes: tuple[CodeView, ...]
    pins: Mapping[str, Pin]
    """The evidence for each part of the page, by part; parts without evidence are missing."""
    other_code: str  # a sentence about other contracts' code in the bytecode; empty if it has none
    record: str
    check_command: str  # downloads the record and checks it offline; empty if it is not published
    proof_json: str  # the proof, relative to the site's root; empty if there is none


def contract_page(checked_record: RecordWithProof, pages: ContractPageContext, *, source: str) -> Document:
    """Render the page of a contract.

    If the record is not published, the page gives the reason.

    Args:
        pages: the settings of contract pages.
        source: the path of the record in the content folder.
    """
    renderer = renderer_of(pages.site)
    view = contract_view(checked_record, pages, renderer.localization)
    chain_id, address = view.chain_id, view.address
    head = PageHead(
        path=CONTRACT_PAGE.path(chain_id=chain_id, address=address),
        title=f"{view.name[:100]} {address[:8]}…{address[-6:]}",
        description=renderer.localization.texts(
            "contract.page",
            name=view.name,
            address=address,
            chain=view.chain,
            level=view.level_label.rstrip(".。"),
        ),
        section="contracts",
    )
    page = renderer.page(CONTRACT_PAGE, "contract.html", head, view, sources=(source,), asks_nodes=True)
    return page._replace(persistent=True)


def contract_view(
    checked_record: RecordWithProof, pages: ContractPageContext, localization: Localization
) -> ContractView:
    """Prepare the values that the template of a contract's page shows.

    Args:
        pages: the settings of contract pages.
        localization: the translated texts of pages, and the format of dates.
    """
    record, proof, is_published = checked_record.record, checked_record.proof, checked_record.is_published
    texts = localization.texts
    compilation = as_object(record.get("compilation"))
    language = as_text(compilation.get("language"))
    status = proof.verdict.status if proof.verdict else ClaimStatus.NOT_SHOWN
    runtime_side, creation_side = (_match_side_view(record, side, texts) for side in ("runtime", "creation"))
    chain_id, address = record["chainId"], record["address"]
    path = as_text(compilation.get("fullyQualifiedName")).rpartition(":")[0]
    creation = as_object(record.get("creationBytecode"))
    arguments = as_object(creation.get("transformationValues")).get("constructorArguments")
    key = verdict_text_key(checked_record)
    level = str(status) if is_published else "refused"
    label = _LABELS.get(key)
    difference = compare_runtime_code(record, label) if label else None
    created = proven_creation_time(proof)
    creation_time = localization.dates.moment(created) if created else None
    view = ContractView(
        name=visible_name(as_text(compilation.get("name"))) or address,
        title=render_natspec(as_object(record.get("devdoc")).get("title")),
        notice=render_natspec(as_object(record.get("userdoc")).get("notice")),
        address=address,
        chain=pages.chain_name(chain_id),
        chain_id=chain_id,
        chain_href=CHAIN_PAGE.path(chain_id=chain_id),
        published=is_published,
        level=level,
        headline=texts(f"verdict.{key}"),
        level_label=verdict_headline(checked_record, texts),
        known=_acknowledged_sentence(checked_record.known, localization),
        level_sign=verdict_sign(level),
        level_meaning=claims_sentence(
            proof,
            as_text(record["runtimeMatch"]),
            texts,
            creation_differs=creation_side.level == texts("level.none"),
        ),
        trail=evidence_trail(checked_record, localization),
        sides=(runtime_side, creation_side),
        proof=proof_view(checked_record, localization, dict(pages.rules), pages.explorer_url(chain_id)),
        is_contradicted=key in CONTRADICTED,
        is_at_address=is_code_at_address(proof),
        difference=difference,
        head_facts=tuple(head_facts(record, proof, pages, localization)),
        parts=(),
        compiled=one_line(f"{language} {as_text(compilation.get('compilerVersion')).partition('+')[0]}"),
        explorer=pages.explorer_page_url(chain_id, "address", address),
        facts=tuple(contract_fact_rows(record, pages, texts, creation_time)),
        settings=format_compiler_settings(compilation.get("compilerSettings")),
        proxy=_proxy_view(record, pages, _proxy_sentence(proof, texts)),
        sources=tuple(
            source_views(
                record.get("sources"),
                language,
                path,
                LineMarks(texts("sources.rest"), texts("sources.spaces")),
            )
        ),
        interface=interface_view(
            record.get("abi"),
            record.get("userdoc"),
            record.get("devdoc"),
            arguments,
            pages.call_target(chain_id, address),
        ),
        storage=storage_view(record.get("storageLayout")),
        transient=storage_view(record.get("transientStorageLayout")),
        codes=tuple(code_view(record, side) for side in ("runtime", "creation")),
        pins=dict(evidence_sentences(checked_record, texts)),
        other_code=_foreign_code_sentence(as_object(record.get("runtimeBytecode")).get("cborAuxdata"), texts),
        record=CONTRACT.path(chain_id=chain_id, address=address) if is_published else "",
        check_command=_check_command(checked_record, pages),
        proof_json=PROOF.path(chain_id=chain_id, address=address) if proof.results else "",
    )
    return view._replace(parts=tuple(_page_sections(view, texts)))


_LABELS = {"runtime_differs": "onchain", "recorded_differs": "recorded"}
"""What on-chain code is called that is not the compiled code: that of the address only where the chain shows it."""

CONTRADICTED = (
    "runtime_differs",
    "recorded_differs",
    "runtime_empty",
    "no_code",
    "other_code",
    "compiles_otherwise",
)
"""The verdicts by which the sources are not those of the code at the address."""


def _acknowledged_sentence(known_contradiction: KnownContradiction | None, localization: Localization) -> str:
    if known_contradiction is None:
        return ""
    day = localization.dates.short_day(known_contradiction.date)
    return localization.texts("contract.known", date=day.text, reason=one_line(known_contradiction.reason))


def _check_command(checked_record: RecordWithProof, pages: ContractPageContext) -> str:
    if not checked_record.is_published:
        return ""
    address = checked_record.record["address"]
    url = f"{pages.site.url}/{CONTRACT.path(chain_id=checked_record.record['chainId'], address=address)}"
    return f"curl -sSo {address}.json {url} && statuary check {address}.json"


def _page_sections(view: ContractView, texts: PageTexts) -> Iterator[tuple[str, str, int]]:
    # Sources of a contradicted record, or one that fails checks, come last.
    source = ("source", texts("sources.title"), len(view.sources))
    evidence = ("proof", texts("proof.title"), 0)
    is_last = view.is_contradicted or bool(view.proof.failures)
    if view.difference:
        yield "difference", texts("difference.title"), 0
    if is_last:
        yield evidence
    if view.proxy:
        yield "proxy", texts("proxy.title"), 0
    if not is_last:
        yield source
    yield "interface", texts("interface.title"), len(view.interface.functions)
    if view.storage or view.transient:
        yield "storage", texts("storage.title"), 0
    yield "bytecode", texts("code.title"), 0
    if not is_last:
        yield evidence
    yield "deployment", texts("contract.facts"), 0
    if is_last:
        yield source


def _match_side_view(record: RecordValue, side_name: str, texts: PageTexts) -> MatchSideView:
    level = as_text(record.get(f"{side_name}Match"))
    is_given = bool(as_object(record.get(f"{side_name}Bytecode")).get("onchainBytecode"))
    return MatchSideView(
        name=texts(f"side.{side_name}"),
        level=texts(f"level.{level or ('none' if is_given else 'unchecked')}"),
        sign="stated" if level else "none",
    )


def _foreign_code_sentence(auxdata: Json, texts: PageTexts) -> str:
    pieces = sorted(
        (as_non_negative_integer(piece.get("offset")) or 0, len(as_text(piece.get("value"))) // 2 - 1)
        for piece in map(as_object, as_object(auxdata).values())
    )
    between = [
        start for (previous_start, size), (start, _) in pairwise(pieces) if start > previous_start + size
    ]
    return texts("contract.other_code", count=len(pieces)) if between else ""


def _proxy_sentence(proof: Proof, texts: PageTexts) -> str:
    claim = proof.find_claim(ClaimName.ON_CHAIN)
    if claim is None or "implementation" not in claim.evidence:
        return texts("proxy.claimed")
    key = "in_slot" if "implementationSlot" in claim.evidence else "in_code"
    names = {"blockNumber": "number", "implementationSlot": "slot", "implementation": "address"}
    values = {name: claim.evidence[member] for member, name in names.items() if member in claim.evidence}
    is_vouched_for = claim.evidence.get("vouchedBy") == CHECKPOINT
    block = () if is_vouched_for else (texts("proof.vouched_file"),)
    return " ".join((texts(f"proxy.{key}", **values), *block))


def _proxy_view(record: RecordValue, pages: ContractPageContext, sentence: str) -> ProxyView | None:
    resolution = as_object(record.get("proxyResolution"))
    error = as_object(resolution.get("proxyResolutionError"))
    if resolution.get("isProxy") is not True and not error:
        return None
    return ProxyView(
        kind=one_line(as_text(resolution.get("proxyType"))),
        implementations=tuple(
            _implementation_link(as_object(implementation), record["chainId"], pages)
            for implementation in as_list(resolution.get("implementations"))
        ),
        error=one_line(as_text(error.get("message"))),
        sentence=sentence,
    )


def _implementation_link(
    implementation: Mapping[str, Json], chain_id: str, pages: ContractPageContext
) -> ImplementationLink:
    address = one_line(as_text(implementation.get("address")))
    has_page = (chain_id, address) in pages.addresses
    return ImplementationLink(
        address=address,
        name=visible_name(as_text(implementation.get("name"))),
        href=CONTRACT_PAGE.path(chain_id=chain_id, address=address) if has_page else "",
    )
