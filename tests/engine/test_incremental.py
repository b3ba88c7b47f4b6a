"""What a build reads: the sources that changed, with the reason; all other documents equal newly built ones."""

import os
import re
import shutil
import time
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import orjson
import pytest

from statuary.base.files import LEDGER
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.api import list_pages
from statuary.contracts.incremental import build_contract as contract_builder
from statuary.contracts.incremental import rebuild_plan
from statuary.contracts.incremental.contract_table import read_reasons
from statuary.contracts.pages import list_documents, lists
from statuary.contracts.section import ContractsSection
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.extensions.snapshots.snapshot_reader import read_snapshot
from statuary.extensions.snapshots.snapshot_target import SnapshotTarget
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.origin import SiteOrigin
from statuary.source.git_state import GitQuery
from statuary.status.section import StatusSection
from statuary.workers.executor import process_executor
from statuary.workers.options import ExecutionOptions
from support.sites import (
    CHAIN,
    INCIDENT,
    NOW,
    SITE,
    address_of,
    contract_count,
    files_in,
    git,
    path_of,
    record_of,
    site_of_many,
    small_site,
    write_files,
)
from support.tiers import few_by_default

COUNT = 8


@pytest.fixture
def built(monkeypatch) -> list[str]:
    """The places of the contracts that have been built."""
    seen: list[str] = []
    real = contract_builder.read_contract

    def read_contract(root, source, content):
        seen.append(source.path)
        return real(root, source, content)

    monkeypatch.setattr(contract_builder, "read_contract", read_contract)
    return seen


def build(content: Path, out: Path, *, git: bool = True, **execution) -> BuildResult:
    with FolderTarget(out) as publication:
        question = GitQuery(content) if git else None
        return build_site(
            content,
            publication,
            parse_instant(NOW),
            NoProgress(),
            execution=ExecutionOptions(git=question, **execution),
        )


def looks(site: Path) -> dict[str, tuple[int, int, int]]:
    """Return inode and times of the files that contracts made."""
    found = {}
    for folder in ("v2", "proof"):
        for file in (site / folder).rglob("*"):
            output = file.stat()
            if file.is_file():
                found[file.relative_to(site).as_posix()] = (
                    output.st_ino,
                    output.st_mtime_ns,
                    output.st_ctime_ns,
                )
    return found


in_git_too = pytest.mark.parametrize("content", ["git", "times"], indirect=True)
"""Decorates a test that tells by default what git changes; for the others that is `slow`."""


@pytest.fixture(params=["times", pytest.param("git", marks=pytest.mark.slow)])
def content(tmp_path, request) -> Path:
    """A content folder, in a repository and of two chains, or neither; old enough that file times are trusted."""
    content = site_of_many(tmp_path / "project", COUNT)
    if request.param == "git":
        add_chain(content)
    long_ago = time.time() - 60
    for file in content.rglob("*"):
        os.utime(file, (long_ago, long_ago))
    if request.param == "git":
        git(content.parent, "init", "-q")
        git(content.parent, "add", ".")
        git(content.parent, "commit", "-qm", "All contracts")
    return content


def add_chain(content: Path) -> None:
    """Add a second chain: from then on, lists of addresses are made of the rows of all contracts."""
    site = (content / "site.yaml").read_text()
    write_files(content, {"site.yaml": site.replace("chains:\n", f"chains:\n{OTHER_CHAIN}", 1)})


OTHER_CHAIN = "  - chain_id: 10\n    name: Other\n"


def as_if_made_anew(content: Path, out: Path) -> None:
    build(content, out.parent / "anew", git=False)
    tells_of_before = "changes.json"
    found, anew = files_in(out), files_in(out.parent / "anew")
    assert found.keys() == anew.keys()
    assert {path for path, body in found.items() if body != anew[path]} <= {tells_of_before}
    shutil.rmtree(out.parent / "anew")


