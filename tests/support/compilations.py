"""The standing matrix: contracts of many compilations, deployed on a real node, added, built, served, and asked for.

`tests/compilations/compilations.yaml` lists them; `.ci/install-releases` fetches the compilers. To run all, or those whose names
begin with a text, and print a table:

    PYTHONPATH=tests python tests/support/compilations.py [NAME...]

In parts, whose results a file keeps for the table of all:

    PYTHONPATH=tests python tests/support/compilations.py --part 1/8 --results FILE [NAME...]
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml
from click.testing import CliRunner

from statuary.base.errors import StatuaryError
from statuary.base.primitives import checksum_address
from statuary.cli.main import command
from statuary.contracts.model.compiler import find_build_version, parse_compiler_version
from statuary.extensions.compilers.compiler import detect_compiler
from statuary.system.programs import RunLimits
from support.edge_runtimes import served
from support.ethereum_node import COMPILERS, ethereum_node, send
from support.imported_projects import empty_site
from support.requirements import CHECKOUT

FOLDER = CHECKOUT / "tests" / "compilations"
RELEASES = Path(os.environ.get("STATUARY_RELEASES", CHECKOUT / ".releases"))
"""Where `.ci/install-releases` puts the compilers, with a program for each in `bin`."""

INSTALL = ".ci/install-releases"

HAS_RELEASES = (RELEASES / "bin").is_dir()
"""Whether the compilers of the whole matrix may be here; those of `.ci/install-compilers` are taken where they are not."""

NOW = "2026-11-20T12:00:00Z"
CHAIN_ID = "31337"
NO_ADDRESS = "0x" + "0" * 40
READY = r"at http://127\.0\.0\.1:(\d+)/"
SERVE = [sys.executable, "-m", "statuary", "serve", "--port", "0"]
SITE_SIZE = 40
"""Contracts of a site: each that is added costs a look at those which are there."""

OUTPUTS = {"*": {"*": ["*"], "": ["*"]}}


class Levels(NamedTuple):
    """The levels of a contract's sides; None for one that does not match."""

    creation: str | None
    runtime: str | None


class Compilation(NamedTuple):
    """A compilation, and what a site must make of its contract."""

    name: str
    compiler: str  # such as solc-0.8.30
    language: str
    sources: dict[str, str]
    contract: str  # PATH:NAME
    settings: dict[str, Any]
    arguments: str  # of the constructor, as hex digits
    levels: Levels | None  # None if no site may publish it as a match
    proxy: str | None  # the type of proxy

    @property
    def path_and_name(self) -> list[str]:
        path, _, name = self.contract.rpartition(":")
        return [path, name]

    @property
    def standard_json(self) -> dict[str, Any]:
        """The compiler's input."""
        sources = {path: {"content": text} for path, text in self.sources.items()}
        selection = OUTPUTS if self.compiler.startswith("solc") else {"*": ["*"]}
        settings = {**self.settings, "outputSelection": selection}
        return {"language": self.language, "sources": sources, "settings": settings}


class Outcome(StrEnum):
    """What a run of the matrix says of a compilation."""

    AS_EARNED = "as earned"
    TRUE_REFUSED = "true refused"
    FALSE_ACCEPTED = "false accepted"
    NOT_RUN = "not run"


class Publication(NamedTuple):
    """What a site made of a compilation's contract."""

    name: str
    compiler: str
    outcome: Outcome
    reason: str = ""  # why it is not as earned


def compilations() -> list[Compilation]:
    """Return the compilations of the list, one for each of its compilers."""
    rows = yaml.safe_load((FOLDER / "compilations.yaml").read_text("utf-8"))
    found = [
        _compilation(row, compiler)
        for row in rows
        for named in row["compilers"]
        for compiler in (release_names(named.split()[0]) if named.endswith(" releases") else [named])
    ]
    assert len({one.name for one in found}) == len(found), "two compilations have one name"
    return found


def release_names(kind: str) -> list[str]:
    """Return the names of all compilers of a kind that the lock files have, oldest first."""
    packages = json.loads((FOLDER / "releases" / "package.json").read_text())["dependencies"]
    names = [*packages, *(file.stem for file in (FOLDER / "releases").glob("vyper-*.txt"))]
    return sorted(
        (name for name in names if name.startswith(f"{kind}-")),
        key=lambda name: parse_compiler_version(name.partition("-")[2]),
    )


def _compilation(row: dict[str, Any], compiler: str) -> Compilation:
    sources = {path: _text(given) for path, given in row["sources"].items()}
    language = row.get("language") or {"solc": "Solidity", "vyper": "Vyper"}[compiler.partition("-")[0]]
    arguments = row.get("arguments", "")
    assert re.fullmatch(r"([0-9a-f]{64})*", arguments), row["name"]
    levels = None if row.get("refused") else Levels(**row.get("levels") or earned_levels(language, compiler))
    return Compilation(
        name=f"{row['name']}-{compiler.partition('-')[2]}",
        compiler=compiler,
        language=language,
        sources=sources,
        contract=row["contract"],
        settings=row.get("settings", {}),
        arguments=arguments,
        levels=levels,
        proxy=row.get("proxy"),
    )


