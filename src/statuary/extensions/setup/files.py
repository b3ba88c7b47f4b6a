"""The files that keep a site running: workflows, timers and forms."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

from statuary.extensions.hosting.host_files import HostFile, HostOptions, make_log_script_files, render_config
from statuary.extensions.hosting.hosts import HOSTS, is_edge_file, make_deno_serve_command
from statuary.extensions.hosting.project_commands import add_digest_comment, add_digests_of_others
from statuary.extensions.notify.settings import Channel, ChannelKind, NotifySettings
from statuary.site.site_content import SiteContent
from statuary.status.editing.updates import settable_component_keys
from statuary.status.model.records import StatusContent

TEMPLATES: Final = Path(__file__).with_name("templates")
WORKFLOWS: Final = ".github/workflows"

REBUILD_CRONS: Final = (
    (timedelta(days=34), "23 4 1,15 * *"),
    (timedelta(days=14), "23 4 * * 1"),
    (timedelta(), "23 4 * * *"),
)
"""Schedules of rebuilds by the least time that a build covers; one run of each may be missed."""

HOURLY: Final = "17 * * * *"
QUARTER_HOURLY: Final = "*/15 * * * *"

SERVERS: Final = ("nginx", "caddy", "deno")
"""The hosts that are a machine of one's own: a timer of systemd builds there."""

ACTIONS: Final = ("Open an incident", "Update an incident", "Resolve an incident", "Schedule maintenance")
"""The actions of the form, each of which runs a command."""

PROGRAM: Final = "/opt/statuary/bin/statuary"
"""The path of the program on a server."""


class RebuildSchedule(NamedTuple):
    """The means to start regular builds on a host that builds."""

    hook: str  # the host's name for the URL that starts a build
    reason: str
    cron: str = ""  # empty if only the age of a build matters


REBUILDS: Final = {
    "netlify": RebuildSchedule(
        "build hook", "a build covers some weeks, and pages say so when they are over."
    ),
    "vercel": RebuildSchedule(
        "deploy hook", "Vercel serves plain files, so timed changes appear when it builds.", HOURLY
    ),
}


class DeploySchedule(NamedTuple):
    """The steps by which a scheduled workflow publishes a site."""

    cron: str = ""  # empty if only the age of a build matters
    command: str = ""  # deploys the built folder; empty if the build publishes
    secrets: tuple[str, ...] = ()  # the secrets of the command, or else of the build


CLOUDFLARE_SECRETS: Final = ("CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID")

DEPLOYS: Final = {
    "cloudflare": DeploySchedule("", "npx --yes wrangler@4 deploy", CLOUDFLARE_SECRETS),
    "cloudflare-pages": DeploySchedule("", "npx --yes wrangler@4 pages deploy", CLOUDFLARE_SECRETS),
    "s3": DeploySchedule(
        QUARTER_HOURLY, secrets=("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")
    ),
}


class SetupAnswers(NamedTuple):
    """The answers of the user that determine the files to write."""

    host: str
    url: str  # the URL of the site
    has_form: bool = True  # whether there is a form for people without git
    has_alerts: bool = False  # whether alerts open incidents
    store: str = ""  # the URL of the site in an object store; empty for other hosts
    clone: str = "/srv/status"  # the project's folder on a server

    @property
    def has_site_workflow(self) -> bool:
        """Whether a workflow in the repository publishes the site."""
        return self.host in DEPLOYS or self.host == "github-pages"


def list_channels(site: SiteContent) -> tuple[Channel, ...]:
    """Return the notification channels in site.yaml, such as Slack."""
    settings = site.settings_of(NotifySettings)
    return () if settings is None else settings.channels


def list_channel_secrets(site: SiteContent) -> list[str]:
    """Return the environment variables that notification channels read.

    They contain secrets, such as the URL of a webhook.
    """
    names = (
        name
        for channel in list_channels(site)
        for name in (channel.url_variable, channel.secret_variable)
        if name
    )
    return list(dict.fromkeys(names))


def list_build_secrets(answers: SetupAnswers, site: SiteContent) -> list[str]:
    """Return the environment variables with secrets that builds need.

    For example, `STATUARY_LOG_KEY` has the key that signs the log.

    Args:
        answers: the answers about the host of the site.
        site: the content of the site.
    """
    deploy = DEPLOYS.get(answers.host)
    of_publishing = deploy.secrets if deploy is not None and not deploy.command else ()
    log = ["STATUARY_LOG_KEY"] if "log" in dict(site.extensions) else []
    return [*of_publishing, *log]


def list_needed_extras(answers: SetupAnswers, site: SiteContent) -> list[str]:
    """Return the optional dependencies of statuary that builds need.

    For example, the extra `zstd` installs a Zstandard library.

    Args:
        answers: the answers about the host of the site.
        site: the content of the site.
    """
    keys = dict(site.extensions)
    needs = {
        "cards": "cards" in keys,
        "chain": site.has_contracts,
        "compress": any(suffix != "gz" for suffix in site.hosting.precompressed),
        "notify": any(channel.kind is ChannelKind.APPRISE for channel in list_channels(site)),
        "s3": bool(answers.store),
        "zstd": "packs" in keys,
    }
    return [extra for extra, is_needed in needs.items() if is_needed]