@in_git_too
def test_unchanged_sources_are_not_reread(content, tmp_path, built):
    build(content, tmp_path / "out")
    assert Counter(built) == Counter(path_of(one) for one in range(1, COUNT + 1))
    built.clear()
    before = looks(tmp_path / "out")
    outcome = build(content, tmp_path / "out")
    assert (built, outcome.plan.is_empty) == ([], True)
    assert looks(tmp_path / "out") == before
    assert contract_count(outcome.checked) == COUNT


def test_touched_sources_are_hashed_once(content, tmp_path, monkeypatch):
    build(content, tmp_path / "out", git=False)
    hashed = []
    source_digest = rebuild_plan.source_digest

    def digest_of(root, source):
        hashed.append(source.path)
        return source_digest(root, source)

    monkeypatch.setattr(rebuild_plan, "source_digest", digest_of)
    for file in (content / "contracts").rglob("*.json"):
        os.utime(file, (time.time() - 30,) * 2)
    build(content, tmp_path / "out", git=False)
    assert sorted(hashed) == sorted(path_of(one) for one in range(1, COUNT + 1))
    hashed.clear()
    assert build(content, tmp_path / "out", git=False).plan.is_empty
    assert not hashed


def test_incident_change_rebuilds_no_contract(content, tmp_path, built):
    build(content, tmp_path / "out")
    before = looks(tmp_path / "out")
    built.clear()
    write_files(content, {"incidents/slower.yaml": INCIDENT.replace("11-02", "11-03")})
    outcome = build(content, tmp_path / "out")
    assert (built, outcome.plan.is_empty) == ([], False)
    assert looks(tmp_path / "out") == before
    as_if_made_anew(content, tmp_path / "out")
    write_files(content, {"incidents/slower.yaml": None})
    built.clear()
    build(content, tmp_path / "out")
    assert (built, looks(tmp_path / "out")) == ([], before)
    as_if_made_anew(content, tmp_path / "out")


