"""Every command that reads the network, against servers that want to hold it up, fill it, lead it away or mislead it.

HOSTILE=20 tries each attack so often on each command, each time from another request on; by default one attack is
tried on each command.
"""

import os
import random
import re
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from statuary.domain.primitives import checksum_address
from support.edge_runtimes import served as server_process
from support.ethereum_node import ask, ethereum_node, send
from support.file_server import served
from support.hostile_servers import ATTACKS, Attack, HostileProxy, hasten, hostile_proxy
from support.imported_projects import FOUNDRY, chain, empty_site
from support.logs import KEY, LOGGED_SITE, logged
from support.sites import INCIDENT, NOW, SITE, path_of, record_of, write_files
from support.warm_commands import CRASHED, Outcome, WarmCommand, warm_up

ROUNDS = int(os.environ.get("HOSTILE", "0"))
LONGEST = 60
"""Seconds that a command may take; it waits 0.6 seconds for an answer here, and `conform` makes fifty requests."""

MOST_MEMORY = 700 << 20
"""Bytes of the largest process: a document of a mirror may have 256 MiB."""

FARE = checksum_address(chain()["contracts"]["foundry"]["Fare"]["address"])
ARTIFACT = FOUNDRY / "out/Fare.sol/Fare.json"
RECORD = path_of(1).replace("contracts/", "v2/contract/").removesuffix(".json")
STATUS = "api/v2/summary.json"

MIRROR_COMMANDS = {
    "snapshot verify": ["snapshot", "verify", "{url}/small"],
    "snapshot diff": ["snapshot", "diff", "{url}/small", "{root}/small.zip"],
    "snapshot create": ["snapshot", "create", "--from", "{url}/small", "{work}/new.zip"],
    "snapshot convert": ["snapshot", "convert", "{url}/site.zip", "{work}/new.tar.zst"],
    "extract": ["extract", "{url}", STATUS, "chains", "--to", "{work}/files"],
    "extract from a file": ["extract", "{url}/site.zip", STATUS, "--to", "{work}/files"],
    "publish": ["publish", "{url}/small", "--to", "{work}/copy"],
    "log prove": ["log", "prove", RECORD, "--from", "{url}"],
    "log verify": ["log", "verify", "{url}", "--public-key", KEY.public.text],
    "log history": ["log", "history", RECORD, "--from", "{url}"],
    "build": ["build", "--content", "{work}/content", "--out", "{work}/out", "--now", NOW],
}
SERVER_COMMANDS = {
    "conform": ["conform", "{url}"],
    "import statuspage": ["import", "statuspage", "{url}", "--content", "{work}/content", "--now", NOW],
    "import sourcify": ["import", "sourcify", "{url}", "--chain-id", "748463", "--content", "{work}/content"],
}
NODE_COMMANDS = {
    "contract add": [
        "contract",
        "add",
        ARTIFACT,
        "--address",
        FARE,
        "--rpc",
        "{url}",
        "--content",
        "{work}/content",
    ],
    "contract anchor": ["contract", "anchor", "--rpc", "{url}", "--content", "{work}/content", "--now", NOW],
}
VERIFIED = ("snapshot create", "snapshot convert", "extract", "extract from a file", "publish")
"""Commands whose outcome is the mirror's, or nothing."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published snapshot of a site with a log, with the file of the snapshot in it, and a small part of it below."""
    folder = tmp_path_factory.mktemp("hostile")
    content = write_files(
        folder / "content", LOGGED_SITE | {path_of(2): record_of(2), "incidents/a.yaml": INCIDENT}
    )
    logged(content, folder / "site")
    warm_up("snapshot", "create", "--from", folder / "site", folder / "site.zip", log=folder / "log")
    small = ["snapshot", "create", "--from", folder / "site", "--only", "contracts", folder / "small.zip"]
    publish = ["publish", folder / "site.zip", "--to", folder / "mirror"]
    publish_small = ["publish", folder / "small.zip", "--to", folder / "mirror/small"]
    for command in (small, publish, publish_small):
        done = WarmCommand(folder / "log", *command).wait()
        assert done.code == 0, done.output
    (folder / "mirror/site.zip").write_bytes((folder / "site.zip").read_bytes())
    return folder


@pytest.fixture(scope="module")
def mirror(root: Path):
    """Its server behind a hostile proxy."""
    with served(root / "mirror") as (url, _), hostile_proxy(urlsplit(url).port) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def server(root: Path):
    """`statuary serve` behind a hostile proxy: it takes queries."""
    command = [sys.executable, "-m", "statuary", "serve", "--port", "0", "--at", NOW, str(root / "site")]
    with (
        server_process(command, r"at http://127\.0\.0\.1:(\d+)/") as running,
        hostile_proxy(running.port) as proxy,
    ):
        yield proxy


