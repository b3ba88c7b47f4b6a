"""All checks of a deployment, in one table."""

from statuary.conform import contract_checks as contracts
from statuary.conform import lookup_checks as look_up
from statuary.conform import site_checks as site
from statuary.conform import status_api_checks as status
from statuary.conform.conformance import CheckFunction, ConformanceArea, ConformanceCheck, ConformanceLevel


def _check(
    run: CheckFunction, area: ConformanceArea, level: ConformanceLevel, feature: str
) -> ConformanceCheck:
    return ConformanceCheck(run=run, area=area, level=level, feature=feature)


CHECKS: tuple[ConformanceCheck, ...] = (
    _check(contracts.chains_are_listed, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "lists"),
    _check(contracts.contracts_are_listed, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "lists"),
    _check(contracts.records_are_served, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"),
    _check(contracts.whole_records_are_served, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"),
    _check(contracts.records_are_proved, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"),
    _check(
        contracts.both_address_forms_are_served, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"
    ),
    _check(contracts.all_chains_are_listed, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "lists"),
    _check(
        contracts.missing_contracts_are_not_found, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "404"
    ),
    _check(
        contracts.contracts_are_readable_from_any_origin,
        ConformanceArea.CONTRACTS,
        ConformanceLevel.STATIC,
        "CORS, HEAD, 304",
    ),
    _check(
        look_up.missing_contracts_are_reported_in_json,
        ConformanceArea.CONTRACTS,
        ConformanceLevel.EDGE,
        "404 in JSON",
    ),
    _check(
        look_up.malformed_parameters_are_rejected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "400"
    ),
    _check(look_up.unknown_chains_are_rejected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "400"),
    _check(
        look_up.wrong_checksums_are_rejected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "checksums"
    ),
    _check(look_up.fields_are_selected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "fields, omit"),
    _check(look_up.fields_are_omitted, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "fields, omit"),
    _check(
        look_up.invalid_selectors_are_rejected,
        ConformanceArea.CONTRACTS,
        ConformanceLevel.EDGE,
        "fields, omit",
    ),
    _check(look_up.paths_ignore_case, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "any case"),
    _check(
        look_up.lists_are_sorted_and_limited, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "sort, limit"
    ),
    _check(look_up.server_prefix_is_served, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "/server"),
    _check(
        look_up.preflight_requests_are_answered, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "OPTIONS"
    ),
    _check(look_up.unknown_routes_are_not_found, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "404"),
    _check(status.status_documents_are_served, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.documents_agree, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.status_follows_components, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.groups_follow_components, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.lists_are_in_order, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.lists_hold_what_they_say, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.instants_are_in_the_page_s_zone, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.incidents_have_their_documents, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.absent_incidents_are_not_found, ConformanceArea.STATUS, ConformanceLevel.STATIC, "404"),
    _check(
        status.status_is_readable_anywhere, ConformanceArea.STATUS, ConformanceLevel.STATIC, "CORS, HEAD, 304"
    ),
    _check(
        status.status_follows_the_clock, ConformanceArea.STATUS, ConformanceLevel.EDGE, "status by the clock"
    ),
    _check(site.openapi_describes_the_site, ConformanceArea.SITE, ConformanceLevel.STATIC, "OpenAPI"),
    _check(site.files_have_their_media_types, ConformanceArea.SITE, ConformanceLevel.STATIC, "types"),
    _check(site.status_is_cached_briefly, ConformanceArea.SITE, ConformanceLevel.STATIC, "cache rules"),
    _check(site.pages_are_protected, ConformanceArea.SITE, ConformanceLevel.STATIC, "pages guarded"),
    _check(site.internal_files_are_hidden, ConformanceArea.SITE, ConformanceLevel.STATIC, "pages guarded"),
    _check(site.missing_files_are_not_found, ConformanceArea.SITE, ConformanceLevel.STATIC, "404"),
)
"""In the order of the report."""