@in_git_too
def test_changed_contracts_are_rebuilt_with_reason(content, tmp_path, built):
    build(content, tmp_path / "out")
    built.clear()
    changed = record_of(3).replace(b'"matchId":"3"', b'"matchId":"1003"')
    write_files(content, {path_of(3): changed, path_of(5): None, path_of(99): record_of(99)})
    build(content, tmp_path / "out")
    assert sorted(built) == sorted([path_of(3), path_of(99)])
    output = read_reasons(tmp_path / "out" / LEDGER, [path_of(3), path_of(99), path_of(4)])
    assert output == {
        path_of(3): "it has changed",
        path_of(99): "it is new",
        path_of(4): "there was no ledger of an earlier build",
    }
    as_if_made_anew(content, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("content", ["git"], indirect=True)
def test_all_chains_document_follows_contract_changes(content, tmp_path):
    """The document of an address is the same, whether its contract made it or the rows of all contracts."""

    def chains_of_3() -> list[str]:
        body = (tmp_path / "out/v2/contract/all-chains" / address_of(3)).read_bytes()
        return [one["chainId"] for one in orjson.loads(body)["results"]]

    with_one = (content / "site.yaml").read_text().replace(OTHER_CHAIN, "")
    write_files(content, {"site.yaml": with_one})
    build(content, tmp_path / "out")
    alone = files_in(tmp_path / "out")
    add_chain(content)
    build(content, tmp_path / "out")
    addresses = [path for path in alone if path.startswith("v2/contract/all-chains/")]
    assert len({path.lower() for path in addresses}) == COUNT
    assert {path: files_in(tmp_path / "out")[path] for path in addresses} == {
        path: alone[path] for path in addresses
    }
    other = orjson.dumps(orjson.loads(record_of(3)) | {"chainId": "10", "matchId": "33"})
    write_files(content, {f"contracts/10/{address_of(3)}.json": other})
    build(content, tmp_path / "out")
    assert chains_of_3() == [CHAIN, "10"]
    as_if_made_anew(content, tmp_path / "out")
    write_files(content, {path_of(3): None})
    build(content, tmp_path / "out")
    assert chains_of_3() == ["10"]
    as_if_made_anew(content, tmp_path / "out")
    write_files(content, {f"contracts/10/{address_of(3)}.json": None, "site.yaml": with_one})
    build(content, tmp_path / "out")
    as_if_made_anew(content, tmp_path / "out")
    assert not list((tmp_path / "out/v2/contract/all-chains").glob(f"*{address_of(3)[-4:]}"))


def test_unchanged_excluded_record_is_not_rechecked(content, tmp_path, built):
    damaged = record_of(3).replace(b'"match":"exact_match"', b'"match":"match"', 1)
    assert damaged != record_of(3)
    write_files(content, {path_of(3): damaged})
    first = build(content, tmp_path / "out")
    built.clear()
    again = build(content, tmp_path / "out")
    assert built in ([], [path_of(3)])  # what is new and uncommitted may be looked at for its time
    assert (again.checked.excluded_count, again.checked.exclusion_reasons) == (
        1,
        first.checked.exclusion_reasons,
    )


OTHER_MATCH_ID = record_of(4).replace(b'"matchId":"4"', b'"matchId":"444"')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("second", "rules"),
    [
        (record_of(4), {"duplicate-contract", "duplicate-match-id"}),
        pytest.param(OTHER_MATCH_ID, {"duplicate-contract"}, marks=pytest.mark.slow),
        pytest.param(
            record_of(99).replace(b'"matchId":"99"', b'"matchId":"4"'),
            {"duplicate-match-id"},
            marks=pytest.mark.slow,
        ),
    ],
)
@pytest.mark.parametrize("removed", ["the first", pytest.param("the second", marks=pytest.mark.slow)])
def test_duplicate_contract_excludes_only_second_record(content, tmp_path, second, rules, removed):
    build(content, tmp_path / "out")
    before = files_in(tmp_path / "out")
    write_files(content, {"contracts/more.jsonl": record_of(98) + b"\n" + second + b"\n"})
    write_files(content, {"incidents/other.yaml": INCIDENT})
    for _ in range(2):
        checked = build(content, tmp_path / "out").checked
        reasons = {(one.rule, one.path, path_of(4) in one.message) for one in checked.exclusion_reasons}
        assert reasons == {(rule, "contracts/more.jsonl", True) for rule in rules}
        assert (checked.excluded_count, contract_count(checked)) == (1, COUNT + 1)
        site = files_in(tmp_path / "out")
        assert site["api/v2/incidents.json"] != before["api/v2/incidents.json"]
        assert f"v2/contract/{CHAIN}/{address_of(98)}" in site
        of_first = [path for path in before if address_of(4).lower() in path.lower()]
        assert of_first
        assert [path for path in of_first if site[path] != before[path]] == []
        build(content, tmp_path / "fresh")
        assert unlike(site, files_in(tmp_path / "fresh")) == set()
    if removed == "the first":
        (content / path_of(4)).unlink()
    else:
        write_files(content, {"contracts/more.jsonl": record_of(98) + b"\n"})
    assert build(content, tmp_path / "out").checked.excluded_count == 0
    build(content, tmp_path / "again")
    assert unlike(files_in(tmp_path / "out"), files_in(tmp_path / "again")) == set()


def earlier(record: bytes) -> bytes:
    """Return a record that says that it was verified earlier on the same day."""
    return re.sub(rb'("verifiedAt":"[0-9-]+T)[0-9:]{8}', rb"\g<1>00:00:00", record)


