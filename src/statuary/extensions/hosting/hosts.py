"""The supported hosts and their files."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from statuary.contracts.urls import NO_EXPLORER_API, NOT_FOUND_JSON
from statuary.extensions.hosting.documents import (
    HOST_FILES,
    INTERNAL_FILES_RULE,
    EnabledKeys,
    allows_frames,
    has_packs,
    list_urls_with_host_rules,
    make_header_rules,
    make_server_rewrites,
    make_static_globs,
)
from statuary.extensions.hosting.host_files import (
    FAULTS,
    HostFile,
    HostOptions,
    format_json_file,
    make_log_script_files,
    render_config,
    render_explorer_error,
)
from statuary.extensions.hosting.web_servers import make_caddy_files, make_nginx_files
from statuary.site.settings import NO_HOSTING, HostingPlatform, HostingSettings, PathLayout
from statuary.site.urls import (
    API_PAGE,
    CONTENT_SECURITY_POLICY,
    FRAMED_POLICY,
    JSON,
    PATTERN_PARTS,
    SHORT_LIVED,
    Url,
)
from statuary.status.urls import EPOCH_DOCUMENT, EPOCH_PATCH, EPOCHS
from statuary.system.files import read_text

EDGE_FOLDER = ".edge"
"""The project's folder from which the edge module is deployed; `statuary hosting` always rewrites it."""

EDGE = Path(__file__).parents[2] / "edge"

PLAIN_LAYOUT, SHARDED_LAYOUT = (f"export const SHARDED = {value};" for value in ("false", "true"))


def make_edge_module_files(options: HostOptions) -> list[HostFile]:
    """Return the edge program: JavaScript modules that compute responses.

    For example, they respond to requests for some fields of a contract. The modules contain the paths of the
    site's files.
    """
    scripts = sorted(
        (file for file in EDGE.iterdir() if file.name.endswith(".js")),
        key=lambda file: file.name,
    )
    sharded = options.settings.layout is PathLayout.SHARDED
    return [
        HostFile(
            f"{EDGE_FOLDER}/modules/{file.name}",
            read_text(file).replace(PLAIN_LAYOUT, SHARDED_LAYOUT if sharded else PLAIN_LAYOUT),
        )
        for file in scripts
    ]


def is_edge_file(file: HostFile) -> bool:
    """Return whether a generated file belongs to the edge program.

    The edge program is JavaScript that the host runs. Each build generates its files again.
    """
    return file.path.startswith(f"{EDGE_FOLDER}/")


COMPATIBILITY_DATE = "2025-01-01"
"""The runtime version that the edge module requests: one that every recent wrangler knows."""


def _choose_runtime_features(options: HostOptions) -> dict[str, object]:
    """Return the settings of the Workers runtime that the edge program needs.

    If the site has packs, it needs Node.js' library to decompress them.
    """
    flags = {"compatibility_flags": ["nodejs_compat"]} if has_packs(options.enabled) else {}
    return {"compatibility_date": COMPATIBILITY_DATE, **flags}


WRITTEN_BY = "// Written by `statuary hosting {host}` from the URL table.\n"


def make_worker_files(options: HostOptions) -> list[HostFile]:
    """Make the configuration files for a Cloudflare Worker."""
    configuration = WRITTEN_BY.format(host="cloudflare") + format_json_file(
        make_wrangler_configuration(options)
    )
    return [HostFile("wrangler.jsonc", configuration), *make_edge_module_files(options)]


def make_wrangler_configuration(options: HostOptions) -> dict[str, object]:
    """Make the content of `wrangler.jsonc`, which configures a Cloudflare Worker.

    Cloudflare serves plain files itself. The Worker responds to all other requests.
    """
    return {
        "name": "statuary",
        "main": f"{EDGE_FOLDER}/modules/cloudflare.js",
        **_choose_runtime_features(options),
        "assets": {
            "directory": options.publish,
            "binding": "ASSETS",
            "not_found_handling": "404-page",
            "run_worker_first": [
                "/*",
                *(f"!{glob}" for glob in make_static_globs(options.settings, options.enabled)),
            ],
        },
    }


