"""What ends a command in the middle, or damages what it left: is every site whole after the next one?

    python tests/benchmarks/interrupted_sites.py CAMPAIGN ... [--times N] [--seed 1] [--command NAME ...]

Each campaign prints a row of a table: what was tried, how often, sites that were not whole, tracebacks, seconds. Any
site that is not whole is printed with its number and seed. `calls` needs strace, `calls` and `kills` take the named commands or all, `disks` needs root on Linux (it
mounts small file systems), `kills` publishes to moto where .ci/install-stores has installed it.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from statuary.cli.exit_codes import ExitCode
from support.damages import DAMAGES, damaged_ledger
from support.file_server import served
from support.interrupted_edits import CALLERS, EDITS, WEIGHTS, EditedContent
from support.interrupted_logs import LoggedSite, import_of, written
from support.interrupted_writes import WRITES, WrittenFiles
from support.object_stores import STORES, moto
from support.receivers import receiver
from support.sites import INCIDENT, NOW, files_in, path_of, record_of, site_of_many, write_files
from support.warm_commands import CRASHED, Outcome, WarmCommand, warm_up

LATER = "2026-11-21T22:30:00Z"
"""While the maintenance of the small site is in progress."""

CALLS = (
    "write,pwrite64,ftruncate,mkdir,rename,link,unlink,unlinkat,rmdir,utimensat,syncfs,sync,fsync,fdatasync"
)
"""The calls of the system with which a command changes a disk; SQLite's are among them."""


class Trials:
    """Two states of one site, and a folder that goes back and forth between them.

    Attributes:
        tracebacks: how many commands ended with one.
        bad: how many sites were not whole.
    """

    def __init__(self, root: Path, seed: int, count: int = 4) -> None:
        self.root, self.out, self.dice = root, root / "out", random.Random(seed)
        self.tracebacks = self.bad = 0
        self.spans: dict[str, float] = {}  # seconds that each command took lately
        self.imported: Mapping[str, bytes] = {}  # by an import that nobody disturbed
        self.logged, self.url = LoggedSite(root), ""  # a site with a log; the URL of an object store
        self.served = ""  # the URL of the second state
        self.edited: EditedContent
        self.writes = WrittenFiles(root, root / "undisturbed-0")
        self.contents = [site_of_many(root / name, count) for name in ("before", "after")]
        changed = {path_of(1): record_of(1).replace(b'"matchId":"', b'"matchId":"90'), path_of(2): None}
        new = {path_of(count + 1): record_of(count + 1), "incidents/slower.yaml": INCIDENT}
        write_files(self.contents[1], changed | new)
        warm_up(*self.build(0, root / "warm"), log=root / "log")
        self.wanted = [self._undisturbed(number, root / f"undisturbed-{number}") for number in (0, 1)]
        self.later = self._later(root / "undisturbed-0")
        self.snapshots = [self._snapshot(root / f"undisturbed-{number}") for number in (0, 1)]

    def _undisturbed(self, number: int, out: Path) -> dict[str, bytes]:
        assert self.run(*self.build(number, out)).code == 0
        return files_in(out)

    def _later(self, out: Path) -> dict[str, bytes]:
        assert self.run("tick", "--out", out, "--now", LATER).code == 0
        return files_in(out)

    def _snapshot(self, site: Path) -> dict[str, bytes]:
        assert self.run("snapshot", "create", "--from", site, site.with_suffix(".zip")).code == 0
        return {"site.zip": site.with_suffix(".zip").read_bytes()}

    def build(self, number: int, out: Path | None = None, *options: str) -> list[object]:
        """Return the command that builds one of the states."""
        content = self.contents[number]
        return [
            "build",
            "--content",
            content,
            "--out",
            out or self.out,
            "--now",
            NOW,
            "--workers",
            "1",
            *options,
        ]

    def run(self, *arguments: object, prepare: Callable[[], None] = lambda: None) -> Outcome:
        """Run a command to its end."""
        return self.ended(WarmCommand(self.root / "log", *arguments, prepare=prepare))

    def ended(self, command: WarmCommand) -> Outcome:
        """Wait for the end of a command, and look for a traceback."""
        return self.looked_at(command.wait())

    def looked_at(self, done: Outcome, what: str = "") -> Outcome:
        """Count a traceback."""
        if done.code == CRASHED or "Traceback" in done.output:
            self.tracebacks += 1
            print(f"traceback {what}:\n{done.output[-3000:]}", file=sys.stderr)
        return done

    def expect(self, wanted: dict[str, bytes], what: str, out: Path | None = None) -> None:
        """Compare a site with what it is to be."""
        found = files_in(out or self.out)
        if found != wanted:
            self.bad += 1
            differing = sorted(path for path in found | wanted if found.get(path) != wanted.get(path))
            print(f"not whole after {what}: {differing[:5]}", file=sys.stderr)

    def expect_one_of(self, states: list[dict[str, bytes]], what: str, out: Path) -> None:
        """Hold that a folder is as in one of some states."""
        if files_in(out) not in states:
            self.bad += 1
            print(f"neither old nor new after {what}: {sorted(files_in(out))}", file=sys.stderr)

    def note(self, fault: str, what: str) -> None:
        """Count a fault, unless there is none."""
        if fault:
            self.bad += 1
            print(f"after {what}: {fault}", file=sys.stderr)

    def expect_import(self, what: str, *, is_over: bool) -> None:
        """Hold that each imported file is whole, and that all are there once the import is over."""
        if not self.imported:
            assert self.run(*import_of(self.root, self.root / "imported whole")).code == 0
            self.imported = written(self.root / "imported whole")
        files = written(self.root / "imported")
        wanted = {path: body for path, body in self.imported.items() if is_over or path in files}
        if files != wanted:
            differing = sorted(path for path in files | wanted if files.get(path) != wanted.get(path))
            self.note(f"the import is not whole: {differing[:5]}", what)

    def expect_old_or_new(self, what: str, out: Path | None = None) -> None:
        """Hold that every file is that of one of the states."""
        for path, body in files_in(out or self.out).items():
            if body not in (self.wanted[0].get(path), self.wanted[1].get(path), self.later.get(path)):
                self.bad += 1
                print(f"neither old nor new after {what}: {path}", file=sys.stderr)


