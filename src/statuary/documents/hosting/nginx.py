"""nginx: one file with one server, for the site as plain files or before a `deno serve` of the edge module.

Debian's njs (0.7.9) cannot run the edge module: it knows neither destructuring nor classes, maps or streams, so
that exact answers behind nginx are those of Deno, asked over loopback.
"""

from statuary.documents.hosting.choices import HostChoices
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.templating import filled
from statuary.documents.hosting.web_server import table_values


def nginx_files(choices: HostChoices) -> list[HostFile]:
    """Return the configuration."""
    return [HostFile("statuary.conf", filled("nginx.conf.jinja", choices=choices, **table_values()))]
