"""What real tool chains wrote is read, whichever of their files is named, and agrees with what a real node held."""

import copy
import json
import shutil
from pathlib import Path

import pytest

from statuary.base.findings import Severity
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.check_site import CheckTarget, check_site
from statuary.extensions.compilers.compiler import Compiler, detect_compiler
from statuary.extensions.compilers.evidence import record_sha256
from statuary.extensions.compilers.recompile import RecompileOptions, Recompiler, recompile_contracts
from statuary.extensions.importing.evidence.compile_contract import compile_contract, write_evidence
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.hardhat import read_compilation
from statuary.extensions.importing.workspace_files import write_contract
from support.ethereum_node import COMPILERS
from support.imported_projects import (
    FOUNDRY,
    FOUNDRY_WHOLE,
    HARDHAT_2,
    HARDHAT_3,
    added,
    catalogue_of,
    empty_site,
    the_only,
)
from support.requirements import absent, require_program
from support.sites import NOW

CONTRACTS = ["Fare", "Turnstile", "Station"]
VERSION = "0.8.30+commit.73712a01"


def files(contract: str) -> dict[str, Path]:
    """Return every file that leads to a contract, by what it is."""
    return {
        "Hardhat 2 artifact": HARDHAT_2 / f"contracts/{contract}.sol/{contract}.json",
        "Hardhat 2 debug file": HARDHAT_2 / f"contracts/{contract}.sol/{contract}.dbg.json",
        "Hardhat 2 build-info": the_only(HARDHAT_2, "build-info/*.json"),
        "Hardhat 3 artifact": HARDHAT_3 / f"contracts/{contract}.sol/{contract}.json",
        "Hardhat 3 build-info": the_only(HARDHAT_3, "build-info/*[0-9a-f].json"),
        "Hardhat 3 output": the_only(HARDHAT_3, "build-info/*.output.json"),
        "Foundry artifact": FOUNDRY / f"out/{contract}.sol/{contract}.json",
        "Foundry artifact with layouts": FOUNDRY_WHOLE / f"out/{contract}.sol/{contract}.json",
        "Foundry build-info": the_only(FOUNDRY_WHOLE, "out/build-info/*.json"),
    }


KINDS = list(files("Fare"))
WITH_METADATA = [kind for kind in KINDS if not kind.startswith("Hardhat 3")]


NAMED = {"Fare": ["Fare"], "Turnstile": ["Fare", "Turnstile"], "Station": CONTRACTS}
"""The sources that the metadata of each contract names."""


def tool_of(kind: str) -> str:
    return {"Hardhat 2": "hardhat2", "Hardhat 3": "hardhat3", "Foundry a": "foundry", "Foundry b": "foundry"}[
        kind[:9]
    ]


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_build_tool_file_yields_compilation(kind, contract):
    compilation = read_compilation(files(contract)[kind], contract_name=contract)
    prefix = "project/" if kind.startswith("Hardhat 3") else ""
    assert compilation.fully_qualified_name == f"{prefix}contracts/{contract}.sol:{contract}"
    assert (compilation.compiler, compilation.version) == ("solc", VERSION)
    assert set(compilation.std_json_input) == {"language", "sources", "settings"}
    # Foundry names what was compiled together, of which the contract has what its metadata names
    names = [name for name in CONTRACTS if not kind.startswith("Foundry") or name in NAMED[contract]]
    assert set(compilation.std_json_input["sources"]) == {f"{prefix}contracts/{name}.sol" for name in names}
    assert compilation.std_json_input["settings"]["optimizer"] == {"enabled": True, "runs": 200}
    numbers = {path: source["id"] for path, source in compilation.std_json_output["sources"].items()}
    assert numbers == {f"{prefix}contracts/{name}.sol": place for place, name in enumerate(sorted(names))}