COPIES = ("publish snapshot", "mirror", "extract")
"""The commands that write a site into a new folder."""


def kills(trials: Trials, times: int, *commands: str) -> Iterator[str]:
    """Kill and stop the commands that write at random instants."""
    kinds = commands or CALLERS
    weights = [WEIGHTS.get(kind, min(WEIGHTS.values())) for kind in kinds]
    with _prepared(trials):
        for kind in {*kinds} & {*EDITS, *WRITES}:
            trials.run(*_command(trials, kind, 0))
            _expect_whole(trials, kind, 0, f"{kind} that nobody disturbed")
        for number in range(times):
            kind = trials.dice.choices(kinds, weights)[0]
            kind, state = "publish" if kind == "store" and not trials.url else kind, number % 2
            command = _command(trials, kind, state)
            sent = _kill_one(trials, f"{number} ({kind})", command)
            _expect_whole(trials, kind, state, f"kill {number} ({kind})")
            yield f"{kind}, {sent}"


def _command(trials: Trials, kind: str, state: int) -> list[object]:
    """Return the command to interrupt, with everything that it needs."""
    if kind in EDITS:
        trials.edited.begin()
        if kind == "notify":
            assert trials.run(*trials.edited.notify("2026-11-02T09:00:00Z")).code == 0
        return trials.edited.command(kind)
    if kind in WRITES:
        return trials.writes.begin(kind)
    site = trials.root / f"undisturbed-{state}"
    if kind == "tick":
        trials.run(*trials.build(0))
        return ["tick", "--out", trials.out, "--now", LATER]
    if kind == "log":
        return trials.logged.next_build()
    if kind == "import":
        shutil.rmtree(trials.root / "imported", ignore_errors=True)
        return import_of(trials.root, trials.root / "imported")
    (trials.root / "snapshots").mkdir(exist_ok=True)
    snapshot = ["snapshot", "create", "--from", site, "--allow-older", trials.root / "snapshots/site.zip"]
    store = ["publish", site, "--to", trials.url, "--lease-seconds", "12", "--wait", "120"]
    return {
        "build": trials.build(state),
        "publish": ["publish", trials.root / "undisturbed-1", "--to", trials.root / "copy"],
        "publish snapshot": ["publish", site.with_suffix(".zip"), "--to", _copy_of(trials, kind, state)],
        "mirror": ["mirror", trials.served, _copy_of(trials, kind, state)],
        "extract": ["extract", site.with_suffix(".zip"), "*", "--to", _copy_of(trials, kind, state)],
        "store": store,
        "snapshot": snapshot,
    }[kind]