def _text(given: str) -> str:
    if re.fullmatch(r"\w+\.\w+", given):
        return (FOLDER / "sources" / given).read_bytes().decode()
    return given


def earned_levels(language: str, compiler: str) -> dict[str, str]:
    """Return the best levels that a contract of a language and compiler can have."""
    if language == "Solidity":
        return {"creation": "exact_match", "runtime": "exact_match"}
    has_integrity = language == "Vyper" and parse_compiler_version(compiler.partition("-")[2]) >= (0, 4, 1)
    return {"creation": "exact_match" if has_integrity else "match", "runtime": "match"}


class Compiled(NamedTuple):
    """A compiler's output, and its version as records have it."""

    version: str
    output: dict[str, Any]


def program_of(compiler: str) -> Path | None:
    """Return the program of a compiler, or None if it is not installed."""
    programs = [folder / "bin" / compiler for folder in (RELEASES, COMPILERS)]
    return next((one for one in programs if one.exists()), None)


def compile_with(compilation: Compilation, program: Path, kept: Path | None = None) -> Compiled:
    """Compile; `kept` is a folder of outputs from earlier runs of the same compilers."""
    digest = sha256(json.dumps([compilation.compiler, compilation.standard_json]).encode()).hexdigest()
    file = None if kept is None else kept / f"{digest}.json"
    if file is None or not file.exists():
        compiler = detect_compiler(compilation.compiler.partition("-")[0], program)
        output = compiler.compile(compilation.standard_json, RunLimits())
        compiled = Compiled(find_build_version(compiler.version), output)
        if file is None:
            return compiled
        file.write_text(json.dumps(compiled))
    return Compiled(*json.loads(file.read_text()))


def deploy(node: str, compilation: Compilation, output: dict[str, Any]) -> dict[str, Any]:
    """Deploy a contract, and before it the libraries that it links; return its receipt."""
    return send(node, f"0x{_linked_code(node, output, *compilation.path_and_name)}{compilation.arguments}")


def _linked_code(node: str, output: dict[str, Any], path: str, name: str) -> str:
    contracts = output["contracts"]
    held = contracts[path].get(name) or contracts[path][name.removesuffix(".vy")]
    code = held["evm"]["bytecode"]["object"].removeprefix("0x")
    for file, libraries in held["evm"]["bytecode"].get("linkReferences", {}).items():
        for library, places in libraries.items():
            linked = _linked_code(node, output, file, library) if file in contracts else LIBRARY_CODE
            address = send(node, f"0x{linked}")["contractAddress"][2:]
            for place in places:
                start, end = 2 * place["start"], 2 * (place["start"] + 20)
                code = code[:start] + address + code[end:]
    return code


LIBRARY_CODE = "600a80600b5f395ff3" + "00" * 12
"""Code that deploys a library of no functions, for Yul that links one which is not among its sources."""


def run(*arguments: object) -> str:
    """Run a command of statuary in this process; return why it failed, or an empty text."""
    done = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return "" if done.exit_code == 0 else f"exit code {done.exit_code}: {done.output.strip()}"


def publish(
    wanted: Sequence[Compilation], folder: Path, *, kept: Path | None = None
) -> Iterator[Publication]:
    """Deploy and add every contract, build and serve one site of them all, and yield what it publishes of each.

    A compilation whose compiler is not installed does not run; the others do.
    """
    content = empty_site(folder)
    added: dict[str, tuple[str, str]] = {}
    with ethereum_node() as node:
        for compilation in wanted:
            if (program := program_of(compilation.compiler)) is None:
                reason = f"{compilation.compiler} is absent; to have it: {INSTALL}"
                yield Publication(compilation.name, compilation.compiler, Outcome.NOT_RUN, reason)
                continue
            try:
                compiled = compile_with(compilation, program, kept)
                receipt = deploy(node, compilation, compiled.output)
            except (StatuaryError, AssertionError, KeyError) as error:
                added[compilation.name] = NO_ADDRESS, f"it is not compiled or deployed: {error!r}"
                continue
            fault = _add(content, node, compilation, compiled, receipt)
            added[compilation.name] = checksum_address(receipt["contractAddress"]), fault
    failure = run("build", "--content", content, "--out", folder / "site", "--now", NOW)
    with served([*SERVE, str(folder / "site")], READY) as server:
        for compilation in wanted:
            if compilation.name not in added:
                continue
            address, fault = added[compilation.name]
            answer = server.ask(f"/v2/contract/{CHAIN_ID}/{address}?fields=proxyResolution")
            proof = server.ask(f"/proof/{CHAIN_ID}/{address}.json")
            yield _publication(compilation, fault or failure, answer, proof)


