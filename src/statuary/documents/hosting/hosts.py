"""Every host that statuary writes files for, in one table."""

from collections.abc import Callable
from typing import NamedTuple

from statuary.documents.hosting.caddy import caddy_files
from statuary.documents.hosting.cloudflare import pages_files, worker_files
from statuary.documents.hosting.deno import deno_files
from statuary.documents.hosting.github_pages import github_pages_files
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import EDGE_FOLDER, HostOptions
from statuary.documents.hosting.netlify import netlify_files
from statuary.documents.hosting.nginx import nginx_files
from statuary.documents.hosting.s3_cloudfront import s3_files
from statuary.documents.hosting.vercel import vercel_files
from statuary.domain.hosting_settings import HostingPlatform


class Host(NamedTuple):
    """A place that serves sites.

    Attributes:
        tells: what is written for it, as a phrase.
        files: makes its files.
        site_files: what of its own it reads from inside the site; `hosting.files` in site.yaml names it.
        knows_shards: whether it can serve the sharded layout.
    """

    tells: str
    files: Callable[[HostOptions], list[HostFile]]
    site_files: HostingPlatform | None = None
    supports_sharding: bool = False


HOSTS: dict[str, Host] = {
    "netlify": Host(
        tells="netlify.toml, a plugin that keeps the build, and the edge function",
        files=netlify_files,
        supports_sharding=True,
    ),
    "cloudflare": Host(
        tells="wrangler.jsonc of a Worker with static assets, and the module it runs",
        files=worker_files,
        site_files=HostingPlatform.CLOUDFLARE,
        supports_sharding=True,
    ),
    "cloudflare-pages": Host(
        tells="the function of a Pages project",
        files=pages_files,
        site_files=HostingPlatform.CLOUDFLARE,
        supports_sharding=True,
    ),
    "deno": Host(
        tells="deno.json with a task that serves the site", files=deno_files, supports_sharding=True
    ),
    "github-pages": Host(
        tells="a workflow that builds and deploys, as plain files", files=github_pages_files
    ),
    "vercel": Host(tells="vercel.json, for plain files", files=vercel_files),
    "nginx": Host(tells="the configuration of a server", files=nginx_files),
    "caddy": Host(tells="a Caddyfile", files=caddy_files),
    "s3": Host(tells="an upload script for S3, and settings of CloudFront", files=s3_files),
}
"""Host by name."""


def is_edge_file(file: HostFile) -> bool:
    """Say whether a file is of the edge module, which is made again each time and never edited."""
    return file.path.startswith(f"{EDGE_FOLDER}/")
