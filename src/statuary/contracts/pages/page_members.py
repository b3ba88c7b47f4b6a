"""Members of a contract's list entry that pages and search need."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.contracts.model.abi import cached_item_signature, signature_hash
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.record import RecordValue
from statuary.site.pages.page_texts import one_line, visible_name

MAX_NAME_LENGTH = 80
"""Characters of a name that lists show, and of a searchable name in an ABI."""


class ListedCompilation(NamedTuple):
    """The members of a list entry that copies of a contract share."""

    name: str
    language: str
    selectors: bytes
    abi_names: str


def listed_compilation(record: RecordValue) -> ListedCompilation:
    """Return the members of a contract's list entry that its sources decide.

    Lists and search show them: the contract's name, its compiler, and the selectors and names of its functions, events and
    errors.
    """
    compilation = as_object(record.get("compilation"))
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    signatures = dict.fromkeys(item_signatures(record.get("abi")))
    names = dict.fromkeys(signature.partition("(")[0] for signature in signatures)
    name = visible_name(as_text(compilation.get("name")))
    return ListedCompilation(
        name if len(name) <= MAX_NAME_LENGTH else name[: MAX_NAME_LENGTH - 1] + "…",
        one_line(f"{as_text(compilation.get('language'))} {version}")[:MAX_NAME_LENGTH],
        b"".join(dict.fromkeys(map(signature_selector, signatures))),
        " ".join(name for name in names if len(name) <= MAX_NAME_LENGTH),
    )


def with_page_members(
    row: ContractRow, record: RecordValue, compiled: ListedCompilation, trail: str = ""
) -> ContractRow:
    """Add the members for pages and search to a list entry.

    Args:
        row: the list entry.
        compiled: the name, compiler and functions, from `listed_compilation`.
        trail: letters for the evidence of the contract, such as `os-o-n`, from `trail_signs`.
    """
    resolution = as_object(record.get("proxyResolution"))
    proxy = as_text(resolution.get("proxyType")) or "proxy"
    return row._replace(
        name=compiled.name,
        language=compiled.language,
        selectors=compiled.selectors,
        abi_names=compiled.abi_names,
        proxy=proxy if resolution.get("isProxy") is True else "",
        trail=trail,
    )


def item_signatures(abi: Json) -> Iterator[str]:
    """Yield the signatures of functions, events and errors in an ABI.

    Example: `transfer(address,uint256)`
    """
    for item in map(as_object, as_list(abi)):
        if item.get("type") in SELECTOR_KINDS and (text := cached_item_signature(item)) is not None:
            yield text


def signature_selector(signature: str) -> bytes:
    """Return a signature's selector: 4 bytes of its Keccak-256 hash.

    The first bytes of a call name the function by its selector.
    """
    return bytes.fromhex(signature_hash(signature)[2:10])


SELECTOR_KINDS = ("function", "event", "error")
