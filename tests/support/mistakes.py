"""Typical mistakes in YAML, options, folders and networks, and what two versions of statuary say of them.

PYTHONPATH=tests python tests/support/mistakes.py CHECKOUT_BEFORE [CHECKOUT_AFTER]

prints a table of Markdown. `tests/packaging/test_mistakes.py` asserts what this version says.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import yaml

from support.bad_inputs import CASES
from support.json_server import serve_json
from support.requirements import CHECKOUT
from support.sites import SMALL_SITE, git, write_files

EPOCH = "1795168800"
"""2026-11-20T10:00:00Z, as the environment gives it."""


class Mistake(NamedTuple):
    """What a person does in a folder whose `content` is in order.

    Attributes:
        typed: the arguments of statuary; SERVER is the address of a server that sends what no client expects.
        files: what is different in the folder; None removes a file.
    """

    kind: str
    typed: str
    files: Mapping[str, str | bytes | None] = MappingProxyType({})


def in_content(files: dict[str, str | bytes | None]) -> dict[str, str | bytes | None]:
    return {f"content/{path}": text for path, text in files.items()}


YAML = [
    "tab indentation",
    "wrong indentation",
    "colon in a plain text",
    "open quote",
    "duplicate key",
    "merge key",
    "two documents",
    "not utf-8",
    "unknown key",
    "missing name",
    "missing updates",
    "missing instant",
    "status misspelled",
    "component status misspelled",
    "time without offset",
    "no such day",
    "flag in words",
    "components as a list",
    "page url without scheme",
    "no site.yaml",
]

SITE = str(SMALL_SITE["site.yaml"])
COMPONENT = "--component rpc=major_outage"
SCHEDULE = "maintenance schedule --name Upgrade --component rpc --body Work"
A = "0x0000000000000000000000000000000000000001"

MISTAKES: dict[str, Mistake] = {
    **{name: Mistake("YAML", "check", in_content(CASES[name])) for name in YAML},
    "a name that is `yes`": Mistake(
        "YAML", "check", {"content/site.yaml": SITE.replace("name: Plinth\n", "name: yes\n", 1)}
    ),
    "`pages` for `page`": Mistake("YAML", "check", {"content/site.yaml": SITE.replace("page:", "pages:", 1)}),
    "a key of `pages` below `page`": Mistake(
        "YAML", "check", {"content/site.yaml": SITE.replace("page:", "page:\n  language: de", 1)}
    ),
    "one URL for a list": Mistake(
        "YAML", "check", {"content/site.yaml": f"{SITE}    rpc: https://rpc.example\n"}
    ),
    "RPC for rpc in a file": Mistake(
        "YAML",
        "check",
        {"content/incidents/slow.yaml": str(SMALL_SITE["incidents/slow.yaml"]).replace("rpc:", "RPC:")},
    ),
    "a URL without https": Mistake("options", "init --content new --url status.example.org"),
    "a chain by name": Mistake("options", "init --content new --chain-id mainnet"),
    "a component without a name": Mistake("options", "init --content new --component rpc"),
    "an unknown kind of page": Mistake("options", "init --content new --from statuspag https://s.example"),
    "a command misspelled": Mistake("options", "buld"),
    "an option misspelled": Mistake("options", "build --outt site"),
    "an instant in words": Mistake("options", "build --now yesterday"),
    "an instant without a time": Mistake("options", "build --now 2026-11-02"),
    "no name": Mistake("options", f"incident open {COMPONENT}"),
    "an unknown component": Mistake("options", "incident open --name Slow --component explorr=major_outage"),
    "an unknown status of a component": Mistake("options", "incident open --name Slow --component rpc=down"),
    "a group": Mistake("options", "incident open --name Slow --component network=major_outage"),
    "an unknown incident": Mistake("options", "incident resolve 2026-11-19-slow"),
    "resolved twice": Mistake("options", "incident resolve slow"),
    "an update without anything": Mistake("options", "incident update slow"),
    "an end before the start": Mistake(
        "options",
        f"{SCHEDULE} --scheduled-for 2026-12-01T22:00:00Z --scheduled-until 2026-12-01T21:00:00Z",
    ),
    "a duration in words": Mistake(
        "options", f"{SCHEDULE} --scheduled-for 2026-12-01T22:00:00Z --duration hour"
    ),
    "no status": Mistake("options", "component set rpc"),
    "a host misspelled": Mistake("options", "hosting ngix"),
    "a host by half its name": Mistake("options", "setup github"),
    "a domain that is a URL": Mistake("options", "hosting nginx --domain https://status.example.org"),
    "an edge without a port": Mistake("options", "setup caddy --edge deno --yes"),
    "a command that a group lacks": Mistake("options", "component add faucet"),
    "a site without a scheme": Mistake("networks", "conform status.example.org"),
    "a status misspelled": Mistake("options", "incident update slow --status resloved"),
    "a place that is missing": Mistake("options", "publish build"),
    "a source file for an artifact": Mistake(
        "options", f"contract add A.sol --address {A}", {"A.sol": "contract A {}\n"}
    ),
    "an address that is too short": Mistake("options", "contract add A.json --address 0x1"),
    "no content": Mistake("folders", "build --content none"),
    "a contract without content": Mistake("folders", "contract anchor --content none"),
    "a file for the content": Mistake("folders", "check --content note.txt", {"note.txt": "x"}),
    "the site in the content": Mistake("folders", "build --out content/build"),
    "content that is there already": Mistake("folders", "init"),
    "a file for the site": Mistake("folders", "build --out note.txt", {"note.txt": "x"}),
    "no site to tick": Mistake("folders", "tick"),
    "no site to serve": Mistake("folders", "serve none --port 0"),
    "a commit of a changed file": Mistake("folders", "incident reopen slow --commit", {"touched": ""}),
    "a host's file that was edited": Mistake("folders", "hosting vercel --out .", {"vercel.json": "{}\n"}),
    "no site for a snapshot": Mistake("folders", "snapshot create --from none site.zip"),
    "a server that is down": Mistake("networks", "import statuspage http://127.0.0.1:9"),
    "a page that is no Statuspage": Mistake("networks", "import statuspage SERVER/html"),
    "a page that is not there": Mistake("networks", "import statuspage SERVER/none"),
    "a page that is private": Mistake("networks", "import statuspage SERVER/private"),
    "a URL without http": Mistake("networks", "import statuspage status.example.org"),
    "a node that is down": Mistake("networks", "contract anchor --rpc http://127.0.0.1:9"),
    "a deployment that is down": Mistake("networks", "conform http://127.0.0.1:9"),
    "a bucket without its name": Mistake("networks", "publish content --to s3://"),
}


def _read_mistakes() -> dict[str, Mistake]:
    """Return the mistakes of `typical_mistakes.yaml`."""
    rows = yaml.safe_load(Path(__file__).with_name("typical_mistakes.yaml").read_text("utf-8"))
    return {
        name: Mistake(
            row["kind"],
            row["typed"],
            {**({"content/site.yaml": SITE + row["site"]} if "site" in row else {}), **row.get("files", {})},
        )
        for name, row in rows.items()
    }


TYPICAL = _read_mistakes()
MISTAKES |= TYPICAL

SENT = {"/html/api/v2/summary.json": b"<!DOCTYPE html><title>Sign in</title>"}


@contextmanager
def project(mistake: Mistake) -> Iterator[tuple[Path, list[str], str]]:
    """Return a folder, what is typed in it, and the address of the server, which is SERVER in messages."""
    with tempfile.TemporaryDirectory() as folder, serve_json(SENT) as server:
        root = Path(folder)
        server.failures["/private/api/v2/summary.json"] += [401] * 9
        write_files(root / "content", dict(SMALL_SITE))
        write_files(root, {".gitignore": "/build/\n"})
        git(root, "init", "-q")
        git(root, "add", ".")
        git(root, "commit", "-qm", "Start")
        changes = dict(mistake.files)
        if "touched" in changes:
            changes = {"content/incidents/slow.yaml": f"{SMALL_SITE['incidents/slow.yaml']}# mine\n"}
        write_files(root, changes)
        yield root, mistake.typed.replace("SERVER", server.url).split(), server.url


def said(mistake: Mistake, checkout: Path) -> str:
    """Return what a checkout prints, with the exit code; of findings, without their number."""
    with project(mistake) as (folder, arguments, server):
        done = subprocess.run(
            [sys.executable, "-m", "statuary", *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(checkout / "src"), "SOURCE_DATE_EPOCH": EPOCH},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        text = f"{done.stdout}{done.stderr}".replace(server, "SERVER").replace(
            str(folder.resolve()), "FOLDER"
        )
        return f"exit code {done.returncode}\n{text.strip()}"


def cell(text: str) -> str:
    """Return lines as the content of a table's cell."""
    lines = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").splitlines()
    return f"<pre>{'<br>'.join(lines)}</pre>"


def main(before: Path, after: Path) -> None:
    """Print the table."""
    print("| | mistake | before | after |\n|---|---|---|---|")
    for name, mistake in MISTAKES.items():
        earlier, later = said(mistake, before), said(mistake, after)
        print(
            f"| {mistake.kind} | {name} | {cell(earlier)} | {'the same' if earlier == later else cell(later)} |"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() if sys.argv[2:] else CHECKOUT)
