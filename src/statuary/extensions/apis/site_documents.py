"""The documents of APIs that depend on all records together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding, Position
from statuary.base.json_values import JsonObject
from statuary.contracts.incremental.built_contracts import BuiltContracts
from statuary.contracts.paths import apply_host_layout
from statuary.contracts.site_contracts import SiteContracts
from statuary.extensions.apis import urls
from statuary.extensions.apis.blockscout import NOT_VERIFIED
from statuary.extensions.apis.code import CodeFacts, iter_same_code_documents
from statuary.extensions.apis.content_files import CustomFiles, read_apis_folder
from statuary.extensions.apis.etherscan import iter_fixed_responses
from statuary.extensions.apis.otterscan import (
    iter_chain_files,
    iter_signature_files,
    make_otterscan_config_file,
)
from statuary.extensions.apis.proxy_documents import (
    ProxyDocuments,
    list_proxies,
    list_proxy_folders,
    make_proxy_index,
)
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.extensions.apis.signatures import (
    WHOLE_SITE,
    collect_signatures,
    iter_signature_documents,
    parse_signature_list,
)
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.target import BuildTarget
from statuary.site.document import Document, encode_json
from statuary.site.pages.site_context import site_context
from statuary.site.pages.try_make import render_with_fallback
from statuary.site.site_content import SiteContent
from statuary.source.source_files import SourceFile

PUBLIC_SIGNATURES = "signatures.txt"
"""The file of the content with public signatures, a line each."""

LARGEST_LIST = 256 * 1024 * 1024
"""Bytes of the largest file of public signatures."""

MAX_FINDINGS = 20
"""Limit for the invalid lines of that file that are reported."""

GROUP = "apis"
"""The group of these documents in the ledger."""

FOLDERS = (
    "blockscout/answers",
    "signature-database",
    "etherscan/answers",
    "etherscan/chains",
    "etherscan/files",
    "otterscan/signatures",
    "otterscan/topic0",
    "otterscan/chains",
    "otterscan/assets",
    "otterscan/files",
    "code",
    "bytecode",
    "proxies",
)
"""The folders of documents about all records; other folders have those of single records."""


@dataclass(frozen=True, slots=True)
class SiteDocuments:
    """Makes the documents of the APIs that depend on all contracts together."""

    apis: tuple[Api, ...]  # the enabled APIs
    root: Path  # the content folder

    def findings(self) -> tuple[Finding, ...]:
        """Report errors in the content's files for this extension."""
        return (*self._read_public_signatures()[1], *self._read_custom_files().findings)

    def add_to_site(self, target: BuildTarget, built_contracts: BuiltContracts, now: str) -> list[Finding]:
        """Make the documents about several contracts, and add them to the site.

        If nothing has changed, the documents of the last build stay.

        Args:
            target: the site that is being built.
            now: the time of the build. A proxy's new implementations start at this time.

        Returns:
            Findings about invalid files of the content, and about documents that cannot be made. The site
            keeps the last version of these documents.
        """
        public, findings = self._read_public_signatures()
        custom_files = self._read_custom_files()
        findings += custom_files.findings
        fingerprint = fingerprint_of(
            ApisSettings(self.apis),
            built_contracts.site.content_of(SiteContracts).chains,
            site_context(built_contracts.site),  # the settings of the page that identifies code
            public and sha256(public).digest(),
            custom_files.documents,
            [*custom_files.versions.items()],
        ).text
        if built_contracts.are_unchanged and target.ledger.cached_group(GROUP).fingerprint == fingerprint:
            target.ledger.save_group(GROUP, fingerprint)
            return findings
        are_whole = False
        outcome = run_guarded(
            lambda: tuple(self._iter_shared_documents(built_contracts, public, custom_files.documents)),
            "",
            "making the documents of all records together",
        )
        documents = target.ledger.documents
        if isinstance(outcome, Finding):
            for folder in FOLDERS:
                documents.keep_published_folder(folder)
            findings.append(outcome)
        else:
            for folder in FOLDERS:
                documents.remove_unless_added(documents.paths_under(folder))
            pages = self._iter_code_search_page(built_contracts.site, findings)
            target.add(apply_host_layout((*outcome, *pages), built_contracts.site.hosting))
            are_whole = self._add_proxy_documents(target, built_contracts, now, custom_files, findings)
        target.ledger.save_group(GROUP, fingerprint if are_whole else "")
        return findings

    def _iter_code_search_page(self, site: SiteContent, findings: list[Finding]) -> Iterator[Document]:
        if Api.CODE in self.apis:
            from statuary.extensions.apis.code_page import iter_code_search_page

            for page in render_with_fallback("the page of code", iter_code_search_page, site, findings):
                yield page._replace(sources=WHOLE_SITE, persistent=True)

    def _add_proxy_documents(
        self,
        target: BuildTarget,
        built_contracts: BuiltContracts,
        now: str,
        custom_files: CustomFiles,
        findings: list[Finding],
    ) -> bool:
        """Add the documents about proxies.

        Documents that cannot be made keep their old version.

        Returns:
            Whether all of them were made; also True if the API is disabled.
        """
        if Api.PROXIES not in self.apis:
            return True
        rows = (
            (row, split_facts(facts)[2])
            for row, facts in built_contracts.sources.entries_with_extension_facts()
        )
        of_proxies = [(row, line) for row, line in rows if line]
        proxies = list_proxies(of_proxies, custom_files.versions, target.read_published, now)
        target.add(apply_host_layout([make_proxy_index(proxies)], built_contracts.site.hosting))
        are_whole = True
        for place, documents in ProxyDocuments(self.root, built_contracts, proxies).documents(findings):
            if documents:
                target.add(apply_host_layout(documents, built_contracts.site.hosting))
                continue
            are_whole = False
            for folder in list_proxy_folders(place):
                target.ledger.documents.keep_published_folder(folder)
        return are_whole

    def _iter_shared_documents(
        self, contracts: BuiltContracts, public_list: bytes, custom_documents: Sequence[Document]
    ) -> Iterator[Document]:
        yield from self._iter_settings_documents(contracts.site, custom_documents)
        contract_facts = [
            (row, split_facts(facts)) for row, facts in contracts.sources.entries_with_extension_facts()
        ]
        newest = max((row.verifiedAt for row, _ in contract_facts), default="")
        declared = (lines[0] for _, lines in contract_facts if lines[0])
        yield from self._iter_signature_documents(declared, public_list, newest)
        of_code = ((row, CodeFacts.parse(lines[1])) for row, lines in contract_facts if lines[1])
        yield from iter_same_code_documents(of_code)

    def _iter_settings_documents(
        self, site: SiteContent, custom_documents: Sequence[Document]
    ) -> Iterator[Document]:
        chains, base = site.content_of(SiteContracts).chains, site.page.url
        if Api.ETHERSCAN in self.apis:
            yield from (_make_fixed_response(path, body) for path, body in iter_fixed_responses(chains, base))
        if Api.BLOCKSCOUT in self.apis:
            yield _make_fixed_response(urls.BLOCKSCOUT_ANSWER.path(name="contract"), NOT_VERIFIED)
        if Api.OTTERSCAN in self.apis:
            paths = {document.path for document in custom_documents}
            yield from (document for document in iter_chain_files(chains, base) if document.path not in paths)
            yield from (make_otterscan_config_file(chains, base), *custom_documents)

    def _iter_signature_documents(
        self, stored_facts: Iterable[bytes], public_list: bytes, newest_verification: str
    ) -> Iterator[Document]:
        has_otterscan = Api.OTTERSCAN in self.apis
        if Api.SIGNATURES in self.apis or has_otterscan:
            signatures = collect_signatures(stored_facts, _parse_public_signatures(public_list).texts)
            if Api.SIGNATURES in self.apis:
                yield from iter_signature_documents(
                    signatures, f"{newest_verification[:19] or '1970-01-01T00:00:00'}.000Z"
                )
            if has_otterscan:
                yield from iter_signature_files(signatures)

    def _read_custom_files(self) -> CustomFiles:
        has_own = Api.OTTERSCAN in self.apis or Api.PROXIES in self.apis
        return read_apis_folder(self.root) if has_own else CustomFiles([], {}, [])

    def _read_public_signatures(self) -> "_PublicSignatures":
        if Api.SIGNATURES not in self.apis or not (self.root / PUBLIC_SIGNATURES).exists():
            return _PublicSignatures(b"", [])
        read_file = partial(SourceFile(self.root, PUBLIC_SIGNATURES).load_bytes, LARGEST_LIST)
        public = run_guarded(read_file, PUBLIC_SIGNATURES, "reading the public signatures")
        if isinstance(public, Finding):
            return _PublicSignatures(b"", [public])
        return _PublicSignatures(public, _parse_public_signatures(public).findings)


