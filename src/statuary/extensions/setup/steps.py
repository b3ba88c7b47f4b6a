"""The steps that are left to do by hand after setup."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from statuary.extensions.hosting.host_files import LOG_REMOTE, HostOptions
from statuary.extensions.setup.files import DEPLOYS, REBUILDS, SERVERS, SetupAnswers

SECRETS_PAGE: Final = "Settings, Secrets and variables, Actions"


class SetupResult(NamedTuple):
    """The values on which the remaining manual steps depend."""

    answers: SetupAnswers
    options: HostOptions
    committed_names: str  # the files to commit, quoted for a shell
    branch_commits: bool  # whether the project is a git repository
    knows_author: bool  # whether git knows who commits
    repository: str  # the URL that `git clone` takes; empty if the project has no remote
    build_secrets: list[str]  # the names of the variables that a build needs
    channel_secrets: list[str]  # the names of the variables that notifications need

    @property
    def domain(self) -> str:
        """The host name in the site's URL, such as `status.example.org`."""
        return urlsplit(self.answers.url).hostname or ""


def list_owner_steps(result: SetupResult) -> list[str]:
    """Return the steps that the owner does by hand after the set-up.

    Each step is a text for the terminal, such as how to set a secret.
    """
    host = result.answers.host
    platform = (_iter_repository_steps, _iter_secret_steps, _iter_push_steps, *HOST_STEPS[host].steps)
    parts = (_iter_repository_steps, _iter_push_steps, _iter_server_steps) if host in SERVERS else platform
    steps = [step for part in parts for step in part(result)]
    steps += [*_iter_domain_steps(result), *_iter_people_steps(result)]
    return [*steps, f"When {result.answers.url} is online, test it: `statuary conform {result.answers.url}`."]


def _iter_secret_steps(result: SetupResult) -> Iterator[str]:
    host = result.answers.host
    # Netlify and Vercel build the site themselves. So the user has to enter the secrets of the build there,
    # and not at GitHub.
    secrets = [*(() if host in REBUILDS else result.build_secrets), *result.channel_secrets]
    if host in DEPLOYS:
        secrets = list(dict.fromkeys([*DEPLOYS[host].secrets, *secrets]))
    if HOST_STEPS[host].credentials:
        yield HOST_STEPS[host].credentials
    if secrets:
        yield _format_secrets_step(secrets)


def _format_secrets_step(names: Sequence[str]) -> str:
    commands = ", ".join(f"`gh secret set {name}`" for name in names)
    noun = "secret" if len(names) == 1 else "secrets"
    return f"On GitHub, add the {noun} {', '.join(names)}: {SECRETS_PAGE}. On the command line: {commands}."


def _iter_repository_steps(result: SetupResult) -> Iterator[str]:
    if not result.knows_author:
        yield (
            'Tell git who you are: `git config --global user.name "YOUR NAME"` and '
            "`git config --global user.email YOU@EXAMPLE.ORG`."
        )
    if not result.repository:
        yield "On GitHub, create an empty repository, and copy its URL."


def _iter_push_steps(result: SetupResult) -> Iterator[str]:
    commit = f"git add {result.committed_names} && git commit -m Deploy"
    if not result.branch_commits:
        commit = f"git init -b {result.options.branch} && {commit}"
    if not result.repository:
        commit += f" && git remote add origin URL && git push -u origin {result.options.branch}"
    else:
        commit += f" && git push origin {result.options.branch}"
    yield f"Commit what the host needs, and push it: `{commit}`."


def _iter_github_pages_steps(_: SetupResult) -> Iterator[str]:
    yield (
        "On GitHub, open Settings, Pages, and choose `GitHub Actions` as the source. If the first run of `Site` failed before "
        "that, open Actions, Site, and choose `Run workflow`."
    )


def _iter_import_steps(result: SetupResult) -> Iterator[str]:
    host = result.answers.host
    yield f"In {host.title()}, choose {HOST_STEPS[host].import_menu}, and this repository. Leave all settings as they are."


