"""Every host that statuary writes files for, in one table."""

from collections.abc import Callable
from typing import NamedTuple

from statuary.documents.hosting.cloudflare import pages_files, worker_files
from statuary.documents.hosting.host_files import HostFile, HostOptions, json_text, render_config
from statuary.documents.hosting.netlify import netlify_files
from statuary.documents.hosting.path_rules import header_rules, server_rewrites
from statuary.documents.hosting.s3_cloudfront import s3_files
from statuary.documents.hosting.web_servers import caddy_files, deno_files, nginx_files
from statuary.domain.hosting_settings import HostingPlatform


class Host(NamedTuple):
    """A service or program that serves sites."""

    description: str  # the files that are written for it, as a phrase
    files: Callable[[HostOptions], list[HostFile]]
    steps: tuple[str, ...]  # what a person does once the files are written, one sentence each
    # the platform whose files the site must hold; `hosting.files` in site.yaml lists them
    site_files: HostingPlatform | None = None
    supports_sharding: bool = False  # whether it can serve the sharded layout


def github_pages_files(options: HostOptions) -> list[HostFile]:
    """Return a workflow that builds the site, caches it for the next run, and deploys it.

    A cache of GitHub Actions is never overwritten: each run saves under its own key and restores the newest.
    """
    return [HostFile(".github/workflows/site.yml", render_config("github-pages.yml.jinja", options=options))]


def vercel_files(options: HostOptions) -> list[HostFile]:
    """Return `vercel.json`; its paths use path-to-regexp, where a star is `(.*)`."""
    configuration = {
        "$schema": "https://openapi.vercel.sh/vercel.json",
        "buildCommand": options.build_command,
        "outputDirectory": options.publish,
        "headers": [
            {
                "source": rule.glob.replace("*", "(.*)"),
                "headers": [{"key": name, "value": value} for name, value in rule.headers.items()],
            }
            for rule in header_rules()
        ],
        "rewrites": [
            {"source": requested.replace("*", "(.*)"), "destination": served.replace(":splat", "$1")}
            for requested, served in server_rewrites()
        ],
    }
    return [HostFile("vercel.json", json_text(configuration))]


COMMIT = "Commit the new files and push them."
SET_URL = "Set page.url in site.yaml to the address of the site."

HOSTS: dict[str, Host] = {
    "netlify": Host(
        "netlify.toml, a plugin that keeps the build, and the edge function",
        netlify_files,
        (
            SET_URL,
            COMMIT,
            "In Netlify, choose `Add new project`, `Import an existing project`, and this repository.",
        ),
        supports_sharding=True,
    ),
    "cloudflare": Host(
        "wrangler.jsonc of a Worker with static assets, and the edge module",
        worker_files,
        (
            SET_URL,
            COMMIT,
            "Build the site: `statuary build`.",
            "Deploy it: `npx wrangler deploy` (log in with `npx wrangler login` first).",
        ),
        site_files=HostingPlatform.CLOUDFLARE,
        supports_sharding=True,
    ),
    "cloudflare-pages": Host(
        "the function of a Pages project",
        pages_files,
        (
            SET_URL,
            COMMIT,
            "Build the site: `statuary build`.",
            "Deploy it: `npx wrangler pages deploy build` (log in with `npx wrangler login` first).",
        ),
        site_files=HostingPlatform.CLOUDFLARE,
        supports_sharding=True,
    ),
    "deno": Host(
        "deno.json with a task that serves the site",
        deno_files,
        ("Build the site: `statuary build`.", "Serve it: `deno task serve`."),
        supports_sharding=True,
    ),
    "github-pages": Host(
        "a workflow that builds and deploys plain files",
        github_pages_files,
        (
            SET_URL,
            "On GitHub, open Settings, Pages, and choose `GitHub Actions` as the source.",
            COMMIT,
        ),
    ),
    "vercel": Host(
        "vercel.json, for plain files",
        vercel_files,
        (SET_URL, COMMIT, "In Vercel, choose `Add New`, `Project`, and this repository."),
    ),
    "nginx": Host(
        "the configuration of a server",
        nginx_files,
        (
            "Build the site and copy it to the folder that the configuration names as root.",
            "Copy the configuration to /etc/nginx/conf.d/statuary.conf.",
            "Run `nginx -t`, and then `systemctl reload nginx`.",
            "Schedule the next change of the status: `statuary next --as systemd`.",
        ),
    ),
    "caddy": Host(
        "a Caddyfile",
        caddy_files,
        (
            "Build the site and copy it to the folder that the Caddyfile names as root.",
            "Run `caddy validate`, and then `caddy reload`.",
            "Schedule the next change of the status: `statuary next --as systemd`.",
        ),
    ),
    "s3": Host(
        "an upload script for S3, and settings of CloudFront",
        s3_files,
        (
            "Build the site: `statuary build`.",
            "Upload it: `s3/upload.sh s3://<bucket>`.",
            "Give the CloudFront distribution the settings in cloudfront/.",
        ),
    ),
}