@pytest.mark.parametrize(
    ("form", "second"),
    few_by_default(product(["file", "line"], [earlier(OTHER_MATCH_ID), earlier(record_of(4))]), 1),
)
def test_published_record_outranks_earlier_duplicate(content, tmp_path, form, second):
    """The published one stays, in a file or in a line that moves, when all is built again too."""
    published, duplicates = (
        f"v2/contract/{CHAIN}/{address_of(4)}",
        ("duplicate-contract", "duplicate-match-id"),
    )
    if form == "line":
        (content / path_of(4)).unlink()
        write_files(content, {"contracts/more.jsonl": record_of(98) + b"\n" + record_of(4) + b"\n"})
    build(content, tmp_path / "out")
    before = files_in(tmp_path / "out")[published]
    lines = [record_of(98), second, *([record_of(4)] if form == "line" else [])]
    write_files(content, {"contracts/more.jsonl": b"\n".join(lines) + b"\n"})
    for title in ("One", "Two"):
        checked = build(content, tmp_path / "out").checked
        assert (checked.excluded_count, files_in(tmp_path / "out")[published]) == (1, before)
        assert {finding.rule for finding in checked.exclusion_reasons} <= {*duplicates}
        site_yaml = (content / "site.yaml").read_text()
        write_files(content, {"site.yaml": f"{site_yaml}# {title}\n"})
    write_files(content, {"site.yaml": site_yaml + "contracts: {publish: all}\n"})
    assert build(content, tmp_path / "out").checked.excluded_count == 1
    assert files_in(tmp_path / "out")[published] == before


def test_first_build_keeps_earliest_duplicate_record(content, tmp_path):
    write_files(content, {"contracts/more.jsonl": earlier(OTHER_MATCH_ID) + b"\n"})
    checked = build(content, tmp_path / "out").checked
    assert {(one.path, "more.jsonl:1" in one.message) for one in checked.exclusion_reasons} == {
        (path_of(4), True)
    }
    record = files_in(tmp_path / "out")[f"v2/contract/{CHAIN}/{address_of(4)}"]
    assert b'"matchId":"444"' in record


def unlike(one: dict[str, bytes], other: dict[str, bytes]) -> set[str]:
    """Return the paths that differ, but for the one that tells of the build before."""
    return {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)} - {"changes.json"}


def test_snapshot_excludes_duplicate_record(content, tmp_path):
    write_files(content, {"contracts/more.jsonl": OTHER_MATCH_ID + b"\n"})
    origin = SiteOrigin(instant=parse_instant(NOW), revision="", statuary="1")
    with SnapshotTarget(tmp_path / "site.zip", origin) as target:
        assert build_site(content, target, parse_instant(NOW), NoProgress()).checked.excluded_count == 1
    with read_snapshot(str(tmp_path / "site.zip")) as snapshot:
        paths = [entry.path for entry in snapshot.entries()]
    assert f"v2/contract/{CHAIN}/{address_of(5)}" in paths
    assert f"v2/contract/{CHAIN}/{address_of(4)}" in paths


def test_fresh_clone_reuses_cached_site(tmp_path, built):
    """As a CI does: new times everywhere, the site and its ledger from a cache."""
    content = site_of_many(tmp_path / "project", COUNT)
    git(content.parent, "init", "-q")
    git(content.parent, "add", ".")
    git(content.parent, "commit", "-qm", "All contracts")
    build(content, tmp_path / "out")
    built.clear()
    git(tmp_path, "clone", "-q", str(content.parent), str(tmp_path / "clone"))
    shutil.copytree(tmp_path / "out", tmp_path / "clone/build", copy_function=shutil.copyfile)
    outcome = build(tmp_path / "clone/content", tmp_path / "clone/build")
    assert (built, outcome.plan.is_empty) == ([], True)