def make_cloudflare_pages_files(options: HostOptions) -> list[HostFile]:
    """Make the configuration files for a Cloudflare Pages project."""
    configuration = {
        "name": "statuary",
        "pages_build_output_dir": options.publish,
        **_choose_runtime_features(options),
    }
    function = f'export {{ onRequest }} from "../{EDGE_FOLDER}/modules/cloudflare.js";\n'
    header = WRITTEN_BY.format(host="cloudflare-pages")
    return [
        HostFile("wrangler.jsonc", header + format_json_file(configuration)),
        HostFile("functions/[[path]].js", f"{header}\n{function}"),
        *make_edge_module_files(options),
    ]


KEEP_BUILD = ".keep-build"
"""The folder of the build plugin. Netlify loads plugins before the build command runs, so it belongs in git."""


def make_netlify_files(options: HostOptions) -> list[HostFile]:
    """Make the files for Netlify: settings, build plugin and edge function."""
    return [
        HostFile("netlify.toml", render_netlify_toml(options)),
        HostFile(f"{KEEP_BUILD}/manifest.yml", "name: keep-build\n"),
        HostFile(f"{KEEP_BUILD}/index.js", render_config("keep-build.js.jinja", faults_file=FAULTS)),
        HostFile(f"{EDGE_FOLDER}/statuary.js", render_edge_function(options.settings, options.enabled)),
        *make_edge_module_files(options),
        *make_log_script_files(options),
    ]


def render_netlify_toml(options: HostOptions) -> str:
    """Return the content of `netlify.toml`, Netlify's settings."""
    return render_config(
        "netlify.toml.jinja",
        options=options,
        edge_folder=EDGE_FOLDER,
        plugin=KEEP_BUILD,
        header_rules=make_header_rules(options.enabled),
        rewrites=make_server_rewrites(),
        internal_files_rule=INTERNAL_FILES_RULE,
    )


def render_edge_function(settings: HostingSettings = NO_HOSTING, enabled: EnabledKeys = None) -> str:
    """Return the code of the edge function that Netlify runs.

    The code lists the paths that Netlify serves without the function. Write it to a file with another name than the
    folder beside it, because Netlify confuses a file with a folder of the same name.

    Args:
        settings: what site.yaml says under `hosting`.
        enabled: the names of the enabled extensions; None for all extensions.
    """
    config = {
        "path": "/*",
        "excludedPath": [*make_static_globs(settings, enabled), INTERNAL_FILES_RULE[0]],
        "onError": "bypass",
    }
    return (
        "// Written by `statuary hosting netlify` from the URL table.\n\n"
        'export { default } from "./modules/netlify.js";\n\n'
        f"export const config = {json.dumps(config, indent=2)};\n"
    )


ObjectMetadata = tuple[str, str]
"""`Content-Type`, empty for that of the extension, and `Cache-Control`."""


def make_s3_files(options: HostOptions) -> list[HostFile]:
    """Make the files for Amazon S3: upload script and CloudFront settings."""
    return [
        HostFile(
            "s3/upload.sh",
            render_config(
                "upload.sh.jinja", options=options, groups=group_objects_by_headers(options.enabled)
            ),
        ),
        HostFile("cloudfront/response-headers-policy.json", format_json_file(make_response_headers_policy())),
        *_make_embed_policy_files(options),
        HostFile("cloudfront/custom-error-responses.json", format_json_file(make_custom_error_responses())),
        HostFile(
            "cloudfront/viewer-request.js",
            render_config("viewer-request.js.jinja", json=JSON, explorer_error=render_explorer_error()),
        ),
    ]


def group_objects_by_headers(enabled: EnabledKeys = None) -> list[tuple[ObjectMetadata, list[str]]]:
    """Group a site's files by the HTTP headers that they need.

    The upload to S3 sets headers for each group. Documents that change at scheduled times come last, because they refer to
    other files, which must be uploaded first.

    Returns:
        Pairs of media type and cache rule, with the patterns of paths.
    """
    groups: dict[ObjectMetadata, list[str]] = defaultdict(list)
    for url in list_urls_with_host_rules(enabled):
        if url is EPOCH_DOCUMENT or url in HOST_FILES:
            continue
        groups[url.media_type, url.cache].extend(_make_key_patterns(url))
    return sorted(groups.items(), key=lambda group: group[0][1] == SHORT_LIVED)