@pytest.fixture(scope="module")
def node():
    """A real node behind a hostile proxy, with a contract on its chain."""
    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        for _ in range(3):
            ask(url, "evm_mine")
        with hostile_proxy(urlsplit(url).port) as proxy:
            yield proxy


class Trials:
    """A command, run against a proxy repeatedly, each time in a new folder."""

    def __init__(
        self, name: str, arguments: list[object], root: Path, proxy: HostileProxy, folder: Path
    ) -> None:
        self.name, self.root, self.proxy, self.folder = name, root, proxy, folder
        self.arguments = [str(argument) for argument in arguments]
        self.number = self.memory = 0
        self.seconds = 0.0

    def run(self, attack: Attack | None = None, begins: int = 0) -> tuple[Outcome, dict[str, bytes]]:
        """Run it; return how it ended, and the files that it left."""
        self.number += 1
        work = self.folder / str(self.number)
        self._prepare(work)
        self.proxy.set(attack, begins)
        done = self._run(work, self.arguments)
        files = (file for file in work.rglob("*") if file.is_file() and ".statuary" not in file.parts)
        return done, {file.relative_to(work).as_posix(): file.read_bytes() for file in files}

    def _prepare(self, work: Path) -> None:
        self.proxy.set()
        work.mkdir()
        if self.name.startswith("contract"):
            empty_site(work)
        if self.name == "contract anchor":
            assert self._run(work, list(map(str, NODE_COMMANDS["contract add"]))).code == 0
        if self.name == "build":
            log = f"log:\n  origin: {KEY.name}\n  url: {self.proxy.url}\n"
            write_files(work / "content", LOGGED_SITE | {"site.yaml": SITE + log})
        if self.name.startswith("import"):
            write_files(work / "content", {"site.yaml": SITE})

    def _run(self, work: Path, arguments: list[str]) -> Outcome:
        def prepare() -> None:
            hasten()
            os.environ |= {"STATUARY_STATE": str(work / "state"), "STATUARY_LOG_KEY": KEY.text}

        places = {"{url}": self.proxy.url, "{root}": str(self.root), "{work}": str(work)}
        for place, value in places.items():
            arguments = [argument.replace(place, value) for argument in arguments]
        return WarmCommand(self.folder / "log", *arguments, prepare=prepare).wait()


def harm(trials: Trials, attack: str, begins: int, good: dict[str, bytes]) -> list[str]:
    """Attack a command from a request on; return what went wrong."""
    began = time.monotonic()
    done, files = trials.run(ATTACKS[attack], begins)
    trials.seconds, trials.memory = (
        max(trials.seconds, time.monotonic() - began),
        max(trials.memory, done.memory),
    )
    found = []
    if done.code not in (0, 1, 3) or "Traceback" in done.output or done.code == CRASHED:
        found.append(f"ends with {done.code}: {done.output[-1500:]}")
    if (took := time.monotonic() - began) > LONGEST:
        found.append(f"takes {took:.0f} s")
    if trials.proxy.secrets:
        found.append("asks the private network")
    if re.search(r"[\x00-\x08\x0b-\x1f]|^::", done.output.replace("\r", ""), re.MULTILINE):
        found.append(f"prints control characters: {done.output[-500:]!r}")
    if done.memory > MOST_MEMORY:
        found.append(f"takes {done.memory >> 20} MiB")
    if trials.name in VERIFIED and (done.code == 0 or files) and files != good:
        found.append(
            f"leaves other files: {sorted(path for path in files | good if files.get(path) != good.get(path))}"
        )
    return [f"{trials.name}, {attack}, from request {begins}: {one}" for one in found]


def attacked(trials: Trials) -> None:
    """Try attacks on a command, each from a random request on."""
    done, good = trials.run()
    assert done.code == 0, f"{done.code} {done.output}"
    requests, dice = trials.proxy.answered, random.Random(trials.name)
    assert requests
    names = [*ATTACKS] * ROUNDS or [dice.choice([*ATTACKS])]
    wrong = []
    for attack in names:
        wrong += harm(trials, attack, dice.randrange(requests), good)
    print(
        f"{trials.name}: {len(names)} attacks, at most {trials.seconds:.1f} s and {trials.memory >> 20} MiB"
    )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", MIRROR_COMMANDS)
def test_a_mirror_that_turns_hostile(name, root, mirror, tmp_path):
    attacked(Trials(name, MIRROR_COMMANDS[name], root, mirror, tmp_path))


@pytest.mark.parametrize("name", SERVER_COMMANDS)
def test_a_deployment_that_turns_hostile(name, root, server, tmp_path):
    attacked(Trials(name, SERVER_COMMANDS[name], root, server, tmp_path))


@pytest.mark.parametrize("name", NODE_COMMANDS)
def test_a_node_that_turns_hostile(name, root, node, tmp_path):
    attacked(Trials(name, NODE_COMMANDS[name], root, node, tmp_path))
