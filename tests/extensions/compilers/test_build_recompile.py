"""`statuary build --recompile`: claim C is verified here, green with claim D, and remembered by the next build."""

import json
from hashlib import sha256

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.contracts.model.record import sort_members_as_served
from statuary.contracts.sources.evidence import encode_anchor
from statuary.site.document import encode_unchecked
from support.contracts import NAME, PATH, made_record
from support.made_anchors import anchor_of
from support.sites import SMALL_SITE, write_files

CHAIN = "748463"
VERSION = "0.8.30+commit.73712a01"
NOW = "2027-02-01T12:00:00Z"
GREEN = "This is the source code of the contract at this address"


class Site:
    """A site with one contract, whose code an anchor shows under a checkpoint; and a compiler that counts its runs."""

    def __init__(self, folder, **changed_output):
        self.folder = folder
        record = made_record("plain") | {"chainId": CHAIN}
        self.address = record["address"]
        canonical = encode_unchecked(sort_members_as_served(record))
        self.digest = sha256(canonical).hexdigest()
        code = record["runtimeBytecode"]["onchainBytecode"]
        anchor = anchor_of(self.digest, self.address, code)
        checkpoint = f'    checkpoints: [{{block: {anchor.block.number}, hash: "{anchor.block.hash}"}}]\n'
        site = SMALL_SITE["site.yaml"].rstrip() + "\n"
        chain = f"chains:\n  - chain_id: {CHAIN}\n    name: Test\n{checkpoint}"
        base, _, _ = site.partition("chains:")
        place = f"contracts/{CHAIN}/{self.address}"
        files = SMALL_SITE | {
            "site.yaml": base + chain,
            f"{place}.json": canonical,
            f"{place}/anchor.json": encode_anchor(anchor),
        }
        write_files(folder / "content", files)
        self.compiler = self._compiler(changed_output)

    def _compiler(self, changed_output):
        output = made_record("plain")["stdJsonOutput"]
        output["contracts"][PATH][NAME] |= changed_output
        (self.folder / "output.json").write_text(json.dumps(output))
        program = self.folder / "solc"
        program.write_text(
            f'#!/bin/sh\nif [ "$1" = --version ]; then echo "Version: {VERSION}.Linux.g++"\n'
            f"else echo >> {self.folder}/runs; cat {self.folder}/output.json; fi\n"
        )
        program.chmod(0o755)
        return program

    @property
    def runs(self):
        file = self.folder / "runs"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def build(self, *options, out="site"):
        arguments = ["build", "--content", self.folder / "content", "--out", self.folder / out, "--now", NOW]
        result = CliRunner().invoke(command, [*map(str, arguments), *options])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    def recompile(self, **place):
        return self.build("--recompile", "--compiler", f"solc={self.compiler}", **place)

    def proof(self, out="site"):
        return json.loads((self.folder / out / f"proof/{CHAIN}/{self.address}.json").read_bytes())

    def page(self, out="site"):
        return (self.folder / out / f"contracts/{CHAIN}/{self.address}.html").read_text()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("STATUARY_CACHE", str(tmp_path / "cache"))


def test_recompiling_build_shows_contract_verified(tmp_path):
    site = Site(tmp_path)
    assert site.recompile().exit_code == ExitCode.OK
    proof = site.proof()
    assert proof["claims"]["compiled"]["status"] == "verified_here"
    assert proof["claims"]["compiled"]["evidence"]["compilerVersion"] == VERSION
    assert proof["pinnedBy"]["storageLayout"] == "compiled"
    assert proof["verdict"]["status"] == "verified_here"
    assert GREEN in site.page()
    assert 'class="verdict panel l-verified_here"' in site.page()


def test_build_without_compiler_verifies_no_record(tmp_path):
    site = Site(tmp_path)
    site.recompile()
    site.build()
    assert site.proof()["claims"]["compiled"]["status"] == "not_shown"
    assert GREEN not in site.page()


def test_unchanged_site_recompiles_no_contract(tmp_path):
    site = Site(tmp_path)
    site.recompile()
    assert "nothing changed" in site.recompile().stdout
    assert site.runs == 1


def test_cached_compilation_is_not_repeated(tmp_path):
    site = Site(tmp_path)
    site.recompile()
    site.recompile(out="another")
    assert site.runs == 1
    assert site.proof("another") == site.proof()


def test_changed_compiler_binary_recompiles_contract(tmp_path):
    site = Site(tmp_path)
    site.recompile()
    site.compiler.write_text(site.compiler.read_text() + "# another build of it\n")
    site.recompile()
    assert site.runs == 2


def test_differing_recompilation_contradicts_record(tmp_path):
    site = Site(tmp_path, devdoc={"kind": "dev", "methods": {}, "version": 1, "title": "another"})
    result = site.recompile()
    assert "[recompilation-mismatch]" in result.stderr
    proof = site.proof()
    assert proof["claims"]["compiled"]["status"] == "contradicted"
    assert "devdoc.title" in proof["claims"]["compiled"]["reason"]
    assert proof["verdict"] == {
        "status": "contradicted",
        "sentence": "Contradicted: the sources compile to something else.",
    }
    assert "These sources compile to something else" in site.page()


def test_rejected_contract_may_compile_differently(tmp_path):
    site = Site(tmp_path, devdoc={"kind": "dev", "methods": {}, "version": 1, "title": "another"})
    content = tmp_path / "content"
    [file] = content.glob(f"contracts/{CHAIN}/*.json")
    file.write_text(file.read_text().replace('"match":"exact_match"', '"match":"match"', 1))
    listed = f'    rejected: [{{address: "{site.address}", date: 2027-01-01, reason: Somebody forged it.}}]\n'
    write_files(content, {"site.yaml": (content / "site.yaml").read_text() + listed})
    result = site.recompile()
    assert result.exit_code == ExitCode.OK, result.output
    assert site.proof()["claims"]["compiled"]["status"] == "contradicted"


def test_missing_compiler_is_reported_as_warning(tmp_path):
    site = Site(tmp_path)
    site.compiler.write_text(site.compiler.read_text().replace(VERSION, "0.8.29+commit.ab55807c"))
    result = site.recompile()
    assert f"this build had no solc {VERSION}" in result.stderr
    compiled = site.proof()["claims"]["compiled"]
    assert compiled == {"status": "not_shown", "reason": f"this build had no solc {VERSION}"}


def test_compiler_option_without_recompile_is_rejected(tmp_path):
    site = Site(tmp_path)
    assert site.build("--compiler", f"solc={site.compiler}").exit_code == ExitCode.USAGE