def _add(
    content: Path, node: str, compilation: Compilation, compiled: Compiled, receipt: dict[str, Any]
) -> str:
    folder = content.parent
    for name, value in (("input", compilation.standard_json), ("output", compiled.output)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    return run(
        "contract",
        "add",
        folder / "input.json",
        "--output",
        folder / "output.json",
        "--contract",
        compilation.contract,
        "--compiler-version",
        compiled.version,
        "--content",
        content,
        "--rpc",
        node,
        "--address",
        checksum_address(receipt["contractAddress"]),
        "--transaction",
        receipt["transactionHash"],
        "--now",
        NOW,
    )


def _publication(
    compilation: Compilation, fault: str, answer: dict[str, Any], proof: dict[str, Any]
) -> Publication:
    if compilation.levels is None:
        fault, outcome = _wrong_acceptance(answer, proof), Outcome.FALSE_ACCEPTED
    else:
        fault, outcome = fault or _wrong_refusal(compilation, answer, proof), Outcome.TRUE_REFUSED
    return Publication(compilation.name, compilation.compiler, outcome if fault else Outcome.AS_EARNED, fault)


def _wrong_acceptance(answer: dict[str, Any], proof: dict[str, Any]) -> str:
    if answer["status"] != 200:
        return ""
    is_match = json.loads(answer["body"])["runtimeMatch"] is not None
    return "it is published as a match" if is_match or not _is_contradicted(proof) else ""


def _wrong_refusal(compilation: Compilation, answer: dict[str, Any], proof: dict[str, Any]) -> str:
    if answer["status"] != 200:
        return "it is not published"
    record = json.loads(answer["body"])
    levels = Levels(record["creationMatch"], record["runtimeMatch"])
    if levels != compilation.levels:
        return f"it is published as {levels}"
    if _is_contradicted(proof):
        return "a claim is contradicted"
    proxy = record["proxyResolution"].get("proxyType")
    return "" if proxy == compilation.proxy else f"the type of its proxy is {proxy}"


def _is_contradicted(proof: dict[str, Any]) -> bool:
    return '"contradicted"' in proof["body"]


def table(publications: Sequence[Publication]) -> Iterator[str]:
    """Yield the lines of a report: a row for each compiler, their sum, then each contract that is not as it should be."""
    yield f"| compiler | compilations | {' | '.join(Outcome)} |"
    yield f"|---|--:|{'--:|' * len(Outcome)}"
    compilers = sorted({one.compiler for one in publications}, key=_family_and_version)
    for compiler in compilers:
        yield _row(compiler, [one for one in publications if one.compiler == compiler])
    yield _row(f"all {len(compilers)}", publications)
    for one in publications:
        if one.outcome is not Outcome.AS_EARNED:
            yield f"{one.outcome}: {one.name}: {one.reason}"


def _family_and_version(compiler: str) -> Any:
    family, _, version = compiler.partition("-")
    return family, parse_compiler_version(version)


def _row(name: str, publications: Sequence[Publication]) -> str:
    counts = Counter(one.outcome for one in publications)
    cells = [len(publications), *(counts[outcome] for outcome in Outcome)]
    return f"| {name} | {' | '.join(map(str, cells))} |"


def main() -> None:
    """Run the compilations whose names begin with a text, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=[""], help="the beginnings of names; default: all")
    parser.add_argument("--part", default="1/1", help="the first of 8 parts of these, for example: 1/8")
    parser.add_argument(
        "--kept", type=Path, help="a folder that keeps the compilers' outputs for the next run"
    )
    parser.add_argument(
        "--results", type=Path, help="a file that keeps the results; the table has those of earlier parts too"
    )
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    named = [one for one in compilations() if one.name.startswith(tuple(options.names))]
    wanted = named[part - 1 :: parts]
    if options.kept:
        options.kept.mkdir(parents=True, exist_ok=True)
    results = dict(_earlier(options.results))
    for start in range(0, len(wanted), SITE_SIZE):
        with TemporaryDirectory() as name:
            for one in publish(wanted[start : start + SITE_SIZE], Path(name), kept=options.kept):
                print(one.name, one.reason or one.outcome, sep=": ", file=sys.stderr, flush=True)
                results[one.name] = one
                if options.results:
                    options.results.write_text(json.dumps(list(results.values())))
    print(*table(list(results.values())), sep="\n")
    if any(one.outcome in (Outcome.TRUE_REFUSED, Outcome.FALSE_ACCEPTED) for one in results.values()):
        sys.exit(1)


def _earlier(file: Path | None) -> Iterator[tuple[str, Publication]]:
    if file is not None and file.exists():
        for name, compiler, outcome, reason in json.loads(file.read_text()):
            yield name, Publication(name, compiler, Outcome(outcome), reason)


if __name__ == "__main__":
    main()
