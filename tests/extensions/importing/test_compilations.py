"""An import compiles each input once, says what it compiles, keeps it for the next run, and writes what shows claim C."""

import json
import shutil
import stat

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.extensions.compilers.cache import VARIABLE
from support.ethereum_node import COMPILERS, ethereum_node, send_signed
from support.imported_projects import DEPLOYMENTS, FOUNDRY, NOW, chain, empty_site, imported
from support.requirements import require_program

pytestmark = pytest.mark.slow

ARTIFACT = FOUNDRY / "out/Fare.sol/Fare.json"
FARE = chain()["contracts"]["foundry"]["Fare"]["address"]


class CountingCompiler:
    """The real solc, with a count of its compilations."""

    def __init__(self, folder, more=""):
        folder.mkdir(exist_ok=True)
        real = require_program(str(COMPILERS / "bin/solc-0.8.30"), install=".ci/install-compilers")
        self.log, self.program = folder / "runs", folder / "solc"
        counting = f'[ "$1" = --version ] || echo run >> "{self.log}"'
        self.program.write_text(f'#!/bin/sh\n{counting}\n{more}\nexec "{real}" "$@"\n')
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    @property
    def runs(self):
        return len(self.log.read_text().split()) if self.log.exists() else 0


@pytest.fixture
def solc(tmp_path):
    return CountingCompiler(tmp_path / "bin")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def url():
    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        for raw in json.loads((DEPLOYMENTS / "hardhat-deploy/transactions.json").read_text()):
            send_signed(url, raw)
        yield url


def import_all(content, url, solc):
    result = imported(content, "hardhat-deploy", "--rpc", url, "--compiler", f"solc={solc.program}")
    assert result.exit_code == ExitCode.OK, result.output
    return result.output


def claims_of(content):
    site = content.parent / "site"
    options = ["--content", str(content), "--out", str(site), "--now", NOW.isoformat()]
    built = CliRunner().invoke(command, ["build", *options])
    assert built.exit_code == ExitCode.OK, built.output
    proofs = [json.loads(file.read_text()) for file in (site / "proof/31337").glob("0x*.json")]
    return {proof["claims"]["compiled"]["status"] for proof in proofs}


@pytest.mark.slow
def test_import_compiles_shared_compiler_input_once(tmp_path, url, solc):
    content = empty_site(tmp_path)
    output = import_all(content, url, solc)
    assert "verified and added: 3 contracts" in output
    assert solc.runs == 1
    assert output.count("compiling contracts/") == 1
    assert "and 2 more with solc 0.8.30+commit.73712a01" in output


@pytest.mark.slow
def test_imported_contract_proof_states_recompilation(tmp_path, url, solc):
    content = empty_site(tmp_path)
    assert "compiled again with the same outcome: 3 contracts" in import_all(content, url, solc)
    assert len(list(content.rglob("compilation.json"))) == 3
    assert claims_of(content) == {"stated_by_a_file"}


@pytest.mark.slow
def test_import_from_node_writes_state_proofs(tmp_path, url, solc):
    content = empty_site(tmp_path)
    output = import_all(content, url, solc)
    assert "anchored on chain 31337: " in output
    assert len(list(content.rglob("anchor.json"))) == 3
    bare = imported(empty_site(tmp_path / "bare"), "hardhat-deploy", "--rpc", url, "--no-anchor")
    assert "anchored" not in bare.output


@pytest.mark.slow
def test_interrupted_import_reuses_cached_compilation(tmp_path, url, solc, cache):
    content = empty_site(tmp_path)
    import_all(content, url, solc)
    [first, *_] = sorted((content / "contracts/31337").iterdir())
    shutil.rmtree(first)
    output = import_all(content, url, solc)
    assert "verified and added: 1 contract" in output
    shutil.rmtree(content / "contracts")
    import_all(content, url, solc)
    assert solc.runs == 1
    assert len(list(content.rglob("compilation.json"))) == 3
    assert len(list(cache.iterdir())) == 1


@pytest.mark.slow
def test_damaged_compilation_cache_is_recompiled(tmp_path, url, solc, cache):
    import_all(empty_site(tmp_path / "one"), url, solc)
    [file] = cache.iterdir()
    for damaged in (b"", file.read_bytes()[:-10], b"x" * 100):
        file.write_bytes(damaged)
        import_all(empty_site(tmp_path / str(len(damaged))), url, solc)
    assert solc.runs == 4


@pytest.mark.slow
def test_other_compiler_binary_misses_compilation_cache(tmp_path, url, solc, cache):
    import_all(empty_site(tmp_path / "one"), url, solc)
    other = CountingCompiler(tmp_path / "other", more="# another program")
    import_all(empty_site(tmp_path / "two"), url, other)
    assert (solc.runs, other.runs) == (1, 1)
    assert len(list(cache.iterdir())) == 2


@pytest.mark.slow
def test_unwritable_compilation_cache_is_ignored(tmp_path, url, solc, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "bin/solc/cache"))
    assert "verified and added: 3 contracts" in import_all(empty_site(tmp_path), url, solc)


def add(content, *options):
    runtime = content / "runtime.hex"
    runtime.write_text(chain()["contracts"]["foundry"]["Fare"]["runtime"])
    arguments = ["contract", "add", ARTIFACT, "--address", FARE, "--content", content, "--runtime", runtime]
    return CliRunner().invoke(command, [*map(str, arguments), "--now", NOW.isoformat(), *options])


@pytest.mark.slow
def test_contract_add_writes_compilation_evidence(tmp_path, solc, monkeypatch):
    content = empty_site(tmp_path)
    monkeypatch.setenv("PATH", f"{solc.program.parent}:/usr/bin:/bin")
    result = add(content)
    assert result.exit_code == ExitCode.OK, result.output
    assert "compiled again with solc 0.8.30+commit.73712a01, and the result is the same" in result.output
    assert claims_of(content) == {"stated_by_a_file"}


def test_missing_compiler_adds_no_compilation_evidence(tmp_path, monkeypatch):
    content = empty_site(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert add(content).exit_code == ExitCode.OK
    assert claims_of(content) == {"not_shown"}


@pytest.mark.slow
def test_differing_compiler_output_gives_no_evidence(tmp_path, monkeypatch):
    content, folder = empty_site(tmp_path), tmp_path / "false"
    CountingCompiler(folder)
    program = folder / "solc"
    program.write_text(
        program.read_text().replace("exec ", "").rstrip() + " | sed s/6080604052/6080604053/g\n"
    )
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    result = add(content)
    assert result.exit_code == ExitCode.OK, result.output
    assert "the contract was compiled again, and the result differs: " in result.output
    assert claims_of(content) == {"not_shown"}