@pytest.mark.slow
@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("kind", WITH_METADATA)
def test_tool_file_compilation_matches_onchain_code(kind, contract, tmp_path):
    found = added(
        empty_site(tmp_path),
        tool_of(kind),
        contract,
        read_compilation(files(contract)[kind], contract_name=contract),
    )
    assert found.verification.findings == ()
    assert (
        found.verification.record["creationMatch"]
        == found.verification.record["runtimeMatch"]
        == "exact_match"
    )
    assert found.verification.record["devdoc"]["kind"] == "dev"
    steps = [step["reason"] for step in found.verification.record["runtimeBytecode"]["transformations"]]
    assert (
        steps
        == {
            "Fare": ["callProtection"],
            "Turnstile": ["immutable", "library"],
            "Station": ["library"],
        }[contract]
    )


def test_factory_child_matches_by_runtime_bytecode(tmp_path):
    compilation = read_compilation(files("Turnstile")["Foundry artifact"])
    found = added(empty_site(tmp_path), "foundry", "child", compilation)
    record = found.verification.record
    assert (record["creationMatch"], record["runtimeMatch"]) == (None, "exact_match")
    station = record["runtimeBytecode"]["transformationValues"]["immutables"]
    assert len(station) == 1


def test_foundry_artifact_matches_build_info_record(tmp_path):
    """An artifact, from which the rest is put together, says what the whole build-info says."""
    content = empty_site(tmp_path)
    records = [
        added(
            content,
            "foundry",
            "Turnstile",
            read_compilation(files("Turnstile")[kind], contract_name="Turnstile"),
        ).verification.record
        for kind in ("Foundry artifact", "Foundry artifact with layouts", "Foundry build-info")
    ]
    for record in records:
        for twin in (record, record["stdJsonOutput"]["contracts"]["contracts/Turnstile.sol"]["Turnstile"]):
            del twin["storageLayout"], twin["transientStorageLayout"]
        # the forms of settings differ: solc's metadata leaves out what is not set
        for settings in (
            record["compilation"].pop("compilerSettings"),
            record["stdJsonInput"].pop("settings"),
        ):
            assert settings["evmVersion"] == "prague"
    assert records[0] == records[1] == records[2]


def test_compilation_without_storage_layout_adds_note(tmp_path):
    content = empty_site(tmp_path)
    [note] = added(
        content, "foundry", "Station", read_compilation(files("Station")["Foundry artifact"])
    ).notes
    assert "no storageLayout or transientStorageLayout" in note
    with_layouts = read_compilation(files("Station")["Foundry artifact with layouts"])
    assert added(content, "foundry", "Station", with_layouts).notes == ()


def test_artifact_without_metadata_is_rejected(tmp_path):
    compilation = read_compilation(files("Fare")["Hardhat 3 artifact"])
    with pytest.raises(NotImportableError, match="no metadata") as refused:
        added(empty_site(tmp_path), "hardhat3", "Fare", compilation)
    assert refused.value.hint.startswith("give the compiler with --compiler solc=PATH")


def test_contract_is_selected_by_short_name():
    build_info = the_only(HARDHAT_3, "build-info/*[0-9a-f].json")
    for name in ("Station", "contracts/Station.sol:Station", "project/contracts/Station.sol:Station"):
        found = read_compilation(build_info, contract_name=name)
        assert found.fully_qualified_name == "project/contracts/Station.sol:Station"
    with pytest.raises(NotImportableError, match="has 3 contracts"):
        read_compilation(build_info)
    with pytest.raises(NotImportableError, match="unknown contract 'Gate'"):
        read_compilation(build_info, contract_name="Gate")


def copied(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / folder.name))


