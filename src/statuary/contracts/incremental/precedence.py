"""The precedence of records that cannot be published together."""

from typing import NamedTuple

from statuary.contracts.incremental.table_schema import LocatedContract
from statuary.contracts.model.contract_row import LIST_MEMBERS, ContractRow


class Precedence(NamedTuple):
    """The sort key that decides among duplicate contracts: the lowest stays."""

    is_withheld: bool
    is_new: bool  # whether the last build did not publish the record
    has_other_digest: bool  # whether the digest differs from the published record's
    has_other_entry: bool
    is_elsewhere: bool
    is_contradicted: bool  # under `publish: all` such a record is published, but displaces no other
    match_levels: tuple[int, ...]
    """The levels of the matches as sort keys: the better match comes first, as in Sourcify."""
    verified_at: str
    unit: str
    number_length: int  # the length of the location; a line further down in a file never has a shorter one
    location: str
    contract: LocatedContract


def precedence_of(
    contract: LocatedContract,
    digest: bytes,
    previous_records: list[tuple[str, bytes, ContractRow]],
    *,
    is_published: bool,
    is_same_contract: bool,
) -> Precedence:
    """Return the sort key that decides which of two duplicate records stays.

    The build keeps the record with the lowest key: first the one that the last build published, then the one
    with the better match, then the one that was verified first.

    Args:
        digest: the SHA-256 of the contract's source.
        previous_records: location, digest and list entry of each record that the last build published for the
            contract.
        is_published: whether the record could be published if there were no duplicate.
        is_same_contract: True if the records have the same chain and address. False if they share only a
            match id; then the match levels are not compared.
    """
    width = len(LIST_MEMBERS)
    same_digest = any(digest and digest == other for _, other, _ in previous_records)
    same_entry = any(contract.row[:width] == other[:width] for _, _, other in previous_records)
    same_location = any(contract.location == other for other, _, _ in previous_records)
    return Precedence(
        is_withheld=not is_published,
        is_new=not (same_digest or same_entry or same_location),
        has_other_digest=not same_digest,
        has_other_entry=not same_entry,
        is_elsewhere=not same_location,
        is_contradicted=contract.row.is_contradicted,
        match_levels=_match_levels(contract.row) if is_same_contract else (),
        verified_at=contract.row.verifiedAt,
        unit=contract.unit,
        number_length=len(contract.location),
        location=contract.location,
        contract=contract,
    )


MATCH_LEVELS = {"exact_match": 0, "match": 1}
"""The levels of a match, best first; others are worse."""


def _match_levels(row: ContractRow) -> tuple[int, ...]:
    matches = (row.match, row.runtimeMatch, row.creationMatch)
    return tuple(MATCH_LEVELS.get(match or "", 2) for match in matches)
