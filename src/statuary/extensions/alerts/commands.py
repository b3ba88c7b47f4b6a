"""`statuary incident from-alert`: turn a monitoring alert into an edit."""

import sys
from pathlib import Path

import click
from click.exceptions import Exit

from statuary.base.findings import Finding
from statuary.base.primitives import format_utc_shortest
from statuary.cli.editing.edit_session import EditSession, with_edit_session
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import text_report
from statuary.engine.faulty_settings import SettingsFallback
from statuary.engine.read_content import read_content
from statuary.extensions.alerts.decide import Decision, NoChange, Opening, Resolution, decide_on_alerts
from statuary.extensions.alerts.payloads import LONGEST_PAYLOAD, read_alerts
from statuary.extensions.alerts.settings import AlertRule, AlertSettings, Publication
from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item
from statuary.source.file_kinds import FileKind, match_pattern
from statuary.source.locate import locate_findings
from statuary.source.source_files import SourceFile, walk_folder
from statuary.status.editing.new_record import prepare_new_record
from statuary.status.editing.updates import NewUpdate, announce_in_file
from statuary.status.model.records import StatusContent
from statuary.status.model.vocabulary import DEFAULT_BODIES
from statuary.system.files import read_named_file


def _read_payload(_ctx: click.Context, _param: click.Parameter, file: Path) -> bytes:
    """Read the alert from FILE or standard input.

    One byte above `LONGEST_PAYLOAD` is enough to find that it is too long.
    """
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(LONGEST_PAYLOAD + 1)
        return read_named_file(file, LONGEST_PAYLOAD)
    except OSError as error:
        raise click.UsageError(f"{escape_control_chars(str(file))}: {error.strerror}") from None


@click.command()
@click.argument(
    "payload",
    metavar="[FILE]",
    default="-",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    callback=_read_payload,
)
@with_edit_session()
def from_alert_command(session: EditSession, payload: bytes) -> None:
    """Open or resolve an incident from an alert of your monitoring.

    FILE is the body of a webhook request from Alertmanager, Grafana or PagerDuty (v3). For other monitoring, write a
    JSON object with the keys `key`, `status`, `name` and `component`. Without FILE, the command reads standard input.
    The rules under `alerts` in site.yaml say which component an alert affects.

    The command writes the incident as a draft, unless a rule publishes it. If the same alert comes again, nothing
    changes. When the alert ends, the command resolves the incident, unless a person has updated it since.
    """
    rules = read_rules(session.options.content)
    alerts = read_alerts(payload)
    if not alerts:
        _apply_decision(session, NoChange("the event neither opens nor resolves an alert"))
    for decision in decide_on_alerts(alerts, rules, session.catalogue, session.at):
        _apply_decision(session, decision)


def _concerns_rules_or_components(file: SourceFile | Finding) -> bool:
    pattern = match_pattern(file.pure_path) if isinstance(file, SourceFile) else None
    return pattern is not None and pattern.kind in (FileKind.SITE, FileKind.COMPONENTS)


def read_rules(content: Path) -> tuple[AlertRule, ...]:
    """Read the alert rules in site.yaml: which component each alert affects.

    If several rules match an alert, the first one is used.

    Returns:
        The rules; empty if the content cannot be read.

    Raises:
        EditError: if a rule names a group, or a component that does not exist.
        Exit: if the settings of alerts have an error, after it is printed.
    """
    files = filter(_concerns_rules_or_components, walk_folder(content))
    site, findings = read_content(content, files, fallback=SettingsFallback.of_command())
    if site is not None and "alerts" in site.faulty_keys:
        _print_faulty_rules(content, findings)
        raise Exit(ExitCode.FINDINGS)
    settings = None if site is None else site.settings_of(AlertSettings)
    if site is None or settings is None:
        return ()
    components = site.content_of(StatusContent).catalogue.components_by_name
    for rule in settings.rules:
        if rule.component not in components or components[rule.component].group:
            raise EditError(
                f"{content / site.source}: a rule under `alerts` names the unknown component {rule.component!r}",
                "write the key or the id of a component of components.yaml",
            )
    return settings.rules


def _print_faulty_rules(content: Path, findings: list[Finding]) -> None:
    faulty = [finding for finding in findings if finding.pointer[:1] == ("alerts",)]
    click.echo(text_report(locate_findings(content, faulty), str(content)), err=True)


def _apply_decision(session: EditSession, decision: Decision) -> None:
    if isinstance(decision, NoChange):
        click.echo(escape_control_chars(f"nothing to do: {decision.reason}"))
    elif isinstance(decision, Opening):
        _open_incident(session, decision)
    else:
        _resolve_incident(session, decision)


def _open_incident(session: EditSession, opening: Opening) -> None:
    rule, at, since = opening.rule, session.at, opening.since
    update = NewUpdate(at=at, status="investigating", body=rule.body or DEFAULT_BODIES["investigating"])
    is_draft = rule.publish is Publication.DRAFT
    affected = {opening.component.key: rule.status}
    value = {
        "name": opening.name,
        "components": affected,
        "draft": is_draft or None,
        "alert": opening.key,
        "started_at": format_utc_shortest(since) if since is not None and since < at else None,
        "updates": [update.yaml_value],
    }
    edit = prepare_new_record(session.options.content, session.timeline, "incidents", value, at=at)
    subject = f"Open incident{' as a draft' if is_draft else ''}: {opening.name}"
    session.apply(edit, subject, update.commit_message_body_with(affected))


def _resolve_incident(session: EditSession, resolution: Resolution) -> None:
    incident = resolution.incident
    update = NewUpdate(at=session.at, status="resolved", body=DEFAULT_BODIES["resolved"])
    edit = session.prepare_edit(
        incident.source,
        lambda text: append_yaml_item(
            announce_in_file(text, incident, session.at), ("updates",), update.yaml_value
        ),
    )
    session.apply(edit, f"Resolve incident: {incident.name}", update.commit_message_body)
