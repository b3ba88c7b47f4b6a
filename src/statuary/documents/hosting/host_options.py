"""What a host's files depend on besides the table of URLs."""

from dataclasses import dataclass, field

from statuary.domain.hosting_settings import HostingSettings, PathLayout

EDGE_FOLDER = ".edge"
"""The folder, beside the site, that the edge module is deployed from; made again by every `statuary hosting`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """How and where a site is to be served.

    Attributes:
        settings: what the site itself holds for its hosts.
        publish: the folder of the site, relative to the project.
        install: what pip installs where the host builds the site.
        root: where a web server finds the site.
        listen: the port or address and port that a web server listens on.
        edge: address and port of a `deno serve` of the edge module that a web server asks; None without one.
    """

    settings: HostingSettings = field(default_factory=HostingSettings)
    publish: str = "build"
    install: str = "statuary"
    root: str = "/srv/statuary"
    listen: str = "8080"
    edge: str | None = None

    @property
    def layout(self) -> PathLayout:
        """Where the documents of single contracts lie."""
        return self.settings.layout

    @property
    def build_command(self) -> str:
        """The command that builds the site on a machine that has Python only."""
        return f"python3 -m venv .venv && .venv/bin/pip install -q {self.install} && .venv/bin/statuary build"