def _copy_of(trials: Trials, kind: str, state: int) -> Path:
    """Return the new folder that a command writes a copy of a site into."""
    folder = trials.root / f"{kind}-{state}"
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _expect_whole(trials: Trials, kind: str, state: int, what: str) -> None:
    """Hold that the command that has ended, or the one after it, has done all of its work."""
    if kind in ("build", "tick"):
        trials.expect(trials.wanted[state] if kind == "build" else trials.later, what)
    elif kind == "publish":
        trials.expect(files_in(trials.root / "undisturbed-1"), what, trials.root / "copy")
    elif kind in COPIES:
        site = trials.root / f"undisturbed-{1 if kind == 'mirror' else state}"
        trials.expect(files_in(site), what, trials.root / f"{kind}-{state}")
    elif kind == "snapshot":
        trials.expect(trials.snapshots[state], what, trials.root / "snapshots")
    elif kind == "import":
        trials.expect_import(what, is_over=True)
    elif kind == "log":
        trials.note(trials.logged.fault(is_over=True), what)
    elif kind in EDITS:
        trials.note(trials.edited.fault(kind, is_over=True), what)
    elif kind in WRITES:
        trials.note(trials.writes.fault(kind, is_over=True), what)
    else:
        _expect_in_store(trials, trials.root / f"undisturbed-{state}", what)


def _kill_one(trials: Trials, what: str, command: list[object]) -> str:
    kind = what.partition("(")[2].rstrip(")")
    sent = trials.dice.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
    running = WarmCommand(trials.root / "log", *command)
    time.sleep(trials.dice.uniform(0, trials.spans.get(kind, 0.5)))
    running.send(sent)
    trials.ended(running)
    trials.expect_old_or_new(what)
    if kind == "log":
        trials.note(trials.logged.fault(is_over=False), what)
    if kind == "import":
        trials.expect_import(what, is_over=False)
    if kind in EDITS:
        trials.note(trials.edited.fault(kind, is_over=False), what)
    if kind in WRITES:
        trials.note(trials.writes.fault(kind, is_over=False), what)
    began = time.monotonic()
    done = trials.run(*command)
    for _ in range(4):
        if (
            kind == "store" and done.code != 0 and "publish again" in done.output
        ):  # its lease ended under load
            done = trials.run(*command)
    trials.spans[kind] = 0.8 * trials.spans.get(kind, 0.5) + 0.2 * (time.monotonic() - began)
    if done.code not in CODES_AFTER_KILL.get(kind, (0,)):
        trials.bad += 1
        print(f"after {what}: {done}", file=sys.stderr)
    return sent.name


def _expect_in_store(trials: Trials, site: Path, what: str) -> None:
    """Hold that the store has a site, by a download into a folder."""
    script = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\nfrom support.object_stores import objects_of\n"
        "from pathlib import Path\nwanted = {p.relative_to(sys.argv[3]).as_posix(): p.read_bytes() for p in"
        " Path(sys.argv[3]).rglob('*') if p.is_file() and '.statuary' not in p.parts}\n"
        "found = {p: b for p, (b, _) in objects_of(sys.argv[2]).items() if not p.startswith('.statuary/')}\n"
        "sys.exit(found != wanted)"
    )
    command = [sys.executable, "-c", script, Path(__file__).parents[1], trials.url, site]
    if subprocess.run(command, check=False).returncode:
        trials.note("the store is not whole", what)


