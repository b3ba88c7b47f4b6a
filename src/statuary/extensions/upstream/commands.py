"""Fetch the statuses that components follow (`statuary upstream`)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant
from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import build_instant, content_option, now_option
from statuary.engine.faulty_settings import SettingsFallback, find_extension_error
from statuary.engine.read_content import read_content
from statuary.extensions.upstream.pages import (
    DOCUMENTS,
    LARGEST_BODY,
    ListedComponent,
    UpstreamError,
    find_component_status,
    parse_components,
)
from statuary.extensions.upstream.settings import UpstreamComponent, UpstreamKind, UpstreamSettings
from statuary.extensions.upstream.state_file import (
    FILE,
    add_status_change,
    drop_future_changes,
    read_upstream_changes,
    refuse_future_changes,
    write_upstream_changes,
)
from statuary.source.edit_files import content_lock
from statuary.source.file_kinds import CONTRACTS
from statuary.source.source_files import walk_folder
from statuary.status.model.vocabulary import ComponentStatus
from statuary.system.network.client import Retries, get, url_below

Fetch = Callable[[str, UpstreamKind], list[ListedComponent]]


class FetchedStatus(NamedTuple):
    """A component's status on another page, or the error."""

    row: UpstreamComponent
    status: ComponentStatus | None
    error: StatuaryError | None = None


@click.command()
@content_option
@click.option("--dry-run", is_flag=True, help="Print the fetched statuses, and save nothing.")
@now_option
@click.option(
    "--allow-clock-rollback",
    is_flag=True,
    help="Discard saved statuses with times in the future, because the clock of an earlier run was wrong. Default: fail.",
)
def upstream_command(
    content: Path,
    dry_run: bool,
    now: Instant | None,
    allow_clock_rollback: bool,
) -> ExitCode:
    """Fetch the status of components that copy it from other pages.

    List the components under `upstream` in site.yaml. The command saves their changes in content/.upstream.json, and
    the next build shows them. If the command cannot fetch a page, the components that follow this page keep their
    last status.

    Exit codes: 0 every status is known; 1 a status is unknown, or site.yaml lists no components to fetch.
    """
    at = build_instant(now)
    files = walk_folder(content, (CONTRACTS,)) if content.is_dir() else None
    site, findings = read_content(content, files, fallback=SettingsFallback.of_command())
    settings = None if site is None else site.settings_of(UpstreamSettings)
    if settings is None:
        error = find_extension_error(site, findings, "upstream")
        reason = "; list components under `upstream` in site.yaml" if error is None else f": {error.message}"
        click.echo(escape_control_chars(f"nothing was fetched{reason}"), err=True)
        return ExitCode.FINDINGS
    fetched = fetch_statuses(settings.components, fetch_page_components)
    for outcome in fetched:
        if outcome.error is not None:
            print_error(outcome.error)
        else:
            click.echo(escape_control_chars(f"{outcome.row.component}: {outcome.status} ({outcome.row.url})"))
    if not dry_run:
        _save_fetched_statuses(content, fetched, at, allow_clock_rollback=allow_clock_rollback)
    return ExitCode.FINDINGS if any(outcome.error for outcome in fetched) else ExitCode.OK


def _save_fetched_statuses(
    content: Path, fetched: Sequence[FetchedStatus], at: Instant, *, allow_clock_rollback: bool
) -> None:
    with content_lock(content):
        previous_changes = changes = read_upstream_changes(content)
        if allow_clock_rollback:
            changes = drop_future_changes(changes, at)
        refuse_future_changes(changes, at)
        for row, status, _ in fetched:
            changes = changes if status is None else add_status_change(changes, row.component, status, at)
        if changes != previous_changes:
            write_upstream_changes(content, changes)
            click.echo(escape_control_chars(f"changed: {content / FILE}"))


def fetch_statuses(
    followed_components: Sequence[UpstreamComponent], fetch_page: Fetch
) -> list[FetchedStatus]:
    """Fetch the status that components follow on other status pages.

    For example, your component `rpc` may show the status of your provider's component.

    Args:
        followed_components: the components, and what they follow.
        fetch_page: a function that returns the components on another page.
    """
    pages: dict[tuple[str, UpstreamKind], list[ListedComponent] | StatuaryError] = {}
    outcomes = []
    for row in followed_components:
        page = row.url, row.kind
        if page not in pages:
            try:
                pages[page] = fetch_page(*page)
            except StatuaryError as error:
                pages[page] = error
        components = pages[page]
        try:
            if isinstance(components, StatuaryError):
                raise components
            outcomes.append(FetchedStatus(row, find_component_status(components, row.name, row.url)))
        except StatuaryError as error:
            outcomes.append(FetchedStatus(row, None, error))
    return outcomes


def fetch_page_components(page_url: str, page_kind: UpstreamKind) -> list[ListedComponent]:
    """Fetch the list of components from another status page.

    Args:
        page_url: the URL of the page.
        page_kind: the system of the other page, such as Statuspage.

    Raises:
        StatuaryError: if the page cannot be reached, or lists no components.
    """
    body = get(url_below(page_url, DOCUMENTS[page_kind][0]), LARGEST_BODY, retries=Retries(tries=3))
    if body is None:
        raise UpstreamError(
            f"{page_url} has no {DOCUMENTS[page_kind][0]}", "check `kind` and `url` in site.yaml"
        )
    return parse_components(body, page_kind, page_url)
