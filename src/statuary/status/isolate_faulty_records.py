"""Find and exclude records and templates that raise exceptions.

A bug that one incident, maintenance window or theme template triggers then affects nothing else. Pages, feeds
and epochs are given up before the API documents, because those report outages.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from statuary.base.budget import INTERRUPTIONS, exception_finding, run_guarded
from statuary.base.errors import BUG_REPORT_HINT, StatuaryError, describe_exception
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.site.pages.site_context import site_context
from statuary.site.pages.theme_findings import failing_template_finding
from statuary.site.settings import ThemeError
from statuary.site.site_content import SiteContent
from statuary.status.hooks import FollowsStatus
from statuary.status.model.records import StatusCatalogue, StatusContent
from statuary.status.model.schedule import build_timeline_to_horizon
from statuary.status.site_status import EPOCHS, EXTENSIONS, FEEDS, PAGES, SiteStatus, status_at


class IsolatedStatus(NamedTuple):
    """A site and its status after faulty records were excluded."""

    site: SiteContent
    status: SiteStatus
    findings: list[Finding]  # one for each excluded file or template


def isolate_faulty_records(
    site: SiteContent, now: Instant, followers: Callable[[], Iterable[FollowsStatus]]
) -> IsolatedStatus:
    """Compute a site's status without the files that cause exceptions.

    The files can be incidents, maintenance windows, and templates of the theme.

    Args:
        site: the content of the site.
        now: the time of the build.
        followers: returns the extensions whose documents change with the status.

    Raises:
        StatuaryError: if the status cannot be computed even without those files.
    """
    content = site.content_of(StatusContent)
    context = run_guarded(partial(site_context, site), site.source, "making the pages")
    pages = None if isinstance(context, Finding) else context

    def computed(sources: Collection[str]) -> SiteStatus:
        chosen = _with_catalogue(site, _catalogue_of_sources(content.catalogue, sources))
        status = status_at(chosen, now, followers(), pages)
        _ = status.transitions, status.horizon
        return status

    findings: list[Finding] = []
    attempt = _attempt_work(partial(computed, _record_sources(content.catalogue)))
    if attempt.error is not None:
        sources, findings = _find_failing_sources(
            computed, _record_sources(content.catalogue), "computing the status"
        )
        attempt = _attempt_work(partial(computed, sources))
    status, error = attempt
    if status is None:
        reason = "" if error is None else describe_exception(error)
        raise StatuaryError(f"the status cannot be computed: {reason}", BUG_REPORT_HINT) from error
    if isinstance(context, Finding):
        findings.append(context)
    isolated = IsolatedStatus(_with_catalogue(site, status.timeline.catalogue), status, findings)
    return (
        _without_faulty_templates(isolated) if pages is not None and site.pages.theme.templates else isolated
    )


def _with_catalogue(site: SiteContent, catalogue: StatusCatalogue) -> SiteContent:
    return site.with_section_content(site.content_of(StatusContent)._replace(catalogue=catalogue))


def _without_faulty_templates(isolated: IsolatedStatus) -> IsolatedStatus:
    site, status, findings = isolated
    while isinstance(error := _exception_from(partial(_make_pages_of_every_site, status)), ThemeError):
        findings.append(failing_template_finding(error))
        site = site.without_templates(error.template)
        status = replace(status, context=site_context(site))
    return IsolatedStatus(site, status, findings)


def _make_pages_of_every_site(status: SiteStatus) -> None:
    from statuary.site.pages.not_found import not_found_page

    _ = status.current_documents, status.context and not_found_page(status.context, [("page.home", "")])
    for part in status.archive_parts:
        for _ in part.documents():
            pass


class WorkingStatus(NamedTuple):
    """A status whose documents can all be made."""

    status: SiteStatus
    findings: list[Finding]  # one for each exclusion


def exclude_failing_documents(status: SiteStatus) -> WorkingStatus:
    """Exclude incidents and documents that raise an exception when they are made.

    If an incident's API document fails, the incident is excluded. If the incident fails only in feeds or pages, it is
    left out of the feeds or pages. If no single incident is the cause, all feeds or pages are skipped.

    Raises:
        StatuaryError: if the remaining documents cannot be made either.
    """
    findings: list[Finding] = []
    while (
        isinstance(error := _exception_from(partial(_make_all_documents, status)), ThemeError)
        and status.context
    ):
        findings.append(failing_template_finding(error))
        status = replace(status, context=status.context.without_templates(error.template))
    if error is None:
        return WorkingStatus(status, findings)
    sources, faults = _find_failing_sources(
        partial(_make_api_documents, status),
        _record_sources(status.timeline.catalogue),
        "making its documents",
    )
    status = _status_of_sources(status, sources) if faults else status
    findings += faults
    for kind in (FEEDS, PAGES, EXTENSIONS):
        status, omission_findings = _exclude_records_failing_kind(status, kind)
        findings += omission_findings
        if kind == PAGES:
            status, omission_findings = _exclude_failing_extensions(status)
            findings += omission_findings
    error = _exception_from(partial(_make_all_documents, status))
    if error is not None:
        status = replace(status, skipped=status.skipped | {EPOCHS})
        findings.append(exception_finding(error, "", f"making the {EPOCHS}"))
    error = _exception_from(partial(_make_all_documents, status))
    if error is not None:
        raise StatuaryError(
            f"the documents of the status cannot be written: {describe_exception(error)}", BUG_REPORT_HINT
        ) from error
    return WorkingStatus(status, findings)


def _exclude_records_failing_kind(status: SiteStatus, kind: str) -> WorkingStatus:
    """Exclude the incidents that feeds or pages fail to show.

    If the cause is not an incident, no documents of this kind are made.
    """
    everything = _record_sources(status.timeline.catalogue)
    # Make no documents of other kinds, so that only failures of this kind are found. But make pages with
    # EXTENSIONS, because extensions may add pages of their own.
    other_kinds = {FEEDS, EXTENSIONS, PAGES if kind == FEEDS else FEEDS} - {kind}

    def without(sources: Collection[str]) -> SiteStatus:
        return replace(status, omitted_sources={**status.omitted_sources, kind: frozenset(sources)})

    def make(sources: Sequence[str]) -> None:
        omitted_sources = frozenset(everything).difference(sources)
        _make_all_documents(
            replace(without(omitted_sources), skipped=status.skipped | other_kinds | {EPOCHS})
        )

    error = _exception_from(partial(make, everything))
    if error is None:
        return WorkingStatus(status, [])
    sources, faults = _find_failing_sources(make, everything, f"making the {kind}")
    if faults and _exception_from(partial(make, sources)) is None:
        return WorkingStatus(without(frozenset(everything).difference(sources)), faults)
    skipped = replace(status, skipped=status.skipped | {kind})
    return WorkingStatus(skipped, [exception_finding(error, "", f"making the {kind}, which are skipped")])


def _exclude_failing_extensions(status: SiteStatus) -> WorkingStatus:
    """Exclude the extensions whose documents fail even without any incident."""
    findings: list[Finding] = []
    working: list[FollowsStatus] = []
    without_records = _status_of_sources(status, ())
    for follower in status.followers:
        alone = replace(without_records, followers=(follower,), skipped=status.skipped | {EPOCHS})
        error = _exception_from(partial(_make_all_documents, alone))
        if error is None:
            working.append(follower)
        else:
            action = "making the documents of an extension, which stay as last published"
            findings.append(exception_finding(error, "", action))
    return WorkingStatus(replace(status, followers=tuple(working)), findings)


def _make_all_documents(status: SiteStatus) -> None:
    _ = status.current_documents, status.epochs, [list(part.documents()) for part in status.archive_parts]


def _make_api_documents(status: SiteStatus, sources: Sequence[str]) -> None:
    _make_all_documents(
        replace(_status_of_sources(status, sources), skipped=frozenset((FEEDS, PAGES, EXTENSIONS, EPOCHS)))
    )


def _record_sources(catalogue: StatusCatalogue) -> list[str]:
    return [record.source for record in (*catalogue.incidents, *catalogue.maintenances)]


def _status_of_sources(status: SiteStatus, sources: Collection[str]) -> SiteStatus:
    catalogue = _catalogue_of_sources(status.timeline.catalogue, sources)
    return replace(status, timeline=build_timeline_to_horizon(catalogue, status.now, status.settings))


def _catalogue_of_sources(catalogue: StatusCatalogue, sources: Collection[str]) -> StatusCatalogue:
    if len(sources) == len(catalogue.incidents) + len(catalogue.maintenances):
        return catalogue
    paths = frozenset(sources)
    return replace(
        catalogue,
        incidents=tuple(record for record in catalogue.incidents if record.source in paths),
        maintenances=tuple(record for record in catalogue.maintenances if record.source in paths),
    )


Make = Callable[[Sequence[str]], object]

Result = TypeVar("Result")


class _WorkingSources(NamedTuple):
    """The files that remain after a search for faulty ones."""

    sources: Sequence[str]
    findings: list[Finding]  # one for each faulty file


def _find_failing_sources(make: Make, sources: Sequence[str], action: str) -> _WorkingSources:
    """Search for the incident files that make a function fail.

    Returns:
        The files without them, and a finding for each of them. If the function fails even without any file, none is
        the cause, and the result has all files.
    """
    if _exception_from(partial(make, sources)) is None or _exception_from(partial(make, ())) is not None:
        return _WorkingSources(sources, [])
    faults = [exception_finding(error, path, action) for path, error in _bisect_failures(make, sources)]
    paths = {finding.path for finding in faults}
    return _WorkingSources([source for source in sources if source not in paths], faults)


def _bisect_failures(make: Make, sources: Sequence[str]) -> Iterator[tuple[str, BaseException]]:
    """Find each file that fails on its own, with its exception."""
    error = _exception_from(partial(make, sources))
    middle = len(sources) // 2 if error is not None else 0
    if error is not None and not middle:
        yield sources[0], error
    error = None  # its traceback would keep the values of all frames
    if middle:
        yield from _bisect_failures(make, sources[:middle])
        yield from _bisect_failures(make, sources[middle:])


class _Attempt(NamedTuple, Generic[Result]):
    """The result of a call, or the exception that it raised."""

    result: Result | None
    error: BaseException | None


def _attempt_work(work: Callable[[], Result]) -> _Attempt[Result]:
    """Run a function, and return its result or its exception.

    An interruption, such as Ctrl+C, is raised.
    """
    try:
        return _Attempt(work(), None)
    except BaseException as error:
        if isinstance(error, INTERRUPTIONS):
            raise
        return _Attempt(None, error)


def _exception_from(work: Callable[[], object]) -> BaseException | None:
    return _attempt_work(work).error