@pytest.mark.parametrize("what", ["settings", "statuary"])
def test_changed_settings_rebuild_every_document(content, tmp_path, built, what, monkeypatch):
    build(content, tmp_path / "out")
    built.clear()
    if what == "settings":
        write_files(
            content, {"site.yaml": (content / "site.yaml").read_text() + "contracts: {publish: all}\n"}
        )
    else:
        monkeypatch.setattr(
            "statuary.contracts.incremental.rebuild.fingerprint_of",
            lambda *them: fingerprint_of(*them)._replace(statuary="another"),
        )
    build(content, tmp_path / "out")
    assert len(built) == COUNT
    output = read_reasons(tmp_path / "out" / LEDGER, [path_of(1)])
    assert output == {path_of(1): f"{'statuary has' if what == 'statuary' else 'the settings have'} changed"}


EDITS = {
    "name of the page": ("site.yaml", "name: Plinth\n  url", "name: Other\n  url"),
    "address": ("site.yaml", "https://status.plinth.example", "https://status.other.example"),
    "time zone": ("site.yaml", "page:\n", "page:\n  time_zone: Asia/Tokyo\n"),
    "demo": ("site.yaml", "page:\n", "page:\n  demo: true\n"),
    "name of the chain": ("site.yaml", "    name: Plinth\n", "    name: Other\n"),
    "language": ("site.yaml", "pages: {", "pages: {language: de, "),
    "search": ("site.yaml", "pages: {", "pages: {search: false, "),
    "text": ("theme/texts/en.yaml", "", "contracts: {title: Sources}\n"),
    "own page": ("pages/about.md", "", "---\ntitle: About\nnavigation: true\n---\nHello.\n"),
}
"""What every page shows, however few contracts changed: a file, a part of it, and what stands there then."""


@pytest.mark.parametrize("most_pages", few_by_default([10, 0], 1))
@pytest.mark.parametrize("edited", few_by_default(EDITS, 1))
def test_build_after_edit_equals_fresh_build(tmp_path, edited, most_pages):
    settings = f"{SITE}pages: {{contracts: {most_pages}}}\napis: [code, etherscan, otterscan, proxies]\n"
    files = {path_of(number): record_of(number) for number in (1, 2)}
    content = write_files(small_site(tmp_path), {**files, "site.yaml": settings})
    build(content, tmp_path / "out", git=False)
    path, old, new = EDITS[edited]
    text = (content / path).read_text() if old else ""
    assert old in text
    write_files(content, {path: text.replace(old, new, 1) if old else new})
    assert build(content, tmp_path / "out", git=False).applied
    as_if_made_anew(content, tmp_path / "out")


def verify_again(record):
    record["verifiedAt"] = "2026-11-02T10:00:00Z"


def renumber(record):
    record["matchId"] = "4711"


@pytest.mark.parametrize(
    ("edit", "is_shown"),
    [(verify_again, False), *few_by_default([(renumber, True), (None, True)], 1)],
)
def test_changed_contract_name_rebuilds_search_files(tmp_path, edit, is_shown, monkeypatch):
    content = write_files(small_site(tmp_path), {path_of(number): record_of(number) for number in (1, 2)})
    build(content, tmp_path / "out", git=False)
    searched, real = [], list_documents.search_documents
    monkeypatch.setattr(
        list_documents, "search_documents", lambda *args, **kw: searched.append(1) or real(*args, **kw)
    )
    if edit is None:
        (content / path_of(2)).unlink()
    else:
        record = orjson.loads((content / path_of(2)).read_bytes())
        edit(record)
        (content / path_of(2)).write_bytes(orjson.dumps(record))
    assert build(content, tmp_path / "out", git=False).applied
    assert bool(searched) is is_shown
    as_if_made_anew(content, tmp_path / "out")


