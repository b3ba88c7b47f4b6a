"""The site's contracts: what adding a contract needs to know of them."""

import re
from pathlib import Path
from typing import NamedTuple

from statuary.content.load_model import load_model
from statuary.content.read_contract import read_contract
from statuary.content.source_files import SourceFile
from statuary.content.sources.workspace_source import WorkspaceSource
from statuary.domain.catalogue import Catalogue, ContractForm, ContractSource
from statuary.domain.contracts.record import RecordValue
from statuary.domain.json_values import Json
from statuary.domain.limits import LARGEST_RECORD
from statuary.domain.primitives import Address, ChainId, Instant, InvalidValueError, parse_instant
from statuary.importing.import_error import ContractImportError

_FIRST_MEMBER = re.compile(rb'\s*\{\s*"matchId"\s*:\s*"([0-9]{1,30})"')
"""The start of a record with its members in served order, so that the rest need not be read."""


class ExistingContract(NamedTuple):
    """A contract of the site; a member that cannot be read is None."""

    source: ContractSource
    match_id: str | None
    verified_at: Instant | None
    proxy_resolution: Json | None  # only if the record has an implementation


def find_existing_contract(
    root: Path, catalogue: Catalogue, chain_id: ChainId, address: Address
) -> ExistingContract | None:
    """Return the contract at an address, in any form and any case of the address."""
    source = find_source(catalogue, chain_id, address)
    if source is None:
        return None
    record = read_existing_record(root, source) or {}
    try:
        verified_at = parse_instant(str(record.get("verifiedAt")))
    except InvalidValueError:
        verified_at = None
    resolution = record.get("proxyResolution")
    is_proxy = isinstance(resolution, dict) and resolution.get("isProxy")
    return ExistingContract(source, record.get("matchId"), verified_at, resolution if is_proxy else None)


def find_source(catalogue: Catalogue, chain_id: ChainId, address: Address) -> ContractSource | None:
    """Return the source of the contract at an address."""
    wanted = (chain_id, address.lower())
    return next(
        (source for source in catalogue.contracts if (source.chain_id, source.address.lower()) == wanted),
        None,
    )


def contract_name(root: Path, source: ContractSource | None) -> str | None:
    """Return the name of a contract of the site; None if it cannot be read."""
    record = None if source is None else read_existing_record(root, source)
    return None if record is None else str(record["compilation"]["name"])


def read_existing_record(root: Path, source: ContractSource) -> RecordValue | None:
    """Return the record of a source; None if it cannot be read."""
    return read_contract(root, source).record


def next_match_id(root: Path, catalogue: Catalogue) -> str:
    """Return the number after the largest match id of the site.

    Raises:
        ContractImportError: if the site has bulk files, which would take too long to search.
    """
    if catalogue.bulk:
        raise ContractImportError(
            f"the match ids in {catalogue.bulk[0].path} are not searched for a free one",
            "give a free one with --match-id",
        )
    found = (read_match_id(root, source) for source in catalogue.contracts)
    numbers = [int(number) for number in found if number and number.isascii() and number.isdigit()]
    return str(1 + max(numbers, default=0))


def check_match_id_is_free(
    root: Path, catalogue: Catalogue, match_id: str, own: ContractSource | None
) -> None:
    """Check that no other contract has a match id; raise ContractImportError if one does."""
    for source in catalogue.contracts:
        if source != own and read_match_id(root, source) == match_id:
            raise ContractImportError(
                f"{source.path} already has match id {match_id}",
                "choose another, or leave out --match-id",
            )


def read_match_id(root: Path, source: ContractSource) -> str | None:
    """Return the match id in a source; None if it cannot be read."""
    if source.form is ContractForm.WORKSPACE:
        settings = load_model(SourceFile(root, source.path), WorkspaceSource, LARGEST_RECORD, [])
        return None if settings is None else settings.match_id
    if source.form is ContractForm.RECORD and (found := _FIRST_MEMBER.match(_start_of(root / source.path))):
        return found[1].decode()
    record = read_existing_record(root, source)
    return None if record is None else record.get("matchId")


def _start_of(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(100)
    except OSError:
        return b""