def _make_key_patterns(url: Url) -> list[str]:
    """Return patterns for the keys of a URL's objects in S3.

    A document that changes at scheduled times has a second pattern, for its later versions.
    """
    pattern = "".join(
        "*" if parameter else literal for parameter, literal in PATTERN_PARTS.findall(url.pattern)
    )
    has_epochs = url.changes_with_time and url not in (EPOCHS, EPOCH_PATCH)
    return [pattern, EPOCH_DOCUMENT.path(epoch="*", path=pattern)] if has_epochs else [pattern]


def _make_embed_policy_files(options: HostOptions) -> list[HostFile]:
    """Return the CloudFront policy for documents that other sites may frame.

    The list is empty without such documents. CloudFront needs a behavior for each of their paths.
    """
    if not allows_frames(options.enabled):
        return []
    policy = make_response_headers_policy()
    paths = [f"/{url.link()}*" for url in list_urls_with_host_rules(options.enabled) if url.framed]
    policy |= {"Name": "statuary-embed", "Comment": f"for behaviors of the paths {' '.join(paths)}"}
    security: dict[str, object] = {
        "ContentSecurityPolicy": {"Override": True, "ContentSecurityPolicy": FRAMED_POLICY},
        "ContentTypeOptions": {"Override": True},
        "ReferrerPolicy": {"Override": True, "ReferrerPolicy": "no-referrer"},
    }
    policy |= {"SecurityHeadersConfig": security}
    return [HostFile("cloudfront/response-headers-policy-embed.json", format_json_file(policy))]


def make_response_headers_policy() -> dict[str, object]:
    """Make the CloudFront policy that adds HTTP headers, as JSON."""
    return {
        "Name": "statuary",
        "CorsConfig": {
            "AccessControlAllowOrigins": _make_items_object("*"),
            "AccessControlAllowHeaders": _make_items_object("*"),
            "AccessControlAllowMethods": _make_items_object("GET", "HEAD", "OPTIONS"),
            "AccessControlAllowCredentials": False,
            "OriginOverride": True,
        },
        "SecurityHeadersConfig": {
            "ContentSecurityPolicy": {
                "Override": True,
                "ContentSecurityPolicy": CONTENT_SECURITY_POLICY,
            },
            "ContentTypeOptions": {"Override": True},
            "FrameOptions": {"Override": True, "FrameOption": "DENY"},
            "ReferrerPolicy": {"Override": True, "ReferrerPolicy": "no-referrer"},
        },
    }


def make_custom_error_responses() -> dict[str, object]:
    """Return the CloudFront setting for missing files, as JSON.

    With it, CloudFront responds with 404, where S3 responds with 403 or 404.
    """
    page = f"/{NOT_FOUND_JSON.path()}"
    items = [
        {"ErrorCode": code, "ResponsePagePath": page, "ResponseCode": "404", "ErrorCachingMinTTL": 10}
        for code in (403, 404)
    ]
    return {"Quantity": len(items), "Items": items}


def _make_items_object(*items: str) -> dict[str, object]:
    return {"Quantity": len(items), "Items": list(items)}


def make_deno_files(options: HostOptions) -> list[HostFile]:
    """Make the files for Deno: `deno.json` and the edge program."""
    tasks = {"serve": make_deno_serve_command(options)}
    return [HostFile("deno.json", format_json_file({"tasks": tasks})), *make_edge_module_files(options)]


def make_deno_serve_command(options: HostOptions) -> str:
    """Return the shell command that serves the site with Deno.

    Run it in the folder of the project.
    """
    address, _, port = (options.edge or "127.0.0.1:8001").rpartition(":")
    return (
        f"deno serve --allow-read={options.publish} --host={address} --port={port} "
        f"{EDGE_FOLDER}/modules/deno-serve.js {options.publish}"
    )


class Host(NamedTuple):
    """A service or program that can serve a site, and its configuration.

    `steps` are sentences that tell the user what to do next.
    """

    description: str  # the files that are written for the host, as a phrase
    files: Callable[[HostOptions], list[HostFile]]
    steps: tuple[str, ...]  # what a person does once the files are written, one sentence each
    site_files: HostingPlatform | None = None
    """The platform whose files the site must contain, so `hosting.files` in site.yaml has to list it."""
    runs_edge_module: bool = False


def make_github_pages_files(options: HostOptions) -> list[HostFile]:
    """Make the GitHub workflow that deploys a site to GitHub Pages.

    If the site has a transparency log, a script that stores the log is returned too.
    """
    workflow = render_config("github-pages.yml.jinja", options=options)
    return [HostFile(".github/workflows/site.yml", workflow), *make_log_script_files(options)]


