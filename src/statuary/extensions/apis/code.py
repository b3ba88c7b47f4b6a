"""Find contracts by a hash of their runtime code."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson

from statuary.base.json_values import JsonObject, as_list, as_object, as_text
from statuary.base.primitives import InvalidValueError, keccak256
from statuary.contracts.model.auxdata import parse_immutable_references, parse_link_references
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.record import RecordValue
from statuary.contracts.urls import PROOF
from statuary.extensions.apis import urls
from statuary.site.document import Document, encode_json

WHOLE_SITE = ("contracts",)

LENGTH_BYTES = 2
"""Bytes at the end of code with the length of the metadata before them."""

INVALID = b"\xfe"
CBOR_MAPS = range(0xA1, 0xA5)
"""The first byte of a CBOR map with one to four members."""

WORD = 32
"""Bytes of an EVM word; Vyper stores immutables in whole words."""

CALL_PROTECTION = (1, 20)
"""The place of a library's own address, which deployment writes into its code after its first byte, PUSH20."""

Ranges = tuple[tuple[int, int], ...]
"""Places of code: offset and length, both in bytes."""


class Template(NamedTuple):
    """Runtime code with zeros where contracts of the same source can differ.

    They differ in immutables (values that the constructor sets) and library addresses. `zeroed` has these ranges.
    """

    digest: str  # Keccak-256 of the code with zeros in these ranges, without metadata unless `is_whole`
    length: int  # the number of hashed bytes
    zeroed: Ranges
    is_whole: bool = False  # whether the hash includes the metadata, as for Vyper


class CodeFacts(NamedTuple):
    """The hashes by which the site finds contracts with the same code."""

    digest: str  # the Keccak-256 of the code on the chain
    template: Template | None  # None if the code has none

    def encode(self) -> bytes:
        """Convert the hashes to a line of JSON, for the build's database."""
        return orjson.dumps((self.digest, self.template and tuple(self.template)))

    @classmethod
    def parse(cls, stored_line: bytes) -> "CodeFacts":
        """Restore the hashes from a line that `encode` returned."""
        digest, template = orjson.loads(stored_line)
        if template is None:
            return cls(digest, None)
        of_template, length, zero_ranges, is_whole = template
        ranges = tuple((start, size) for start, size in zero_ranges)
        return cls(digest, Template(of_template, length, ranges, is_whole))


def hash_contract_code(record: RecordValue) -> CodeFacts | None:
    """Hash a contract's code, to find contracts with the same code.

    Returns:
        The hashes, or None if the record has no on-chain code.
    """
    runtime = as_object(record["runtimeBytecode"])
    text = as_text(runtime.get("onchainBytecode")).removeprefix("0x")
    if not text:
        return None
    code = bytes.fromhex(text)
    return CodeFacts(_hash_code(code), _make_code_template(record, code))


def _hash_code(bytecode: bytes) -> str:
    return f"0x{keccak256(bytecode).hex()}"


def strip_metadata(bytecode: bytes) -> bytes:
    """Remove the compiler's metadata from the end of code.

    The metadata is a CBOR map with up to four members, followed by its length in two bytes. solc writes an
    INVALID opcode before the metadata, or at the end of code without metadata; it is removed too.
    """
    length = int.from_bytes(bytecode[-LENGTH_BYTES:], "big") + LENGTH_BYTES
    plain = bytecode[:-length] if length <= len(bytecode) and bytecode[-length] in CBOR_MAPS else bytecode
    return plain.removesuffix(INVALID)


def zero_ranges(bytecode: bytes, ranges: Ranges) -> bytes:
    """Replace some bytes of code by zeros.

    This makes contracts comparable that differ only in their immutables, values which the constructor sets.

    Args:
        bytecode: the bytes of the code.
        ranges: the offset and length of each range; parts beyond the end of the code are ignored.
    """
    output = bytearray(bytecode)
    for start, size in ranges:
        output[start : start + size] = bytes(len(output[start : start + size]))
    return bytes(output)