def calls(trials: Trials, times: int, *commands: str) -> Iterator[str]:
    """Let calls of the system that change the disk fail in each command, with EIO and ENOSPC.

    A command that fails ends with 3; one that ends with 0 has done all of its work. The next one ends with 0. A build whose
    log fails has published the news, and ends with 4; one whose target fails ends with 6.

    So many places of each call of each command as `times` says, spread evenly from the first to the last, or all; in random order.
    """
    with _prepared(trials):
        kinds = [kind for kind in commands or CALLERS if trials.url or kind != "store"]
        tries = []
        for kind in kinds:
            for call, most in _calls_of(trials, kind).items():
                places = sorted({1 + most * number // times for number in range(times)})
                tries += [(kind, call, failure) for failure in product(("EIO", "ENOSPC"), places)]
        trials.dice.shuffle(tries)
        print(f"{len(tries)} places", file=sys.stderr, flush=True)
        for number, (kind, call, failure) in enumerate(tries):
            if _fail_one(trials, kind, number % 2, call, failure):
                yield f"{kind}, {call}"


def _calls_of(trials: Trials, kind: str) -> dict[str, int]:
    """Return how many calls of each name a process of a command makes at most."""
    most: dict[str, int] = {}
    for state in (0, 1):
        done, made = _traced(trials, _command(trials, kind, state), CALLS)
        trials.looked_at(done, kind)
        _expect_whole(trials, kind, state, f"{kind} that nobody disturbed")
        for (_, call), count in made.items():
            most[call] = max(count, most.get(call, 0))
    return most


@contextmanager
def _prepared(trials: Trials) -> Iterator[None]:
    """Publish a log once, serve a site, and run an object store where there is one."""
    assert trials.run(*trials.logged.next_build()).code == 0
    with ExitStack() as stack:
        trials.served, _ = stack.enter_context(served(trials.root / "undisturbed-1"))
        if (STORES / "moto").is_dir():
            server = stack.enter_context(moto())
            os.environ.update(server.environment())
            trials.url = f"{server.make_bucket('trials')}/site"
        trials.edited = EditedContent(trials.root, stack.enter_context(receiver()))
        yield


CODES_AFTER_KILL = dict.fromkeys(
    ("incident", "init", "log init", "maintenance", "component"), (0, ExitCode.FAILED)
)
"""The exit codes of commands that fail if the killed one had done its work; what is there, is whole."""

USUAL_CODES = ([0], [ExitCode.FAILED, 0])
"""The exit codes of a command that meets an error, and of the next run if it failed."""

CODES = {
    "log": (*USUAL_CODES, [ExitCode.PUBLISHED_WITH_FAULTS, 0], [ExitCode.TARGET_FAILED, 0]),
    # if only the output fails, the work is done: a key is not replaced, and an incident is opened once
    **dict.fromkeys(
        ("init", "log init", "incident", "maintenance", "component"),
        (*USUAL_CODES, [ExitCode.FAILED, ExitCode.FAILED]),
    ),
}
"""Those of commands with more of them."""


def _fail_one(trials: Trials, kind: str, state: int, call: str, failure: tuple[str, int]) -> bool:
    """Let a call fail; return whether it did."""
    error, place = failure
    what = f"{call} {place} of {kind} with {error}"
    command = _command(trials, kind, state)
    done, made = _traced(trials, command, call, "-e", f"inject={call}:error={error}:when={place}")
    trials.looked_at(done, what)
    _expect_part(trials, kind, state, what, done)
    again = [] if done.code == 0 else [trials.run(*command)]
    codes = [end.code for end in (done, *again)]
    if codes not in CODES.get(kind, USUAL_CODES):
        outputs = "; then ".join(end.output[-500:] for end in (done, *again))
        trials.note(f"exit codes {codes}: {outputs}", what)
    _expect_whole(trials, kind, state, what)
    return any(name == INJECTED for _, name in made)


def _expect_part(trials: Trials, kind: str, state: int, what: str, done: Outcome) -> None:
    """Hold that a command that has failed left every file old or new."""
    if kind == "snapshot":
        trials.expect_one_of([*trials.snapshots, {}], what, trials.root / "snapshots")
    elif kind in EDITS:
        trials.note(trials.edited.fault(kind, is_over=False), what)
    elif kind in WRITES:
        trials.note(trials.writes.fault(kind, is_over=False), what)
    elif kind == "import":
        trials.expect_import(what, is_over=False)
    elif kind == "log":
        trials.note(trials.logged.fault(is_over=done.code == 0), what)
        if done.code == ExitCode.PUBLISHED_WITH_FAULTS and not trials.logged.has_news():
            trials.note("the log's error held back the news", what)
    elif kind == "publish":
        trials.expect_old_or_new(what, trials.root / "copy")
    elif kind in COPIES:
        trials.expect_old_or_new(what, trials.root / f"{kind}-{state}")
    else:
        trials.expect_old_or_new(what)


INJECTED = "injected"


def _traced(
    trials: Trials, command: list[object], calls: str, *options: str
) -> tuple[Outcome, Counter[tuple[str, str]]]:
    """Run a command under strace; return how it ended, and how often each process made each call, or had it fail."""
    log, trace = trials.root / "log", trials.root / "trace"
    traced = ["strace", "--seccomp-bpf", "-f", "-o", trace, "-e", f"trace={calls}", *options]
    with log.open("wb") as file:
        done = subprocess.run(
            [*traced, sys.executable, "-m", "statuary", *map(str, command)],
            stdout=file,
            stderr=file,
            check=False,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )
    made: Counter[tuple[str, str]] = Counter()
    for line in trace.read_text("utf-8", "replace").splitlines():
        if call := re.match(r"(\d+) +(\w+)\(", line):
            made[call[1], call[2]] += 1
        if line.endswith("(INJECTED)"):
            made[line.partition(" ")[0], INJECTED] += 1
    return Outcome(done.returncode, log.read_text("utf-8", "replace")), made


def disks(trials: Trials, times: int) -> Iterator[str]:
    """Build onto file systems of every size from empty to almost enough: each is full at another place."""
    most = 12 << 20
    for number in range(times):
        room, state = trials.root / "disk", number % 2
        room.mkdir(exist_ok=True)
        with _mounted(room):
            trials.run(*trials.build(1 - state, room / "out"))
            used = sum(file.stat().st_blocks * 512 for file in room.rglob("*"))
            subprocess.run(
                [
                    "mount",
                    "-o",
                    f"remount,size={used + (most - used) * number // times // 4096 * 4096}",
                    room,
                ],
                check=True,
            )
            done = trials.run(*trials.build(state, room / "out"))
            trials.expect_old_or_new(f"disk {number}", room / "out")
            subprocess.run(["mount", "-o", "remount,size=64m", room], check=True)
            trials.run(*trials.build(state, room / "out"))
            trials.expect(trials.wanted[state], f"disk {number}", room / "out")
        yield "full" if done.code else "large enough"


@contextmanager
def _mounted(room: Path) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", room], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", room], check=True)


