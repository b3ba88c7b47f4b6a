"""Contracts of a Foundry project without artifacts are compiled from its sources, with the settings of foundry.toml."""

import json
import shutil

import pytest

from statuary.cli.exit_codes import ExitCode
from statuary.contracts.model.solc_settings import setting_differences
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.broadcasts import read_broadcasts
from statuary.extensions.importing.toolchains.foundry_sources import (
    find_import_paths,
    make_compilation_from_sources,
)
from support.ethereum_node import COMPILERS
from support.imported_projects import DEPLOYMENTS, catalogue_of, empty_site, imported
from support.requirements import require_program

OUTPUT = ("out", "cache", "build")
PROJECTS = {
    "foundry": ["Fare", "Station", "Turnstile", "Turnstile"],
    "foundry-workspace": ["Fare", "Turnstile"],
}
CODE = "0x" + (b"\xa2dsolcC\x00\x08\x1e\x00\x33").hex()
"""The end of code that solc 0.8.30 compiled."""


@pytest.fixture
def project(tmp_path):
    """Return a copy of a project as git has it: without the output of forge."""

    def copied(name):
        folder = tmp_path / name
        shutil.copytree(DEPLOYMENTS / name, folder, ignore=shutil.ignore_patterns(*OUTPUT))
        return folder

    return copied


def compilations(folder):
    return {listed.name: listed.read_source().compilation for listed in read_broadcasts(folder)}


@pytest.mark.parametrize("name", PROJECTS)
def test_compiler_input_equals_forge_input(name, project):
    made, artifacts = compilations(project(name)), compilations(DEPLOYMENTS / name)
    assert made.keys() == artifacts.keys()
    for contract, compilation in made.items():
        artifact = artifacts[contract]
        assert compilation.fully_qualified_name == artifact.fully_qualified_name
        assert compilation.std_json_output is None
        assert compilation.version == "0.8.30"
        assert compilation.std_json_input["sources"] == artifact.std_json_input["sources"]
        metadata = json.loads(artifact.artifact["metadata"])["settings"]
        assert setting_differences(metadata, compilation.std_json_input["settings"], artifact.version) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('import "a.sol";', ["a.sol"]),
        ("import {A, B as C} from './b.sol';", ["./b.sol"]),
        ('import * as all from "c.sol"; import"d.sol" ;', ["c.sol", "d.sol"]),
        ('// import "a.sol";\n/* import "b.sol"; */ import /* x */ "c.sol";', ["c.sol"]),
        ("string constant text = \"import 'a.sol';\"; uint imported = 1;", []),
        ("import {\n  A // the one\n} from\n  'e.sol';", ["e.sol"]),
    ],
)
def test_solidity_import_paths_are_extracted(text, names):
    assert find_import_paths(text) == names


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_foundry_imports_resolve_to_library_folders(tmp_path):
    write(
        tmp_path,
        {
            "foundry.toml": "[profile.default]\nremappings = ['named/=lib/other/']\nbytecode_hash = 'none'\n",
            "src/A.sol": "import 'tokens/T.sol'; import 'named/N.sol'; import 'plain/P.sol'; contract A {}",
            "lib/tokens/src/T.sol": "import '../../plain/contracts/P.sol';",
            "lib/other/N.sol": "",
            "lib/plain/contracts/P.sol": "interface A {}",
        },
    )
    made = make_compilation_from_sources(tmp_path, "A", CODE, "prague")
    assert list(made.std_json_input["sources"]) == [
        *("lib/other/N.sol", "lib/plain/contracts/P.sol", "lib/tokens/src/T.sol", "src/A.sol")
    ]
    assert made.std_json_input["settings"] == {
        "optimizer": {"enabled": False, "runs": 200},
        "remappings": [
            *(
                "named/=lib/other/",
                "other/=lib/other/",
                "plain/=lib/plain/contracts/",
                "tokens/=lib/tokens/src/",
            )
        ],
        "libraries": {},
        "evmVersion": "prague",
        "metadata": {"bytecodeHash": "none"},
    }


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"src/A.sol": "contract A {}", "src/B.sol": "contract A {}"}, "2 files of .* declare A"),
        ({"src/A.sol": "import '../../secret.sol'; contract A {}"}, "which is outside of"),
        ({"src/A.sol": "import 'src/../../secret.sol'; contract A {}"}, "which is outside of"),
        (
            {
                "src/A.sol": "import '@x/secret.sol'; contract A {}",
                "foundry.toml": "[profile.default]\nremappings = ['@x/=lib/../../']\n",
            },
            "which is outside of",
        ),
        ({"src/A.sol": "import './B.sol'; contract A {}"}, r"B\.sol"),
        (
            {"src/A.sol": "contract A {}", "foundry.toml": "[profile.default]\noptimizer_details = {}\n"},
            "foundry.toml has optimizer_details",
        ),
    ],
)
def test_ambiguous_foundry_sources_are_rejected(tmp_path, files, message):
    write(tmp_path, {"../secret.sol": "", **files})
    with pytest.raises(NotImportableError, match=message):
        make_compilation_from_sources(tmp_path, "A", CODE, "")


def test_source_linked_outside_project_is_rejected(tmp_path):
    project = tmp_path / "project"
    write(project, {"../secret.sol": "", "src/A.sol": "import './B.sol'; contract A {}"})
    (project / "src/B.sol").symlink_to(tmp_path / "secret.sol")
    with pytest.raises(NotImportableError, match="which is outside of"):
        make_compilation_from_sources(project, "A", CODE, "")


def test_unknown_foundry_contract_has_no_compilation(tmp_path):
    write(tmp_path, {"src/A.sol": "// contract B {}\ninterface B {} contract A {}"})
    assert make_compilation_from_sources(tmp_path, "B", CODE, "") is None
    assert make_compilation_from_sources(tmp_path, "A", "0x6001", "") is None
    assert make_compilation_from_sources(tmp_path, "A", None, "") is None


def test_missing_compiler_version_is_reported(project, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = imported(empty_site(tmp_path / "site"), "foundry", source=project("foundry"))
    assert result.exit_code == ExitCode.FINDINGS
    assert "no compiler for solc 0.8.30 (found: none); install it with `npm install" in result.output


@pytest.fixture
def solc():
    program = COMPILERS / "bin/solc-0.8.30"
    return f"solc={require_program(str(program), install='.ci/install-compilers')}"


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_foundry_project_without_artifacts_is_imported(name, project, tmp_path, solc):
    content = empty_site(tmp_path / "site")
    result = imported(content, "foundry", "--compiler", solc, source=project(name))
    assert result.exit_code == ExitCode.OK, result.output
    sources = catalogue_of(content).content_of(SiteContracts).sources
    records = [read_contract(content, source).record for source in sources]
    assert sorted(record["compilation"]["name"] for record in records) == PROJECTS[name]
    assert {record["creationMatch"] for record in records} == {"exact_match"}


@pytest.mark.slow
def test_changed_foundry_source_is_rejected(project, tmp_path, solc):
    folder = project("foundry-workspace")
    source = folder / "contracts/Turnstile.sol"
    source.write_text(source.read_text().replace("line = line_", 'line = "other"'))
    content = empty_site(tmp_path / "site")
    result = imported(content, "foundry", "--compiler", solc, source=folder)
    assert result.exit_code != ExitCode.OK
    assert "git checkout" in result.output or "forge build" in result.output
    sources = catalogue_of(content).content_of(SiteContracts).sources
    assert [read_contract(content, one).record["compilation"]["name"] for one in sources] == ["Fare"]