def _make_code_template(record: RecordValue, bytecode: bytes) -> Template | None:
    """Set those parts of a contract's code to zero that differ between contracts.

    Contracts of the same source then have the same template. The parts are library addresses and immutables, which the
    constructor sets.

    Returns:
        The template; None if the compiled code is missing or differs from the code on the chain, if the positions in the
        record are invalid, or if the contract is written in Vyper and has no immutables.
    """
    runtime = as_object(record["runtimeBytecode"])
    language = as_object(record["compilation"]).get("language")
    compiled = as_text(runtime.get("recompiledBytecode")).removeprefix("0x")
    if language == "Vyper":
        return _make_vyper_template(compiled, bytecode)
    if not compiled:
        return None
    try:
        ranges = _find_differing_ranges(runtime, len(compiled) // 2)
        of_compiler = zero_ranges(strip_metadata(_decode_unlinked_code(compiled)), ranges)
    except (InvalidValueError, ValueError):  # the references are malformed, or the code is not hex
        return None
    own_code = zero_ranges(strip_metadata(bytecode), ranges)
    return Template(_hash_code(own_code), len(own_code), ranges) if own_code == of_compiler else None


def _make_vyper_template(compiled_hex: str, bytecode: bytes) -> Template | None:
    """Return the template of Vyper code with immutables.

    Since Vyper 0.3.1, the constructor appends the immutables to the compiled code, 32 bytes each or a multiple. Vyper 0.3.4
    to 0.3.9 also writes metadata into the code. It names only the compiler, so it stays in the template.

    Returns:
        The template, or None if the code has no immutables, or does not start with the compiled code.
    """
    start = len(compiled_hex) // 2
    size = len(bytecode) - start
    if not start or size <= 0 or size % WORD or bytecode[:start].hex() != compiled_hex.lower():
        return None
    ranges = ((start, size),)
    return Template(_hash_code(zero_ranges(bytecode, ranges)), len(bytecode), ranges, is_whole=True)


def _find_differing_ranges(runtime: JsonObject, compiled_size: int) -> Ranges:
    """Return the ranges of code in which contracts of one source differ.

    The ranges are libraries, immutables, the metadata of contracts that this one creates, and a library's own
    address.

    Args:
        compiled_size: the number of bytes of the compiler's code.

    Raises:
        InvalidValueError: if the references are malformed.
    """
    references = [
        *parse_link_references(runtime.get("linkReferences")),
        *parse_immutable_references(runtime.get("immutableReferences")),
    ]
    ranges = {(place.start, place.length) for place in references}
    # If this contract creates other contracts, it contains their code, which ends with CBOR metadata. This
    # metadata differs even if only the sources differ.
    for item in as_object(runtime.get("cborAuxdata")).values():
        auxdata = as_object(item)
        start = auxdata.get("offset")
        length = (len(as_text(auxdata.get("value"))) - 2) // 2
        if isinstance(start, int) and start + length < compiled_size:
            ranges.add((start, length))
    steps = as_list(runtime.get("transformations"))
    if any(as_object(step).get("reason") == "callProtection" for step in steps):
        ranges.add(CALL_PROTECTION)
    return tuple(sorted(ranges))


def _decode_unlinked_code(unlinked_hex: str) -> bytes:
    """Decode compiled hex code, with zeros in place of library names.

    Raises:
        ValueError: if it is not hex.
    """
    if "_" not in unlinked_hex:
        return bytes.fromhex(unlinked_hex)
    digits = bytearray(unlinked_hex.encode())
    at = unlinked_hex.find("__")
    while at >= 0:
        digits[at : at + 40] = b"0" * 40
        at = digits.find(b"__")
    return bytes.fromhex(digits.decode())


def iter_same_code_documents(contracts: Iterable[tuple[ContractRow, CodeFacts]]) -> Iterator[Document]:
    """Make the documents that list contracts with the same code.

    Some list contracts with exactly the same code. Others list contracts with the same template: their code
    differs only in values such as library addresses. A third kind lists all templates of one length.

    Args:
        contracts: each contract's entry in the lists of contracts, with the hashes of its code.
    """
    by_code = defaultdict[str, list[object]](list)
    by_template = defaultdict[str, list[object]](list)
    templates: dict[str, Template] = {}
    for row, facts in contracts:
        by_code[facts.digest].append(_make_list_entry(row))
        if facts.template is not None:
            by_template[facts.template.digest].append(_make_list_entry(row) | {"codeHash": facts.digest})
            templates[facts.template.digest] = facts.template
    for digest, entries in by_code.items():
        yield _make_list_document(
            urls.CODE.path(code_hash=digest), {"codeHash": digest, "contracts": entries}
        )
    by_length = defaultdict[int, list[object]](list)
    for digest, template in sorted(templates.items()):
        ranges = [list(place) for place in template.zeroed]
        how: dict[str, object] = {"template": digest, "zeroed": ranges, "isWhole": template.is_whole}
        by_length[template.length].append(how)
        body = how | {"length": template.length, "contracts": by_template[digest]}
        yield _make_list_document(urls.CODE_TEMPLATE.path(code_hash=digest), body)
    for length, entries in by_length.items():
        yield _make_list_document(
            urls.CODE_LENGTH.path(length=length), {"length": length, "templates": entries}
        )


def _make_list_entry(row: ContractRow) -> dict[str, object]:
    return {
        "chainId": row.chainId,
        "address": row.address,
        "name": row.name,
        "match": row.match,
        "runtimeMatch": row.runtimeMatch,
        "verdict": row.verdict,
        "proof": PROOF.path(chain_id=row.chainId, address=row.address),
    }


def _make_list_document(path: str, content: dict[str, object]) -> Document:
    return Document(path=path, body=encode_json(content), sources=WHOLE_SITE, persistent=True)
