"""The files that are written for a host beside the site: options, templates, and the edge module."""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined

from statuary.documents import url_table
from statuary.domain.hosting_settings import HostingSettings, PathLayout

EDGE_FOLDER = ".edge"
"""The folder, beside the site, that the edge module is deployed from; `statuary hosting` always rewrites it."""

EDGE = Path(__file__).parents[2] / "edge"
TEMPLATES = Path(__file__).with_name("templates")

PLAIN_LAYOUT, SHARDED_LAYOUT = (f"export const SHARDED = {value};" for value in ("false", "true"))


class HostFile(NamedTuple):
    """A text file; its path is relative to the project that is deployed."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """How and where a site is served."""

    settings: HostingSettings = field(default_factory=HostingSettings)  # of the site
    publish: str = "build"  # the folder of the site, relative to the project
    install: str = "statuary"  # what pip installs where the host builds the site
    root: str = "/srv/statuary"  # the folder of the site on a web server
    listen: str = "8080"  # the port, or address and port, of a web server
    # address and port of a `deno serve` of the edge module behind a web server; None without one
    edge: str | None = None

    @property
    def build_command(self) -> str:
        """The command that builds the site on a machine that has only Python."""
        return f"python3 -m venv .venv && .venv/bin/pip install -q {self.install} && .venv/bin/statuary build"


def json_text(value: object) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=2) + "\n"


def edge_module_files(options: HostOptions) -> list[HostFile]:
    """Return the files of the edge module, set to the layout of the site."""
    scripts = sorted(
        (file for file in EDGE.iterdir() if file.name.endswith(".js")),
        key=lambda file: file.name,
    )
    sharded = options.settings.layout is PathLayout.SHARDED
    return [
        HostFile(
            f"{EDGE_FOLDER}/modules/{file.name}",
            file.read_text("utf-8").replace(PLAIN_LAYOUT, SHARDED_LAYOUT if sharded else PLAIN_LAYOUT),
        )
        for file in scripts
    ]


def is_edge_file(file: HostFile) -> bool:
    """Return whether a file belongs to the edge module, which is always rewritten and never edited."""
    return file.path.startswith(f"{EDGE_FOLDER}/")


def render_config(template: str, **values: object) -> str:
    """Return the text of a configuration template."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(lambda name: TEMPLATES.joinpath(name).read_text("utf-8")),
        autoescape=False,  # noqa: S701 - the result is configuration, not markup
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["urls"] = url_table
    return environment
