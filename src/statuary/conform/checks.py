"""Every rule that a deployment is held to, in one table."""

from statuary.conform import contract_checks as contracts
from statuary.conform import look_up_checks as look_up
from statuary.conform import site_checks as site
from statuary.conform import status_checks as status
from statuary.conform.verdict import Area, Check, Level, Run


def _check(run: Run, area: Area, level: Level, feature: str) -> Check:
    return Check(run=run, area=area, level=level, feature=feature)


CHECKS: tuple[Check, ...] = (
    _check(contracts.chains_are_listed, Area.CONTRACTS, Level.STATIC, "lists"),
    _check(contracts.contracts_are_listed, Area.CONTRACTS, Level.STATIC, "lists"),
    _check(contracts.records_are_served, Area.CONTRACTS, Level.STATIC, "records"),
    _check(contracts.whole_records_are_served, Area.CONTRACTS, Level.STATIC, "records"),
    _check(contracts.records_are_proved, Area.CONTRACTS, Level.STATIC, "records"),
    _check(contracts.both_spellings_are_served, Area.CONTRACTS, Level.STATIC, "records"),
    _check(contracts.all_chains_are_told, Area.CONTRACTS, Level.STATIC, "lists"),
    _check(contracts.absent_contracts_are_not_found, Area.CONTRACTS, Level.STATIC, "404"),
    _check(contracts.contracts_are_readable_anywhere, Area.CONTRACTS, Level.STATIC, "CORS, HEAD, 304"),
    _check(look_up.absent_contracts_are_told_in_json, Area.CONTRACTS, Level.EDGE, "404 in JSON"),
    _check(look_up.malformed_parameters_are_refused, Area.CONTRACTS, Level.EDGE, "400"),
    _check(look_up.unknown_chains_are_refused, Area.CONTRACTS, Level.EDGE, "400"),
    _check(look_up.wrong_checksums_are_refused, Area.CONTRACTS, Level.EDGE, "checksums"),
    _check(look_up.fields_are_chosen, Area.CONTRACTS, Level.EDGE, "fields, omit"),
    _check(look_up.fields_are_omitted, Area.CONTRACTS, Level.EDGE, "fields, omit"),
    _check(look_up.odd_selectors_are_refused, Area.CONTRACTS, Level.EDGE, "fields, omit"),
    _check(look_up.any_case_is_understood, Area.CONTRACTS, Level.EDGE, "any case"),
    _check(look_up.lists_are_sorted_and_cut, Area.CONTRACTS, Level.EDGE, "sort, limit"),
    _check(look_up.server_prefix_is_understood, Area.CONTRACTS, Level.EDGE, "/server"),
    _check(look_up.browsers_may_ask, Area.CONTRACTS, Level.EDGE, "OPTIONS"),
    _check(look_up.other_routes_are_not_found, Area.CONTRACTS, Level.STATIC, "404"),
    _check(status.status_documents_are_served, Area.STATUS, Level.STATIC, "status"),
    _check(status.documents_agree, Area.STATUS, Level.STATIC, "status"),
    _check(status.status_follows_components, Area.STATUS, Level.STATIC, "status"),
    _check(status.groups_follow_components, Area.STATUS, Level.STATIC, "status"),
    _check(status.lists_are_in_order, Area.STATUS, Level.STATIC, "status"),
    _check(status.lists_hold_what_they_say, Area.STATUS, Level.STATIC, "status"),
    _check(status.instants_are_in_the_page_s_zone, Area.STATUS, Level.STATIC, "status"),
    _check(status.incidents_have_their_documents, Area.STATUS, Level.STATIC, "status"),
    _check(status.absent_incidents_are_not_found, Area.STATUS, Level.STATIC, "404"),
    _check(status.status_is_readable_anywhere, Area.STATUS, Level.STATIC, "CORS, HEAD, 304"),
    _check(status.status_follows_the_clock, Area.STATUS, Level.EDGE, "status by the clock"),
    _check(site.what_is_served_is_described, Area.SITE, Level.STATIC, "OpenAPI"),
    _check(site.files_have_their_types, Area.SITE, Level.STATIC, "types"),
    _check(site.present_is_kept_briefly, Area.SITE, Level.STATIC, "cache rules"),
    _check(site.pages_are_guarded, Area.SITE, Level.STATIC, "pages guarded"),
    _check(site.own_notes_are_hidden, Area.SITE, Level.STATIC, "pages guarded"),
    _check(site.what_is_not_there_is_not_found, Area.SITE, Level.STATIC, "404"),
)
"""In the order in which they are told."""
