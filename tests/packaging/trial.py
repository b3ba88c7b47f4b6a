"""The first five minutes, done and timed: from nothing to a page in a browser, and to a deployed folder for every host.

    PYTHONPATH=tests python tests/packaging/trial.py [clone] [wheel] [outage] [HOST ...]

VERCEL_CLI names a folder in which npm has installed `vercel` and `node@22`; without it, Vercel's files are not tried.

Everything runs as a new user would, with an empty home folder, and is printed as tables of Markdown. A host's own build is
run in a fresh clone of the project, with the command that `statuary hosting` wrote for it.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import NamedTuple
from urllib.request import urlopen

import yaml

from statuary.extensions.hosting.hosts import HOSTS

CHECKOUT = Path(__file__).parents[2]
VENV = "python3 -m venv .venv && . .venv/bin/activate"
INIT = 'statuary init --name "Example Network" --url https://status.example.org --component "rpc=Public RPC"'


class Step(NamedTuple):
    """Something that a person types, what it costs and what is there then.

    Attributes:
        seconds: by the clock, which other programs of the machine slow down.
        cpu: seconds of processors.
    """

    typed: str
    seconds: float
    cpu: float
    then: str = ""


class Person:
    """Somebody at a shell in a folder, with an empty home."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        left_out = {"PYTHONPATH", "VIRTUAL_ENV", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "SOURCE_DATE_EPOCH"}
        names = {
            f"GIT_{who}_{what}": f"{what.lower()}@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        self.environment = kept | names | {"HOME": str(home), "PYTHONUNBUFFERED": "1"}
        self.steps: list[Step] = []

    def type(self, command: str, shown: str = "", then: str = "") -> str:
        """Run a command, which may activate an environment for the later ones, and return what it prints."""
        began, cpu = perf_counter(), spent()
        done = self.start(f"{command}\npwd", stdout=subprocess.PIPE)
        output, _ = done.communicate()
        if done.returncode:
            sys.exit(f"{command}\n{output}")
        self.folder = Path(output.rstrip().rpartition("\n")[2])
        self.steps.append(Step(shown or command, perf_counter() - began, spent() - cpu, then))
        return output

    def start(self, command: str, **options: object) -> "subprocess.Popen[str]":
        """Start a command in the folder."""
        activated = self.folder / ".venv/bin"
        path = f"{activated}:{self.environment['PATH']}" if activated.is_dir() else self.environment["PATH"]
        return subprocess.Popen(  # type: ignore[call-overload]
            ["bash", "-ec", command],
            cwd=self.folder,
            env=self.environment | {"PATH": path},
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )

    def look(self, site: str) -> None:
        """Serve a site and open its first page, in Chromium if it is there."""
        began, cpu = perf_counter(), spent()
        command = f"statuary serve {site} --port 0"
        with self.start(f"exec {command}", stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            try:
                url = next(
                    found[0] for line in server.stdout if (found := re.search(r"http://[\w.:]+/", line))
                )
                page, browser = first_page(url)
            finally:
                seconds = perf_counter() - began
                server.terminate()
        assert 'id="component-' in page, page[:1000]
        self.steps.append(Step(f"statuary serve {site}", seconds, spent() - cpu, f"the page in {browser}"))


def spent() -> float:
    """Return the processor time of the programs that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def first_page(url: str) -> tuple[str, str]:
    """Return a page and what opened it."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        with urlopen(url, timeout=30) as response:
            return response.read().decode(), "a client (no Chromium here)"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom"]
        done = subprocess.run([chromium, *options, url], check=True, capture_output=True, text=True)
    return done.stdout, "Chromium"


@contextmanager
def person(name: str) -> Iterator[Person]:
    """Return a user in an empty folder, with another empty folder as home."""
    with tempfile.TemporaryDirectory(prefix=f"statuary-trial-{name}-") as folder:
        (home := Path(folder, "home")).mkdir()
        (work := Path(folder, "work")).mkdir()
        yield Person(work, home)


def from_clone() -> list[Step]:
    """From nothing to this repository's own site in a browser."""
    with person("clone") as user:
        user.type(f"git clone -q {CHECKOUT} statuary && cd statuary", "git clone URL statuary && cd statuary")
        user.type(VENV)
        user.type("pip install -q -e .")
        user.type("statuary build", then="the site of `content/` in `build/`")
        user.look("build")
        return user.steps


def from_wheel(wheel: Path) -> list[Step]:
    """From nothing to a site of one's own in a browser."""
    with person("wheel") as user:
        install(user, wheel)
        user.type("statuary build", then="the site in `build/`")
        user.look("build")
        return user.steps


def install(user: Person, wheel: Path) -> None:
    """Do what comes before the first build."""
    user.type(VENV)
    user.type(f"pip install -q {wheel}", f"pip install {wheel.name}")
    user.type(INIT, then="`content/`")


def to_hosts(names: list[str], wheel: Path) -> Iterator[tuple[str, list[Step], int]]:
    """From nothing to the folder that each host serves; also how many steps are left to do at the host.

    The program is installed once, and its time counts for each host.
    """
    with person("hosts") as user:
        install(user, wheel)
        start, first = user.folder, user.steps
        for name in names:
            user.steps, user.folder = (
                list(first),
                Path(shutil.copytree(start, start.parent / name, symlinks=True)),
            )
            yield name, user.steps, to_host(name, user)


def to_host(name: str, user: Person) -> int:
    """Go from an installed program and new content to the host's folder; return how many steps are left."""
    written = user.type(f"statuary hosting {name} --out .")
    if setting := re.search(r"hosting: \{files: \[[\w-]+\]\}", written):
        user.type(f"echo '{setting[0]}' >> content/site.yaml")
    user.type(f"git init -q && {committed(written)}")
    project = user.folder
    if command := host_command(name, project):
        user.type(
            f"git clone -q {project} ../{name}-build && cd ../{name}-build", "(the host clones the project)"
        )
        user.type(command, "(the host builds)")
    else:
        user.type("statuary build")
    for path in ("index.html", "api/v2/summary.json", "history.html"):
        assert (user.folder / "build" / path).exists(), path
    return len(re.findall(r"^\d\. ", written, re.MULTILINE))


def committed(written: str) -> str:
    """Return the command with which a host's files are committed: the one that `statuary hosting` prints."""
    command = re.search(r"`(git add .+?) && git push`", written)
    return command[1].replace("commit ", "commit -q ") if command else "git add . && git commit -qm Start"


def host_command(name: str, project: Path) -> str:
    """Return the command that a host builds the site with; empty if it builds none."""
    if name == "netlify":
        return str(tomllib.loads((project / "netlify.toml").read_text())["build"]["command"])
    if name == "vercel":
        return str(json.loads((project / "vercel.json").read_text())["buildCommand"])
    if name == "github-pages":
        workflow = yaml.safe_load((project / ".github/workflows/site.yml").read_text())
        steps = workflow["jobs"]["site"]["steps"]
        runs = [step["run"] for step in steps if "statuary" in step.get("run", "")]
        return "export GITHUB_OUTPUT=/dev/null\n" + "\n".join(runs)
    return ""


EMULATED = {
    "netlify": "Netlify (`@netlify/dev`)",
    "cloudflare": "Cloudflare (`miniflare`)",
    "deno": "Deno",
    "nginx": "nginx",
    "caddy": "Caddy",
    "vercel": "Vercel (`vercel build`)",
    "s3": "S3 (`moto`)",
    "github-pages": "GitHub Pages",
}
"""The hosts that have a server or an emulator on this machine, by its name in tests/support: host_servers.py, rule_hosts.py."""

FIRST, OLD = "From an empty machine", "From an old Statuspage"


def outage_lines() -> dict[str, str]:
    """Return the command lines of the manual's page by what they begin with, and by host."""
    page = (CHECKOUT / "content/pages/manual/deploy/index.md").read_text("utf-8")
    lines = {
        title: page.partition(f"## {title}")[2].partition("```sh account\n")[2].partition("\n")[0]
        for title in (FIRST, OLD)
    }
    rows = re.findall(r"^\| ([\w ]+) \| `(.+)` \|$", page, re.MULTILINE)
    return lines | {name.lower().replace(" workers", "").replace(" ", "-"): line for name, line in rows}


def to_incident(first: str, host: str, wheel: Path) -> tuple[float, list[dict[str, object]]]:
    """Type the line, serve the result as the host does, and return the seconds until the page shows the incident, and its checks."""
    from support.host_servers import EMULATORS_LACK, SERVERS
    from support.rule_hosts import RULE_HOSTS

    serve, level = (SERVERS | RULE_HOSTS)[EMULATED[host]]
    local = outage_lines()[host].replace("'STATUARY[s3]'", f"'{wheel}[s3]'")
    for upload in (
        " && npx ",
        " && rsync ",
        " && deno ",
        " && git ",
        " && statuary publish ",
    ):  # what needs an account or another machine
        local = local.partition(upload)[0]
    with person("outage") as user:
        began = perf_counter()
        user.type(f"{first.replace('STATUARY', str(wheel))} && {local}")
        with serve(user.folder) as running:
            url = f"http://127.0.0.1:{running.port}"
            with urlopen(f"{url}/", timeout=60) as answer:
                assert "The RPC is down" in answer.read().decode()
            seconds = perf_counter() - began
            skipped = [part for check in EMULATORS_LACK.get(EMULATED[host], ()) for part in ("--skip", check)]
            command = [sys.executable, "-m", "statuary", "conform", url, "--level", level, "--format", "json"]
            done = subprocess.run([*command, *skipped], check=False, capture_output=True, text=True)
        return seconds, json.loads(done.stdout)["checks"]


def print_outage(wheel: Path) -> None:
    """Print the stopwatch of each host, and what `statuary conform` says of each deployment."""
    from support.json_server import serve_json

    saved = json.loads((CHECKOUT / "tests/packaging/old_statuspage.json").read_text("utf-8"))
    print(
        "## An outage tonight\n\n| host | from | lines | seconds | `conform` |\n|---|---|---:|---:|---|",
        flush=True,
    )
    with serve_json({f"/api/v2/{name}.json": document for name, document in saved.items()}) as old:
        lines = outage_lines()
        begins = {
            "an empty machine": lines[FIRST],
            "an old Statuspage": lines[OLD].replace("https://status.example.org", old.url),
        }
        for host in EMULATED:
            if host == "vercel" and "VERCEL_CLI" not in os.environ:
                continue  # it needs Node 22
            for title, line in begins.items():
                seconds, checks = to_incident(line, host, wheel)
                failed = [str(check["check"]) for check in checks if check["outcome"] == "failed"]
                passed = sum(check["outcome"] == "passed" for check in checks)
                told = f"{passed} passed" + (f", failed: {', '.join(failed)}" if failed else "")
                print(f"| {host} | {title} | 1 | {seconds:.0f} | {told} |", flush=True)


def print_steps(title: str, steps: list[Step]) -> None:
    """Print what is typed, and what each costs."""
    print(f"## {title}\n\n| you type | seconds | of a processor | |\n|---|---:|---:|---|")
    for step in steps:
        print(f"| `{step.typed}` | {step.seconds:.1f} | {step.cpu:.1f} | {step.then} |")
    print(f"| **{len(steps)} lines** | {totals(steps)} | |\n", flush=True)


def totals(steps: list[Step]) -> str:
    """Return the seconds of steps, by the clock and of a processor, as two cells."""
    return (
        f"{sum(step.seconds for step in steps):.1f} | {sum(step.cpu for step in steps):.1f}"
        if steps
        else "- | -"
    )


def main(wanted: list[str]) -> None:
    """Do what was asked for; everything without arguments."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(CHECKOUT)]
        subprocess.run(command, check=True)
        [wheel] = Path(folder).glob("*.whl")
        if not wanted or "clone" in wanted:
            print_steps("From a clone to its site in a browser", from_clone())
        if not wanted or "wheel" in wanted:
            print_steps("From nothing to your own site in a browser", from_wheel(wheel))
        if not wanted or "outage" in wanted:
            print_outage(wheel)
        hosts = [name for name in HOSTS if not wanted or name in wanted]
        if hosts:
            print("## From nothing to the folder that a host serves\n")
            print(
                "| host | lines | seconds | of a processor | the host's build | of a processor | steps left |"
            )
            print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
        for name, steps, left in to_hosts(hosts, wheel):
            here = [step for step in steps if not step.typed.startswith("(")]
            there = [step for step in steps if step.typed.startswith("(")]
            print(f"| {name} | {len(here)} | {totals(here)} | {totals(there)} | {left} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
