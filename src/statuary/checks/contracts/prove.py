"""Proving one record: every check that applies, and what each saw.

A proof is a pure function of one record, so records can be proved anywhere, in any order.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from statuary.checks.contracts.auxdata_checks import (
    auxdata_is_complete,
    auxdata_names_the_compiler,
    auxdata_stands_where_it_says,
    auxdata_transformations_stand_on_auxdata,
    compiler_speaks_the_language,
)
from statuary.checks.contracts.bytecode_checks import (
    creation_contains_runtime,
    creation_replays,
    hex_is_well_formed,
    runtime_replays,
)
from statuary.checks.contracts.check import ContractCheck, check
from statuary.checks.contracts.identity_checks import (
    address_is_checksummed,
    chain_id_is_decimal,
    deployment_is_well_formed,
    match_id_is_decimal,
    verified_at_is_in_seconds,
)
from statuary.checks.contracts.interface_checks import (
    constructor_arguments_are_given,
    constructor_arguments_decode,
    signatures_follow_from_the_abi,
)
from statuary.checks.contracts.match_level_checks import (
    match_is_the_better_side,
    match_levels_follow_from_the_bytes,
    unmatched_side_does_not_match,
)
from statuary.checks.contracts.metadata_checks import (
    metadata_hash_is_in_the_bytecode,
    metadata_names_the_compilation,
    metadata_repeats_the_interface,
    sources_are_those_of_the_metadata,
    vyper_integrity_is_that_of_the_source,
)
from statuary.checks.contracts.proxy_checks import (
    proxy_resolution_is_not_contradicted,
    proxy_resolution_is_whole,
)
from statuary.checks.contracts.record_view import RecordView
from statuary.checks.contracts.repeated_member_checks import (
    name_ends_fully_qualified_name,
    std_json_input_repeats_the_record,
    std_json_output_repeats_the_record,
)
from statuary.checks.contracts.transformation_checks import (
    call_protection_is_filled,
    call_protection_is_own_address,
    immutable_transformations_fill_immutable_references,
    library_transformations_fill_link_references,
    transformations_are_known_steps,
    transformations_are_sourcifys,
    transformations_go_with_a_match,
    values_are_all_used,
    vyper_immutables_follow_the_code,
)
from statuary.domain.contracts.proof import Proof
from statuary.domain.findings import Severity
from statuary.domain.json_values import Json

IDENTITY_CHECKS: Final[tuple[ContractCheck, ...]] = (
    check(chain_id_is_decimal),
    check(address_is_checksummed),
    check(match_id_is_decimal),
    check(verified_at_is_in_seconds),
    check(deployment_is_well_formed),
)
"""The rules that a record must keep to be filed at all; one that breaks them is never published."""

CONTRACT_CHECKS: Final[tuple[ContractCheck, ...]] = (
    check(hex_is_well_formed),
    check(transformations_go_with_a_match),
    check(transformations_are_known_steps),
    check(creation_replays),
    check(runtime_replays),
    check(creation_contains_runtime),
    check(match_levels_follow_from_the_bytes),
    check(match_is_the_better_side),
    check(library_transformations_fill_link_references),
    check(immutable_transformations_fill_immutable_references),
    check(vyper_immutables_follow_the_code),
    check(call_protection_is_filled),
    check(auxdata_stands_where_it_says),
    check(auxdata_transformations_stand_on_auxdata),
    check(auxdata_names_the_compiler),
    check(compiler_speaks_the_language),
    check(constructor_arguments_decode),
    check(metadata_hash_is_in_the_bytecode),
    check(metadata_repeats_the_interface),
    check(vyper_integrity_is_that_of_the_source),
    check(name_ends_fully_qualified_name),
    check(std_json_input_repeats_the_record),
    check(std_json_output_repeats_the_record),
    check(signatures_follow_from_the_abi),
    check(proxy_resolution_is_whole),
    check(proxy_resolution_is_not_contradicted),
    # Real records break these and are true all the same
    check(sources_are_those_of_the_metadata, Severity.WARNING),
    check(metadata_names_the_compilation, Severity.WARNING),
    check(auxdata_is_complete, Severity.WARNING),
    check(constructor_arguments_are_given, Severity.WARNING),
    check(call_protection_is_own_address, Severity.WARNING),
    check(unmatched_side_does_not_match, Severity.WARNING),
    # Convention: a replay that ends in the right bytes is a replay
    check(values_are_all_used, Severity.WARNING),
    check(transformations_are_sourcifys, Severity.WARNING),
)
"""Every rule that a record is held against, the ones about its claim first."""


def prove(record: Mapping[str, Json], checks: Sequence[ContractCheck] = CONTRACT_CHECKS) -> Proof:
    """Hold a record against the checks.

    Args:
        record: the record as JSON, its shape validated.
        checks: the rules to hold it against.
    """
    view = RecordView(record)
    return Proof(results=tuple(each.run(view) for each in checks))
