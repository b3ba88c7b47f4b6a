"""The contracts that a site has already, as far as a new one must know of them."""

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
"""How a record begins that lists its members in served order: no need to read the rest."""


class ExistingContract(NamedTuple):
    """A contract that is there already.

    Attributes:
        source: where.
        match_id: its number; None if it cannot be read.
        verified_at: when it was verified; None if it cannot be read.
        proxy_resolution: what its maker said the chain answered of a proxy; None if nothing.
    """

    source: ContractSource
    match_id: str | None
    verified_at: Instant | None
    proxy_resolution: Json | None


def find_existing_contract(
    root: Path, catalogue: Catalogue, chain_id: ChainId, address: Address
) -> ExistingContract | None:
    """Return the contract that the site has at an address, in whatever form and spelling; None if it has none."""
    source = find_source(catalogue, chain_id, address)
    if source is None:
        return None
    record = read_existing_record(root, source) or {}
    try:
        verified_at = parse_instant(str(record.get("verifiedAt")))
    except InvalidValueError:
        verified_at = None
    resolution = record.get("proxyResolution")
    told = resolution if isinstance(resolution, dict) and resolution.get("isProxy") else None
    return ExistingContract(source, record.get("matchId"), verified_at, told)


def find_source(catalogue: Catalogue, chain_id: ChainId, address: Address) -> ContractSource | None:
    """Return where the contract at an address is written."""
    return next(
        (
            source
            for source in catalogue.contracts
            if source.chain_id == chain_id and source.address.lower() == address.lower()
        ),
        None,
    )


def read_existing_record(root: Path, source: ContractSource) -> RecordValue | None:
    """Return the record that a source makes; None if it makes none."""
    read = read_contract(root, source).record
    return None if read is None else read.value


def next_match_id(root: Path, catalogue: Catalogue) -> str:
    """Return the number after the largest match id of the site.

    Raises:
        CannotImport: if the site has bulk files, in which looking for it would take too long.
    """
    if catalogue.bulk:
        raise ContractImportError(
            f"the site has contracts in {catalogue.bulk[0].path}, whose match ids are not looked through",
            "give a free one with --match-id",
        )
    return str(1 + max((int(number) for number in _match_ids(root, catalogue)), default=0))


def check_match_id_is_free(
    root: Path, catalogue: Catalogue, match_id: str, own: ContractSource | None
) -> None:
    """Make sure that a match id belongs to no other contract.

    Raises:
        CannotImport: if it does.
    """
    for source in catalogue.contracts:
        if source != own and read_match_id(root, source) == match_id:
            raise ContractImportError(
                f"match id {match_id} is taken already, by {source.path}",
                "give another, or leave out --match-id",
            )


def _match_ids(root: Path, catalogue: Catalogue) -> list[str]:
    found = (read_match_id(root, source) for source in catalogue.contracts)
    return [number for number in found if number and number.isascii() and number.isdigit()]


def read_match_id(root: Path, source: ContractSource) -> str | None:
    """Return the match id that a source names; None if it cannot be read."""
    if source.form is ContractForm.WORKSPACE:
        settings = load_model(SourceFile(root, source.path), WorkspaceSource, LARGEST_RECORD, [])
        return None if settings is None else settings.match_id
    if source.form is ContractForm.RECORD and (found := _FIRST_MEMBER.match(_beginning(root / source.path))):
        return found[1].decode()
    record = read_existing_record(root, source)
    return None if record is None else record.get("matchId")


def _beginning(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(100)
    except OSError:
        return b""