def make_vercel_files(options: HostOptions) -> list[HostFile]:
    """Make the configuration of Vercel, `vercel.json`.

    The paths have the syntax of path-to-regexp, where a star is `(.*)`.
    """
    configuration = {
        "$schema": "https://openapi.vercel.sh/vercel.json",
        "buildCommand": options.build_command,
        "outputDirectory": options.publish,
        "headers": [
            {
                "source": rule.glob.replace("*", "(.*)"),
                "headers": [{"key": name, "value": value} for name, value in rule.headers.items()],
            }
            for rule in make_header_rules(options.enabled)
        ],
        "redirects": [
            {
                "source": INTERNAL_FILES_RULE[0].replace("*", "(.*)"),
                "destination": INTERNAL_FILES_RULE[1],
                "statusCode": 302,
            }
        ],
        "rewrites": [
            {
                "source": f"/{API_PAGE.link()}",
                "has": [{"type": "query", "key": "module"}],
                "destination": f"/{NO_EXPLORER_API.path()}",
            },
            *(
                {"source": requested.replace("*", "(.*)"), "destination": served.replace(":splat", "$1")}
                for requested, served in make_server_rewrites()
            ),
        ],
    }
    return [HostFile("vercel.json", format_json_file(configuration)), *make_log_script_files(options)]


COMMIT = "Commit what the host needs, and push it: `git add {files} && git commit -m Deploy && git push`."
SET_URL = "Set page.url in site.yaml to the address of the site."

HOSTS: dict[str, Host] = {
    "netlify": Host(
        "netlify.toml, a plugin that keeps the build, and the edge function",
        make_netlify_files,
        (
            SET_URL,
            COMMIT,
            "In Netlify, choose `Add new project`, `Import an existing project`, and this repository.",
        ),
        runs_edge_module=True,
    ),
    "cloudflare": Host(
        "wrangler.jsonc of a Worker with static assets, and the edge module",
        make_worker_files,
        (
            SET_URL,
            COMMIT,
            "Build the site: `statuary build`.",
            "Deploy it: `npx wrangler deploy` (log in with `npx wrangler login` first).",
        ),
        site_files=HostingPlatform.CLOUDFLARE,
        runs_edge_module=True,
    ),
    "cloudflare-pages": Host(
        "the function of a Pages project",
        make_cloudflare_pages_files,
        (
            SET_URL,
            COMMIT,
            "Build the site: `statuary build`.",
            "Deploy it: `npx wrangler pages deploy build` (log in with `npx wrangler login` first).",
        ),
        site_files=HostingPlatform.CLOUDFLARE,
        runs_edge_module=True,
    ),
    "deno": Host(
        "deno.json with a task that serves the site",
        make_deno_files,
        ("Build the site: `statuary build`.", "Serve it: `deno task serve`."),
        runs_edge_module=True,
    ),
    "github-pages": Host(
        "a workflow that builds and deploys plain files",
        make_github_pages_files,
        (
            SET_URL,
            "On GitHub, open Settings, Pages, and choose `GitHub Actions` as the source.",
            COMMIT,
        ),
    ),
    "vercel": Host(
        "vercel.json, for plain files",
        make_vercel_files,
        (SET_URL, COMMIT, "In Vercel, choose `Add New`, `Project`, and this repository."),
    ),
    "nginx": Host(
        "the configuration of a server",
        make_nginx_files,
        (
            "Build the site and copy it to the folder that the configuration names as root.",
            "Copy the configuration to /etc/nginx/conf.d/statuary.conf.",
            "Run `nginx -t`, and then `systemctl reload nginx`.",
            "Schedule the next change of the status: `statuary next --as systemd`.",
        ),
    ),
    "caddy": Host(
        "a Caddyfile",
        make_caddy_files,
        (
            "Build the site and copy it to the folder that the Caddyfile names as root.",
            "Run `caddy validate`, and then `caddy reload`.",
            "Schedule the next change of the status: `statuary next --as systemd`.",
        ),
    ),
    "s3": Host(
        "an upload script for S3, and settings of CloudFront",
        make_s3_files,
        (
            "Build the site: `statuary build`.",
            "Upload it: `s3/upload.sh s3://<bucket>`.",
            "Give the CloudFront distribution the settings in cloudfront/.",
        ),
    ),
}