def _iter_hook_steps(result: SetupResult) -> Iterator[str]:
    host = result.answers.host
    for name in result.build_secrets:
        yield f"In {host.title()}, add the environment variable {name} ({HOST_STEPS[host].variables_page}), and deploy again."
    if result.options.has_log:
        yield (
            f"Keep the log where no lost cache can lose it: add the variable {LOG_REMOTE} there too, with the address of this repository "
            "and a token that may push to it: https://x-access-token:TOKEN@github.com/OWNER/REPOSITORY.git"
        )
    yield (
        f"Let the schedule start builds: in {host.title()}, create a {REBUILDS[host].hook} for the branch "
        f"{result.options.branch} ({HOST_STEPS[host].hooks_page}), and copy its URL."
    )
    yield f"{_format_secrets_step(['BUILD_HOOK'])} Its value is that URL."


def _iter_run_steps(result: SetupResult) -> Iterator[str]:
    yield f"Open Actions, Site: the run publishes the site, and so does every push to {result.options.branch}."


def _iter_s3_steps(_: SetupResult) -> Iterator[str]:
    yield "Create a CloudFront distribution whose origin is the bucket, and give it the settings in cloudfront/."


DENO_INSTALLATION: Final = "https://docs.deno.com/runtime/getting_started/installation/"


def _iter_server_steps(result: SetupResult) -> Iterator[str]:
    answers, options = result.answers, result.options
    clone, root = answers.clone, options.root
    yield (
        "On the server, as root, install what the next steps need. On Debian and Ubuntu:\n"
        f"apt install {HOST_STEPS[answers.host].packages}"
    )
    if answers.host == "deno":
        yield f"Install Deno where all users find it, such as /usr/local/bin: {DENO_INSTALLATION}"
    yield (
        "Make a user, clone the project and install statuary:\n"
        "useradd --system --home-dir /var/lib/statuary --shell /usr/sbin/nologin statuary\n"
        f"install --directory --owner statuary {clone} {root}\n"
        f"runuser -u statuary -- git clone --branch {options.branch} {result.repository or 'URL'} {clone}\n"
        f"cd {clone} && python3 -m venv /opt/statuary && /opt/statuary/bin/pip install {options.install}"
    )
    if result.channel_secrets or result.build_secrets:
        names = [*result.build_secrets, *result.channel_secrets]
        lines = " ".join(f"{name}=…" for name in names)
        yield f"Write the secrets into /etc/statuary.env, a line each, and run `chmod 600 /etc/statuary.env`: {lines}."
    if answers.host == "deno":
        yield (
            "Write the edge module, and start it and the timer:\n"
            f"cd {clone} && /opt/statuary/bin/statuary hosting deno --edge-only --out .\n"
            "cp systemd/* /etc/systemd/system/ && systemctl daemon-reload\n"
            "systemctl enable --now statuary-site.timer statuary-edge.service\n"
            f"Then put nginx or Caddy in front of it: `statuary setup nginx --edge {options.edge or '127.0.0.1:8001'}`."
        )
        return
    yield (
        "Start the timer. Every five minutes, it fetches what you pushed, and builds the site:\n"
        f"cp {clone}/systemd/* /etc/systemd/system/ && systemctl daemon-reload\n"
        "systemctl enable --now statuary-site.timer"
    )
    if answers.host == "nginx":
        yield (
            "Let nginx serve the site:\n"
            f"cp {clone}/statuary.conf /etc/nginx/conf.d/ && nginx -t && systemctl reload nginx"
        )
    else:
        yield (
            "Let Caddy serve the site, beside the sites that it has:\n"
            f"cp {clone}/Caddyfile /etc/caddy/statuary.caddy && echo 'import statuary.caddy' >> /etc/caddy/Caddyfile\n"
            "caddy validate --config /etc/caddy/Caddyfile && systemctl reload caddy"
        )


PROVIDED_DOMAINS: Final = (".github.io", ".netlify.app", ".vercel.app", ".workers.dev", ".pages.dev")
"""The endings of the host names that hosts give to sites."""


def _iter_domain_steps(result: SetupResult) -> Iterator[str]:
    host, domain = result.answers.host, result.domain
    if domain.endswith(PROVIDED_DOMAINS):
        return
    if host in SERVERS:
        yield f"At your DNS provider, point {domain} to the server: an A record, and an AAAA record if it has IPv6."
        if host == "nginx":
            yield f"Then get a certificate, which certbot renews: `certbot --nginx -d {domain}` on the server."
        return
    yield f"Point {domain} to the site: {HOST_STEPS[host].domain}."


