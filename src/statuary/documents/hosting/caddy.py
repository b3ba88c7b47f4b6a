"""Caddy: one file with one site, for the site as plain files or before a `deno serve` of the edge module."""

from statuary.documents.hosting.config_templates import render_config
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import HostOptions
from statuary.documents.hosting.web_server_rules import web_server_values


def caddy_files(choices: HostOptions) -> list[HostFile]:
    """Return the configuration."""
    listen = f":{choices.listen}" if choices.listen.isdigit() else choices.listen
    text = render_config("Caddyfile.jinja", choices=choices, listen=listen, **web_server_values())
    return [HostFile("Caddyfile", text)]