@pytest.mark.parametrize("seed", few_by_default(range(12), 2))
def test_edits_divide_lists_as_anew(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(list_pages, "PAGE_SIZE", 4)
    monkeypatch.setattr(lists, "NEWEST_CONTRACTS", 3)
    random = Random(f"lists {seed}")
    content = site_of_many(tmp_path, 24, pages=True)
    add_chain(content)
    build(content, tmp_path / "out", git=False)
    for _ in range(3):
        for number in random.sample(range(1, 30), k=random.randint(1, 3)):
            record = orjson.loads(record_of(number))
            if random.random() < 0.5:
                record["matchId"] = str(random.randrange(10**6))
            (content / path_of(number)).write_bytes(orjson.dumps(record))
            if random.random() < 0.4:
                (content / path_of(number)).unlink()
        assert build(content, tmp_path / "out", git=False).applied
        as_if_made_anew(content, tmp_path / "out")


@pytest.mark.parametrize("damage", ["removed", "shorter"])
def test_damaged_contract_document_is_rebuilt(content, tmp_path, built, damage):
    build(content, tmp_path / "out")
    whole = files_in(tmp_path / "out")
    built.clear()
    file = tmp_path / "out/v2/contract" / CHAIN / address_of(7)
    if damage == "removed":
        file.unlink()
    else:
        file.write_bytes(b"{}")
    build(content, tmp_path / "out", verify=damage == "shorter")
    assert built == [path_of(7)]
    assert files_in(tmp_path / "out") == whole


def test_git_ignored_record_is_built(tmp_path, built):
    content = site_of_many(tmp_path / "project", COUNT)
    write_files(content.parent, {".gitignore": f"{address_of(99)}.json\n"})
    git(content.parent, "init", "-q")
    git(content.parent, "add", ".")
    git(content.parent, "commit", "-qm", "All contracts")
    build(content, tmp_path / "out")
    write_files(content, {path_of(99): record_of(99)})
    outcome = build(content, tmp_path / "out")
    assert contract_count(outcome.checked) == COUNT + 1


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_worker_count_changes_no_byte(count, tmp_path, monkeypatch):
    content = site_of_many(tmp_path, count, pages=True)
    monkeypatch.setattr(FolderTarget, "partition_size", 16)
    build(content, tmp_path / "one", git=False)
    with process_executor(3) as executor:
        build(content, tmp_path / "three", git=False, executor=executor)
    assert files_in(tmp_path / "three") == files_in(tmp_path / "one")


@pytest.mark.slow
@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_interrupted_build_resumes_after_finished_contracts(count, tmp_path, built, monkeypatch):
    content = site_of_many(tmp_path, count)
    build(content, tmp_path / "undisturbed", git=False)
    built.clear()
    monkeypatch.setattr(FolderTarget, "partition_size", 8)
    real = contract_builder.read_contract

    def until_the_twentieth(root, source, content):
        if len(built) == 20:
            raise KeyboardInterrupt
        return real(root, source, content)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(contract_builder, "read_contract", until_the_twentieth)
        with pytest.raises(KeyboardInterrupt):
            build(content, tmp_path / "out", git=False)
    built.clear()
    build(content, tmp_path / "out", git=False)
    assert len(built) == count - 16
    assert files_in(tmp_path / "out") == files_in(tmp_path / "undisturbed")


STAGES = {
    "status": (StatusSection, "build"),
    "lists": (ContractsSection, "finalize"),
    "publishing": (FolderTarget, "apply"),
}


@pytest.mark.slow
@pytest.mark.parametrize("stage", few_by_default(STAGES, 1))
def test_build_interrupted_after_contracts_reuses_contracts(tmp_path, monkeypatch, stage):
    """What it made of contracts is used; lists, which depend on all of them, are made again."""
    content = site_of_many(tmp_path, 20)
    build(content, tmp_path / "undisturbed", git=False)
    owner, name = STAGES[stage]
    real = getattr(owner, name)

    def interrupted(*arguments, **options):
        real(*arguments, **options)
        raise KeyboardInterrupt

    def not_published(*_):
        raise KeyboardInterrupt

    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, not_published if stage == "publishing" else interrupted)
            with pytest.raises(KeyboardInterrupt):
                build(content, tmp_path / "out", git=False)
    build(content, tmp_path / "out", git=False)
    assert files_in(tmp_path / "out") == files_in(tmp_path / "undisturbed")