def split_facts(stored_facts: bytes) -> list[bytes]:
    """Split the data that `derive_record_output` stores into its three lines.

    Returns:
        The signatures, the hashes of the code and the data of the proxy; each is empty if there is none.
    """
    lines = stored_facts.split(b"\n")
    return lines + [b""] * (3 - len(lines))


def _make_fixed_response(path: str, content: JsonObject) -> Document:
    """Make a document that depends only on settings.

    The list of chains gets a second path, `v2/chainlist`, which clients request.
    """
    other_names = (urls.ETHERSCAN_LIST.path(),) if path == urls.ETHERSCAN_CHAINS.path() else ()
    encoded = encode_json(content)
    return Document(path=path, body=encoded, aliases=other_names, sources=WHOLE_SITE, persistent=True)


class _PublicSignatures(NamedTuple):
    content: bytes
    findings: list[Finding]


class _ReadSignatures(NamedTuple):
    texts: list[str]
    findings: list[Finding]  # about invalid lines


def _parse_public_signatures(public_list: bytes) -> _ReadSignatures:
    texts, findings = list[str](), list[Finding]()
    for number, text in parse_signature_list(public_list.decode("utf-8", "replace")):
        if text is not None:
            texts.append(text)
        elif len(findings) < MAX_FINDINGS:
            findings.append(
                Finding(
                    rule="invalid-signature-list",
                    message="the line is not the signature of a function",
                    hint="write it like transfer(address,uint256), with types only and without spaces",
                    path=PUBLIC_SIGNATURES,
                    position=Position(number, 1),
                )
            )
    return _ReadSignatures(texts, findings)