def ledgers(trials: Trials, times: int) -> Iterator[str]:
    """Damage the ledger at random; files of other programs stay where they are."""
    for number in range(times):
        state = number % 2
        trials.run(*trials.build(1 - state))
        (trials.out / "theirs").write_bytes(b"foreign")
        kind = damaged_ledger(trials.out / ".statuary", trials.dice)
        done = trials.run(*trials.build(state))
        if done.code != 0:
            trials.bad += 1
            print(f"after ledger {number} ({kind}): {done}", file=sys.stderr)
        trials.expect(trials.wanted[state] | {"theirs": b"foreign"}, f"ledger {number} ({kind})")
        (trials.out / "theirs").unlink()
        yield kind


def damages(trials: Trials, times: int) -> Iterator[str]:
    """Damage a published file of each family in each way; `build --verify` makes it again."""
    for number in range(times):
        kind, family, damage = DAMAGES[number % len(DAMAGES)]
        trials.run(*trials.build(0))
        files = [path for path in sorted(trials.wanted[0]) if re.match(family, path)]
        file = trials.out / trials.dice.choice(files)
        damage(file)
        done = trials.run(*trials.build(0, None, "--verify"))
        is_named = done.code != 0 and file.name in done.output
        if is_named:  # what is not a file is not ours: it is named, and somebody moves it away
            file.unlink()
            done = trials.run(*trials.build(0, None, "--verify"))
        if done.code != 0:
            trials.bad += 1
        trials.expect(trials.wanted[0], f"damage {number} ({kind} of {family})")
        yield f"{kind}: {'named' if is_named else 'made again'}"


