"""Caddy: one file with one site, for the site as plain files or before a `deno serve` of the edge module."""

from statuary.documents.hosting.choices import HostChoices
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.templating import filled
from statuary.documents.hosting.web_server import table_values


def caddy_files(choices: HostChoices) -> list[HostFile]:
    """Return the configuration."""
    listen = f":{choices.listen}" if choices.listen.isdigit() else choices.listen
    text = filled("Caddyfile.jinja", choices=choices, listen=listen, **table_values())
    return [HostFile("Caddyfile", text)]