def make_setup_files(answers: SetupAnswers, options: HostOptions, site: SiteContent) -> list[HostFile]:
    """Return all files that the set-up of a host writes.

    They are the host's configuration, and workflows that build the site regularly, for example.

    Args:
        answers: the user's answers.
        options: the options of the host's configuration.
        site: the content of the site.
    """
    host_files = map(_add_digest_if_possible, HOSTS[answers.host].files(options))
    return add_digests_of_others([*host_files, *_iter_setup_files(answers, options, site)])


def _add_digest_if_possible(file: HostFile) -> HostFile:
    """Add the digest by which edits are recognized, if the format of a host's file has comments."""
    comment = next((start for ending, start in COMMENTS.items() if file.path.endswith(ending)), None)
    if comment is None or is_edge_file(file):
        return file
    return file._replace(text=add_digest_comment(file.text, comment))


COMMENTS: Final = {
    ".yml": "#",
    ".toml": "#",
    ".conf": "#",
    ".sh": "#",
    "Caddyfile": "#",
    ".js": "//",
    ".jsonc": "//",
}
"""The characters that begin a comment in a file, by the ending of its path."""


def _iter_setup_files(answers: SetupAnswers, options: HostOptions, site: SiteContent) -> Iterator[HostFile]:
    host, secrets = answers.host, list_channel_secrets(site)
    values = {
        "host": host,
        "options": options,
        "url": answers.url,
        "channel_secrets": secrets,
        "has_site_workflow": answers.has_site_workflow,
    }
    rebuild_cron = make_safe_schedule(site.content_of(StatusContent).settings.horizon)
    if host in REBUILDS:
        schedule = REBUILDS[host]
        values_of_hook = {"hook": schedule.hook, "reason": schedule.reason}
        yield _make_workflow_file(
            "rebuild.yml", **values, **values_of_hook, cron=schedule.cron or rebuild_cron
        )
    if host in DEPLOYS:
        secrets_of_build = list_build_secrets(answers, site)
        yield from _iter_site_workflow_files(answers, options, rebuild_cron, secrets_of_build, values)
    if host in SERVERS:
        yield from _iter_systemd_units(answers, options, values)
    elif secrets:
        yield _make_workflow_file("notify.yml", **values)
    if answers.has_form:
        components = [json.dumps(label, ensure_ascii=False) for label in list_component_labels(site)]
        yield _make_workflow_file("status-form.yml", **values, actions=ACTIONS, components=components)
    if answers.has_alerts:
        yield _make_workflow_file("alert.yml", **values)
        yield HostFile("alert.js", _render_template("alert.js"))


def _iter_site_workflow_files(
    answers: SetupAnswers,
    options: HostOptions,
    rebuild_cron: str,
    secrets: list[str],
    values: dict[str, object],
) -> Iterator[HostFile]:
    """Yield the workflow that publishes the site from its repository.

    It is for hosts that do not build. A script that stores the transparency log in git is yielded too, unless the
    site is in an object store, which has the log.

    Args:
        answers: the answers about the host of the site.
        options: the options of the host's configuration.
        rebuild_cron: the schedule of builds, unless the host needs another one.
        secrets: the variables with secrets that builds need.
        values: other values for the template.
    """
    deploy = DEPLOYS[answers.host]
    yield _make_workflow_file(
        "site.yml",
        **values,
        cron=deploy.cron or rebuild_cron,
        deploy=deploy.command,
        deploy_secrets=deploy.secrets,
        store=answers.store,
        build_secrets=secrets,
    )
    if not answers.store:
        yield from make_log_script_files(options)


def make_safe_schedule(horizon: timedelta) -> str:
    """Return a cron schedule that builds the site often enough.

    Even if one run fails, the site does not get too old.

    Args:
        horizon: the time after which the site must be built again.
    """
    return next(cron for least, cron in REBUILD_CRONS if horizon >= least)


def list_component_labels(site: SiteContent) -> list[str]:
    """Return each component's label in an issue form.

    A label has the name and the key, such as `Bridge (bridge)`.
    """
    status = site.content_of(StatusContent).catalogue
    names = {component.key: component.name for component in status.components}
    # GitHub evaluates `${{ … }}` in a workflow file as an expression. So if a component's name contains
    # `${{`, show only its key.
    return [
        f"({key})" if "${{" in names[key] else f"{names[key]} ({key})"
        for key in settable_component_keys(status)
    ]


def _iter_systemd_units(
    answers: SetupAnswers, options: HostOptions, values: dict[str, object]
) -> Iterator[HostFile]:
    values = {**values, "clone": answers.clone, "program": PROGRAM}
    for name in ("statuary-site.service", "statuary-site.timer"):
        yield HostFile(f"systemd/{name}", _render_template(name, **values))
    if answers.host == "deno":
        serve = make_deno_serve_command(options)
        yield HostFile(
            "systemd/statuary-edge.service", _render_template("statuary-edge.service", **values, serve=serve)
        )


def _make_workflow_file(template_name: str, **values: object) -> HostFile:
    return HostFile(f"{WORKFLOWS}/{template_name}", _render_template(template_name, **values))


def _render_template(template_name: str, **values: object) -> str:
    def github(expression: str) -> str:
        """Return an expression that GitHub evaluates in a workflow."""
        return f"${{{{ {expression} }}}}"

    text = render_config(f"{template_name}.jinja", TEMPLATES, github=github, **values)
    return add_digest_comment(text, "//" if template_name.endswith(".js") else "#")