def checkouts(trials: Trials, times: int) -> Iterator[str]:
    """Check out another commit while a build reads; the build after that is as if nothing had been there before."""
    project = trials.contents[0].parent

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "-q", "-b", "one")
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    shutil.rmtree(trials.contents[0])
    shutil.copytree(trials.contents[1], trials.contents[0])
    git("add", ".")
    git("commit", "-qm", "two")
    for number in range(times):
        branches = ("one", "two") if number % 2 else ("two", "one")
        git("checkout", "-q", branches[0])
        if number % 3 == 0:
            shutil.rmtree(trials.out, ignore_errors=True)
        running = WarmCommand(trials.root / "log", *trials.build(0))
        time.sleep(trials.dice.uniform(0, 0.25))
        git("checkout", "-q", branches[1])
        back = trials.dice.random() < 0.5
        if back:
            git("checkout", "-q", branches[0])
        trials.ended(running)
        at = branches[0] if back else branches[1]
        done = trials.run(*trials.build(0))
        if done.code != 0:
            trials.bad += 1
            print(f"after checkout {number}: {done}", file=sys.stderr)
        trials.expect(trials.wanted[at == "two"], f"checkout {number}")
        yield "there and back" if back else "to another commit"


CAMPAIGNS = {
    "kills": (kills, 1_000),
    "calls": (calls, 1_000),
    "disks": (disks, 100),
    "ledgers": (ledgers, 100),
    "damages": (damages, len(DAMAGES)),
    "checkouts": (checkouts, 100),
}
"""The campaigns, and how often each tries by default; `calls` each call of the system so often, or each."""


def main() -> None:
    """Run campaigns, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("campaigns", nargs="*", choices=[*CAMPAIGNS, []])
    parser.add_argument("--times", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", action="append", choices=CALLERS, default=[])
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background jobs ignore SIGINT
        signal.signal(number, signal.default_int_handler)
    failed = False
    for name in arguments.campaigns or CAMPAIGNS:
        if arguments.command and name not in ("calls", "kills"):
            parser.error("--command is for calls and kills")
        campaign, times = CAMPAIGNS[name]
        with tempfile.TemporaryDirectory(prefix="statuary-trials-") as folder:
            trials, began = Trials(Path(folder), arguments.seed), time.monotonic()
            kinds: dict[str, int] = {}
            with suppress(KeyboardInterrupt):  # what was tried until then is counted
                for kind in campaign(trials, arguments.times or times, *arguments.command):
                    kinds[kind] = kinds.get(kind, 0) + 1
                    if sum(kinds.values()) % 50 == 0:
                        print(f"{name}: {sum(kinds.values())}", file=sys.stderr, flush=True)
            row = (name, sum(kinds.values()), trials.bad, trials.tracebacks, round(time.monotonic() - began))
            print("| " + " | ".join(map(str, row)) + " |", flush=True)
            print("  " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())), flush=True)
            failed = failed or bool(trials.bad or trials.tracebacks)
    sys.exit(failed)


if __name__ == "__main__":
    main()
