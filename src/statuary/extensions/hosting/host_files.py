"""The files for a host: its settings, and the templates of configurations."""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from statuary.contracts import urls as contract_urls
from statuary.contracts.api.proof_rules import EXPLORER_ERROR
from statuary.extensions.hosting.documents import EnabledKeys
from statuary.site import urls as site_urls
from statuary.site.document import encode_json
from statuary.site.settings import HostingSettings

FAULTS = ".venv/faults"
"""A file that marks a site that was published with faults."""

LOG_SCRIPT = "build-with-log.sh"  # builds the site, and keeps the site's log in a branch

LOG_REMOTE = "STATUARY_LOG_REMOTE"
"""The variable with the URL of the repository whose branch keeps the log; default: that of the checkout."""

TEMPLATES = Path(__file__).with_name("templates")


class HostFile(NamedTuple):
    """A configuration file for a web host: its path and text."""

    path: str  # the path in the project
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """The options of `statuary hosting` and the site's settings for a host."""

    settings: HostingSettings = field(default_factory=HostingSettings)  # the site's hosting settings
    publish: str = "build"  # the folder of the site, relative to the project
    install: str = "statuary"  # what pip installs where the host builds the site
    root: str = "/srv/statuary"  # the folder of the site on a web server
    listen: str | None = None  # the port, or address and port, of a web server
    domain: str | None = None  # the host name of the site, for a web server with other sites
    branch: str = "main"  # the branch whose pushes are published
    edge: str | None = None
    """The host and port of a `deno serve` process that runs the edge module; None if there is none."""
    enabled: EnabledKeys = None  # the keys of the enabled extensions; None for all extensions

    @property
    def install_command(self) -> str:
        """The shell command that installs statuary into a virtual environment."""
        return f"python3 -m venv .venv && .venv/bin/pip install -q {self.install}"

    @property
    def has_log(self) -> bool:
        """Whether the site has a transparency log, which builds must continue."""
        return self.enabled is not None and "log" in self.enabled

    @property
    def workflow_build_command(self) -> str:
        """The command with which a GitHub workflow builds the site.

        If the site has a log, the command also stores the log in the repository.
        """
        return (
            f'PATH="$PWD/.venv/bin:$PATH" bash {LOG_SCRIPT}' if self.has_log else ".venv/bin/statuary build"
        )

    @property
    def build_command(self) -> str:
        """The shell command that installs statuary and builds the site.

        If the build publishes the site but finds errors in the content, the command succeeds, so that the host
        deploys the site. If the variable STATUARY_LOG_REMOTE names a repository, the command stores the transparency log in a
        branch of it.
        """
        build = ".venv/bin/statuary build"
        if self.has_log:
            script = f"PATH=$PWD/.venv/bin:$PATH bash {LOG_SCRIPT}"
            build = f"if [ ${{{LOG_REMOTE}:+set}} ]; then {script}; else {build}; fi"  # no quotes: it is within some
        return f"{self.install_command} && {{ {build} || {{ [ $? -eq 4 ] && touch {FAULTS}; }}; }}"


def format_json_file(value: object) -> str:
    """Format a value as an indented JSON file with a final newline."""
    return json.dumps(value, indent=2) + "\n"


def render_config(template_name: str, folder: Path = TEMPLATES, /, **template_values: object) -> str:
    """Render the template of a host's configuration, such as `nginx.conf`.

    Args:
        template_name: the file name of the template.
        folder: the folder of the template.
        template_values: the values that the template uses.
    """
    return _make_template_environment(folder).get_template(template_name).render(**template_values)


def make_log_script_files(options: HostOptions) -> list[HostFile]:
    """Return the script that stores the site's transparency log in git.

    Returns:
        The script in a list; an empty list if the site has no log.
    """
    if not options.has_log:
        return []
    return [HostFile(LOG_SCRIPT, render_config(f"{LOG_SCRIPT}.jinja", options=options))]


@cache
def _make_template_environment(folder: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=False,  # noqa: S701 - the result is configuration, not markup
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"contracts": contract_urls, "site": site_urls}
    return environment


def render_explorer_error() -> str:
    """Return the JSON that answers calls which Etherscan's API does not know.

    It contains no character that a configuration would have to escape.
    """
    return encode_json(EXPLORER_ERROR).decode()