def test_source_changed_after_compilation_is_rejected(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    source = project / "contracts/Fare.sol"
    source.write_text(source.read_text().replace("3 gwei", "4 gwei"))
    with pytest.raises(NotImportableError, match=r"Fare\.sol has changed since it was compiled"):
        read_compilation(project / "out/Turnstile.sol/Turnstile.json")


def test_source_removed_after_compilation_is_rejected(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    (project / "contracts/Fare.sol").unlink()
    with pytest.raises(NotImportableError, match=r"Fare\.sol: cannot read the file"):
        read_compilation(project / "out/Turnstile.sol/Turnstile.json")


def test_missing_build_info_uses_metadata_sources(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    shutil.rmtree(project / "out/build-info")
    compilation = read_compilation(project / "out/Turnstile.sol/Turnstile.json")
    assert set(compilation.std_json_input["sources"]) == {"contracts/Fare.sol", "contracts/Turnstile.sol"}
    assert "sources" not in compilation.std_json_output
    assert "the record has no sourceIds" in compilation.notes[0]


def test_foundry_cache_selects_among_several_builds(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    artifact, build = project / "out/Fare.sol/Fare.json", the_only(project, "out/build-info/*.json")
    other = json.loads(build.read_text()) | {
        "id": "ffffffffffffffff",
        "source_id_to_path": {"0": "contracts/Fare.sol"},
    }
    (build.parent / "ffffffffffffffff.json").write_text(json.dumps(other))
    assert read_compilation(artifact).std_json_output["sources"] == {"contracts/Fare.sol": {"id": 0}}
    shutil.rmtree(project / "cache")
    with pytest.raises(NotImportableError, match="2 builds in"):
        read_compilation(artifact)


def test_build_info_ignores_files_outside_metadata(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    (tmp_path / "id_rsa").write_text("PRIVATE KEY")
    (project / "contracts/link.sol").symlink_to(tmp_path / "id_rsa")
    build = the_only(project, "out/build-info/*.json")
    before = read_compilation(project / "out/Turnstile.sol/Turnstile.json").std_json_input
    paths = json.loads(build.read_text())["source_id_to_path"] | {"3": "../id_rsa", "4": "contracts/link.sol"}
    build.write_text(json.dumps(json.loads(build.read_text()) | {"source_id_to_path": paths}))
    assert read_compilation(project / "out/Turnstile.sol/Turnstile.json").std_json_input == before


def test_file_outside_project_requires_matching_hash(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    (tmp_path / "id_rsa").write_text("PRIVATE KEY")
    file = project / "out/Turnstile.sol/Turnstile.json"
    artifact = json.loads(file.read_text())
    metadata = json.loads(artifact["rawMetadata"])
    for described in ({}, {"keccak256": "0x" + 64 * "0"}):
        metadata["sources"]["../id_rsa"] = described
        file.write_text(json.dumps(artifact | {"rawMetadata": json.dumps(metadata)}))
        with pytest.raises(NotImportableError, match="has changed since it was compiled"):
            read_compilation(file)


def test_project_option_finds_foundry_project(tmp_path):
    artifact = shutil.copy(FOUNDRY / "out/Fare.sol/Fare.json", tmp_path)
    with pytest.raises(NotImportableError, match=r"no foundry\.toml above"):
        read_compilation(Path(artifact))
    assert read_compilation(Path(artifact), project=FOUNDRY).version == VERSION


def test_metadata_settings_become_compiler_input_settings(tmp_path):
    project = copied(FOUNDRY, tmp_path)
    artifact = project / "out/Fare.sol/Fare.json"
    value = json.loads(artifact.read_text())
    metadata = json.loads(value["rawMetadata"])
    metadata["compiler"]["version"] = "0.8.4+commit.c7e474f2"
    metadata["settings"]["libraries"] = {"lib/A:B.sol:C": "0x" + "11" * 20, "lib/A:B.sol:D": "0x" + "22" * 20}
    metadata["settings"]["optimizer"]["details"] = {"inliner": False, "cse": True}
    artifact.write_text(json.dumps(value | {"rawMetadata": json.dumps(metadata)}))
    settings = read_compilation(artifact).std_json_input["settings"]
    assert settings["libraries"] == {"lib/A:B.sol": {"C": "0x" + "11" * 20, "D": "0x" + "22" * 20}}
    assert settings["optimizer"]["details"] == {"cse": True}
    assert "compilationTarget" not in settings


def test_forge_default_build_info_is_rejected():
    with pytest.raises(NotImportableError, match="only a list of sources") as refused:
        read_compilation(the_only(FOUNDRY, "out/build-info/*.json"))
    assert "forge build --force --build-info" in refused.value.hint


NOT_READ = {
    "absent": (None, "cannot read the file"),
    "not JSON": ("{", "is not JSON"),
    "a list": ("[]", "is not a JSON object"),
    "something else": ('{"_format": "hh-sol-cache-2"}', "has an unknown format"),
    "half an artifact": ('{"_format": "hh3-artifact-1"}', "is not a complete Hardhat file"),
    "an artifact alone": (
        '{"_format": "hh3-artifact-1", "buildInfoId": "x", "inputSourceName": "a", "contractName": "A"}',
        "no build-info folder above",
    ),
    "half a build-info": ('{"_format": "ethers-rs-sol-build-info-1"}', "is not a complete Foundry file"),
}


@pytest.mark.parametrize("case", NOT_READ)
def test_invalid_compilation_file_is_rejected(case, tmp_path):
    text, message = NOT_READ[case]
    file = tmp_path / "file.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(NotImportableError, match=message):
        read_compilation(file)


def test_compiler_version_unlike_artifact_is_rejected():
    artifact = files("Fare")["Foundry artifact"]
    assert read_compilation(artifact, compiler_version="v0.8.30+commit.73712a01").version == VERSION
    with pytest.raises(NotImportableError, match=r"is from 0\.8\.30"):
        read_compilation(artifact, compiler_version="0.8.29+commit.ab55807c")


OUTPUTS = {}


class AskedOnce(Compiler):
    """A compiler that keeps its outputs: the same input always gives the same one, after three seconds."""

    def compile(self, std_json_input, limits):
        key = json.dumps(std_json_input)
        if key not in OUTPUTS:
            OUTPUTS[key] = super().compile(std_json_input, limits)
        return copy.deepcopy(OUTPUTS[key])


@pytest.fixture(scope="module")
def workshop():
    require_program("node", install="install Node.js 20 or later")
    solc = COMPILERS / "bin/solc-0.8.30"
    if not solc.is_file():
        absent(f"the pinned compiler {solc}", ".ci/install-compilers")
    return RecompileOptions(compilers=[AskedOnce(*detect_compiler("solc", solc))])


# one of each tool chain, and in between all of its contracts
SITE = {"Fare": "Hardhat 2 artifact", "Turnstile": "Hardhat 3 build-info", "Station": "Foundry artifact"}


@pytest.mark.slow
@pytest.mark.parametrize("form", [ContractForm.WORKSPACE, ContractForm.RECORD])
def test_added_contract_recompiles_identically(form, workshop, tmp_path):
    content = empty_site(tmp_path)
    for contract, kind in SITE.items():
        again = workshop.compilers if kind.startswith("Hardhat 3") else ()
        compilation = read_compilation(files(contract)[kind], contract_name=contract)
        found = added(content, tool_of(kind), contract, compilation, form=form, compilers=again)
        write_contract(content, found.files, found.replaced)
    with CheckTarget() as target:
        checked = check_site(content, parse_instant(NOW), NoProgress(), target=target)
        assert {(row.matchId, row.match) for row in target.ledger.table(ContractTable).list_entries()} == {
            (n, "exact_match") for n in "123"
        }
    assert checked.all_findings == []
    compiled = recompile_contracts(content, checked.site, workshop, NoProgress())
    assert (compiled.compiled, compiled.identical) == (3, 1)
    # what Hardhat 2 and Foundry do not ask the compiler for by default
    assert {(one.pointer, one.severity) for one in compiled.findings} == {
        (("storageLayout",), Severity.WARNING),
        (("transientStorageLayout",), Severity.WARNING),
    }


@pytest.mark.slow
def test_workspace_compilation_evidence_is_read_back(workshop, tmp_path):
    content = empty_site(tmp_path)
    compilation = read_compilation(files("Fare")["Hardhat 2 artifact"], contract_name="Fare")
    found = added(content, "hardhat2", "Fare", compilation, compilers=workshop.compilers)
    write_contract(content, found.files, found.replaced)
    [source] = catalogue_of(content).content_of(SiteContracts).sources
    compiled = compile_contract(content, source, Recompiler(workshop))
    assert compiled.findings == ()
    assert (
        write_evidence(content, source, compiled.evidence)
        == f"{source.path.rpartition('/')[0]}/compilation.json"
    )
    parsed = read_contract(content, source)
    assert parsed.compilation == compiled.evidence
    assert compiled.evidence.record == record_sha256(parsed.record)
