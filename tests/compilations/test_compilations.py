"""Contracts of real compilations, deployed on a real node, as a site publishes them."""

import re

import pytest

from statuary.contracts.model.compiler import parse_compiler_version
from support.compilations import (
    FOLDER,
    HAS_RELEASES,
    INSTALL,
    SITE_SIZE,
    Outcome,
    compilations,
    publish,
    release_names,
)
from support.requirements import absent
from support.solc_settings import unexplained

EVERY = compilations()
WRONG = (Outcome.TRUE_REFUSED, Outcome.FALSE_ACCEPTED)

REPRESENTATIVES = (
    "names-0.4.26",
    "delete-character-and-others-0.5.17",
    "libraries-unlinked-0.5.17",
    "selector-zero-0.6.12",
    "proxy-of-polygon-0.6.12",
    "factory-0.6.12",
    "far-keyword-0.6.12",
    "transient-storage-ir-0.8.30",
    "vault-0.8.37",
    "vault-ir-0.8.37",
    "layout-at-0.8.37",
    "optimizer-one-detail-0.8.37",
    "yul-0.8.37",
    "steps-and-cleanup-0.8.37",
    "selector-zero-ir-0.8.37",
    "no-auxdata-0.8.37",
    "vyper-immutables-0.3.10",
    "vyper-market-0.3.10",
    "vyper-immutables-of-0.4-0.4.3",
    "vyper-modules-0.4.3",
)
"""Compilations by the compilers of `.ci/install-compilers`, one for each kind of contract."""

PARTS = range(0, len(EVERY), SITE_SIZE)

needs_releases = pytest.mark.skipif(
    not HAS_RELEASES, reason="the releases of solc and Vyper are absent; to have them: .ci/install-releases"
)


def faults(wanted, folder):
    """Return why contracts are not published as they should be; then skip, or fail in CI, for those that did not run."""
    published = list(publish(wanted, folder))
    assert sorted(one.name for one in published) == sorted(one.name for one in wanted)
    left_out = [one.compiler for one in published if one.outcome is Outcome.NOT_RUN]
    faulty = {one.name: one.reason for one in published if one.outcome in WRONG}
    if left_out and not faulty:
        absent(
            f"{len(left_out)} of {len(wanted)} did not run, whose compilers ({', '.join(left_out)})", INSTALL
        )
    return faulty


@pytest.mark.slow
def test_compiled_sample_contracts_pass_build(tmp_path):
    wanted = [one for one in EVERY if one.name in REPRESENTATIVES]
    assert len(wanted) == len(REPRESENTATIVES)
    assert faults(wanted, tmp_path) == {}


@pytest.mark.thorough
@needs_releases
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("start", PARTS)
def test_contracts_of_every_compiler_pass_build(start, tmp_path):
    assert faults(EVERY[start : start + SITE_SIZE], tmp_path) == {}


@pytest.mark.thorough
@needs_releases
@pytest.mark.parametrize("compiler", release_names("solc"))
def test_metadata_explains_compiler_settings(compiler):
    assert list(unexplained(compiler, 100, seed=7)) == []


def test_compilation_matrix_covers_every_compiler_release():
    assert len(EVERY) >= 300
    used = {one.compiler for one in EVERY}
    assert used >= {*release_names("solc"), *release_names("vyper")}
    minors = {parse_compiler_version(name.partition("-")[2])[:2] for name in release_names("solc")}
    assert minors == {(0, minor) for minor in range(4, 9)}
    assert {one.language for one in EVERY} == {"Solidity", "Vyper", "Yul"}
    assert any(one.levels is None for one in EVERY)


def test_compilers_are_pinned_by_digest():
    [lock] = FOLDER.glob("releases/package-lock.json")
    packages = re.findall(
        r'^    "node_modules/solc-[^/"]+": \{\n(.*?)^    \}',
        lock.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert len(packages) == len(release_names("solc"))
    assert all('"integrity": "sha512-' in package for package in packages)
    for file in FOLDER.glob("releases/vyper-*.txt"):
        python, *lines = file.read_text("utf-8").splitlines()
        assert re.fullmatch(r"# Python 3\.\d+", python)
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
        assert any(line.startswith("vyper==") for line in lines)