def _iter_people_steps(result: SetupResult) -> Iterator[str]:
    answers = result.answers
    if result.channel_secrets:
        test = "open Actions, Notify, and choose `Run workflow`"
        if answers.host in SERVERS:
            test = (
                "run `systemd-run --pty --uid=statuary --property=EnvironmentFile=/etc/statuary.env "
                f"--working-directory={answers.clone} /opt/statuary/bin/statuary notify --test` on the server"
            )
        yield f"Send a test message to every channel: {test}. It names a secret that is missing or wrong."
    if answers.has_form:
        yield "Show people without git the form: Actions, Status form, `Run workflow`. They need write access to the repository."
    if answers.has_alerts:
        yield (
            "Deploy alert.js to Cloudflare Workers or Deno Deploy, with the variables ALERT_KEY (a secret that your alerting tool sends "
            "as `Authorization: Bearer …`), GITHUB_REPOSITORY (OWNER/NAME) and GITHUB_TOKEN (fine-grained, with write access to the "
            "contents of this repository). On GitHub, open Settings, Actions, General, and allow GitHub Actions to create pull requests."
        )


class HostSteps(NamedTuple):
    """The manual steps at a host.

    A text is empty if the host does not need the step.
    """

    domain: str = ""  # how to point a domain to the site
    steps: tuple[Callable[[SetupResult], Iterator[str]], ...] = ()  # further steps
    credentials: str = ""  # how to get the secrets of the deployment
    import_menu: str = ""  # for a host that builds: the place where a repository is imported
    variables_page: str = ""  # for a host that builds: the place where variables are set
    hooks_page: str = ""  # for a host that builds: the place where a build hook is made
    packages: str = ""  # for a server: the Debian packages that the steps need


CLOUDFLARE_CREDENTIALS: Final = "In Cloudflare, create an API token from the template `Edit Cloudflare Workers`, and copy the id of your account."

HOST_STEPS: Final[Mapping[str, HostSteps]] = {
    "github-pages": HostSteps(
        "a CNAME record with OWNER.github.io. Then write it under Settings, Pages, Custom domain, save, and choose `Enforce HTTPS`",
        (_iter_github_pages_steps,),
    ),
    "netlify": HostSteps(
        "open Domain management, `Add a domain` in Netlify, and create the record that it shows; it obtains the certificate",
        (_iter_import_steps, _iter_hook_steps),
        import_menu="`Add new project`, `Import an existing project`",
        variables_page="Project configuration, Environment variables",
        hooks_page="Project configuration, Developer settings, Continuous deployment, Build hooks",
    ),
    "vercel": HostSteps(
        "open Settings, Domains in Vercel, add it, and create the record that it shows; it obtains the certificate",
        (_iter_import_steps, _iter_hook_steps),
        import_menu="`Add New`, `Project`",
        variables_page="Settings, Environment Variables",
        hooks_page="Settings, Git, Deploy Hooks",
    ),
    "cloudflare": HostSteps(
        "open your Worker, Settings, Domains & Routes, Add, Custom Domain; Cloudflare makes the record and the certificate",
        (_iter_run_steps,),
        CLOUDFLARE_CREDENTIALS,
    ),
    "cloudflare-pages": HostSteps(
        "open your project, Custom domains, `Set up a custom domain`; Cloudflare makes the record and the certificate",
        (_iter_run_steps,),
        CLOUDFLARE_CREDENTIALS,
    ),
    "s3": HostSteps(
        "a CNAME record with the name of the distribution, which needs a certificate of AWS Certificate Manager in us-east-1",
        (_iter_run_steps, _iter_s3_steps),
    ),
    "nginx": HostSteps(packages="git python3-venv nginx certbot python3-certbot-nginx"),
    "caddy": HostSteps(packages="git python3-venv caddy"),
    "deno": HostSteps(packages="git python3-venv"),
}
"""The hosts of `statuary setup`, each with what is left to do there by hand."""
