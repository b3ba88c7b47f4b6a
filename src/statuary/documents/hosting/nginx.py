"""nginx: one file with one server, for the site as plain files or before a `deno serve` of the edge module.

Debian's njs (0.7.9) cannot run the edge module: it knows neither destructuring nor classes, maps or streams, so
that exact answers behind nginx are those of Deno, asked over loopback.
"""

from statuary.documents.hosting.config_templates import render_config
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import HostOptions
from statuary.documents.hosting.web_server_rules import web_server_values


def nginx_files(choices: HostOptions) -> list[HostFile]:
    """Return the configuration."""
    return [
        HostFile("statuary.conf", render_config("nginx.conf.jinja", choices=choices, **web_server_values()))
    ]
