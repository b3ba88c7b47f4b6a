"""The packs of a built site: what they hold, what a change writes, and that nothing old is ever believed."""

import shutil
from pathlib import Path

import orjson
import pytest

from statuary.base.files import PublishingError
from statuary.contracts.paths import plain_path
from statuary.extensions.hosting.hosts import HOSTS, Host
from statuary.extensions.packs import build_documents, pack_tasks, section
from statuary.extensions.packs.limits import PUBLISHED_SIZE
from statuary.extensions.packs.pack_format import PackedDocument, make_pack_key
from statuary.extensions.packs.pack_list import (
    GROWTH,
    LIST,
    PackList,
    PackListReader,
    count_runs_to_keep,
    encode_pack_list,
    iter_newest_documents,
    parse_pack_list,
)
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.listing import DamagedSnapshotError
from statuary.site.settings import HOST_LIMITS
from statuary.system import archives
from support.packed_sites import build, built_files, list_of, packed_content, require_zstd
from support.random_runs import seeded
from support.sites import path_of, record_of, tree


@pytest.fixture(autouse=True)
def _extra() -> None:
    require_zstd()


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return packed_content(tmp_path, 40)


def packed(out: Path, packs: PackList) -> dict[str, bytes]:
    """Return every document of a site's packs."""
    found = iter_newest_documents(
        packs, lambda pack: FileRanges(out / "packs" / pack.path), with_removals=False
    )
    return {key: body for key, body in found if body is not None}


def expected(files: dict[str, bytes]) -> dict[str, bytes]:
    return {make_pack_key(plain_path(path)): body for path, body in files.items() if is_packable(path)}


def checked(content: Path, out: Path, **more: bool) -> PackList:
    """Build, make sure that the packs hold what the site has, and look every document up."""
    files = built_files(content, out, **more)
    packs, wanted = list_of(files), expected(files)
    assert packed(out, packs) == wanted
    with PackListReader(packs, lambda pack: FileRanges(out / "packs" / pack.path)) as reader:
        assert {key: reader.find(key) for key in wanted} == wanted
        assert reader.find("v2/contract/1/0x" + "e" * 40) is None
    names = {f"packs/{pack.path}" for pack in packs} | {LIST}
    assert {path for path in files if path.startswith("packs/")} == names
    return packs


@pytest.mark.slow
def test_disabled_packs_leave_no_documents(content: Path, tmp_path: Path) -> None:
    text = (content / "site.yaml").read_text()
    on = built_files(content, tmp_path / "on")
    (content / "site.yaml").write_text(text.replace("packs: true\n", "packs: false\n"))
    off = built_files(content, tmp_path / "off")
    assert {path for path in on if path.startswith("packs/")}
    assert not {path for path in off if path.startswith("packs/")}
    assert built_files(content, tmp_path / "on") == off
    (content / "site.yaml").write_text(text.replace("packs: true\n", ""))
    assert built_files(content, tmp_path / "off") == off


def test_rebuild_writes_delta_pack(content: Path, tmp_path: Path) -> None:
    out = tmp_path / "build"
    base = checked(content, out)
    assert {pack.run for pack in base} == {0}
    assert checked(content, out) == base
    (content / path_of(41)).write_bytes(record_of(41))
    (content / path_of(3)).unlink()
    changed = orjson.loads(record_of(5)) | {"verifiedAt": "2026-01-02T03:04:05Z"}
    (content / path_of(5)).write_bytes(orjson.dumps(changed))
    after = checked(content, out)
    assert after[: len(base)] == base
    (small,) = after[len(base) :]
    assert small.run == 1
    assert small.totals.removals >= 2  # record and proof
    assert checked(content, out) == after
    assert checked(content, out, verify=True) == after
    # back again: the same documents as at first, in other packs
    (content / path_of(41)).unlink()
    (content / path_of(3)).write_bytes(record_of(3))
    (content / path_of(5)).write_bytes(record_of(5))
    back = checked(content, out)
    assert back[: len(base)] == base
    assert len(back) == len(base) + 1  # the small one was merged with the first


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_packs_fit_file_limit_of_host(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: Host
) -> None:
    accepted = HOST_LIMITS[host.site_files].file_size if host.site_files in HOST_LIMITS else None
    assert (accepted or PUBLISHED_SIZE) >= PUBLISHED_SIZE
    size = 12_000  # in place of the limit, which only tens of thousands of contracts reach
    monkeypatch.setattr(pack_tasks, "PUBLISHED_SIZE", size)
    files = built_files(content, tmp_path / "build")
    packs = list_of(files)
    assert len(packs) > 1
    assert all(pack.size <= size for pack in packs)
    assert all(len(body) <= (accepted or len(body)) for body in files.values())


def test_pack_above_file_limit_is_divided(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (large,) = checked(content, tmp_path / "build")
    for module in (pack_tasks, section):
        monkeypatch.setattr(module, "PUBLISHED_SIZE", large.size - 1)
    packs = checked(content, tmp_path / "build")
    assert len(packs) > 1
    assert checked(content, tmp_path / "build") == packs


@pytest.mark.slow
def test_identical_history_gives_identical_packs(content: Path, tmp_path: Path) -> None:
    for step in range(6):
        (content / path_of(50 + step)).write_bytes(record_of(50 + step))
        sites = [built_files(content, tmp_path / name) for name in ("one", "two")]
        assert sites[0] == sites[1]
    shutil.rmtree(tmp_path / "two")
    fresh = built_files(content, tmp_path / "two")
    assert packed(tmp_path / "two", list_of(fresh)) == packed(tmp_path / "one", list_of(sites[0]))


@pytest.mark.slow
def test_many_small_changes_keep_few_packs(content: Path, tmp_path: Path) -> None:
    out = tmp_path / "build"
    base = checked(content, out)
    for number in range(60, 80):
        (content / path_of(number)).write_bytes(record_of(number))
        packs = checked(content, out)
        assert packs[: len(base)] == base
        assert len({pack.run for pack in packs}) <= 5


@pytest.mark.parametrize(
    ("sizes", "added", "kept"),
    [
        ([100], 1, 1),
        ([100, 8], 2, 2),
        ([100, 7], 2, 1),
        ([1_000_000, 64, 16, 4], 1, 4),
        ([1_000_000, 64, 16, 4], 2, 1),
        ([5], 1_000, 1),
        ([9, 3, 2_000], 1, 3),
    ],
)
def test_small_packs_are_merged(sizes: list[int], added: int, kept: int) -> None:
    assert count_runs_to_keep(sizes, added) == kept
    stay = sizes[1:kept]
    assert not stay or stay[-1] >= GROWTH * (added + sum(sizes[kept:]))


@pytest.mark.slow
def test_failed_packing_rebuilds_packs_later(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changed in that build is known to no later one."""
    out = tmp_path / "build"
    base = checked(content, out)

    def failing(*_: object) -> PackList:
        raise PublishingError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(section, "make_packs", failing)
        (content / path_of(3)).unlink()
        files = built_files(content, out)
    assert list_of(files) == base  # the packs of before stay, and the record is gone
    assert not [path for path in files if path.endswith(path_of(3).rpartition("/")[2][:-5])]
    assert {pack.run for pack in checked(content, out)} == {0}


@pytest.mark.slow
def test_build_skipping_packs_keeps_packs_valid(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "build"
    checked(content, out)
    for change in (
        (content / path_of(3)).unlink,
        lambda: (content / path_of(3)).write_bytes(record_of(3)),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(
                section.SitePacks,
                "pack_changed_documents",
                lambda self: self._ledger.documents.keep_published_folder("packs") or "",
            )
            change()
            built_files(content, out)
        checked(content, out)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["list", "pack", "both", "gone"])
def test_damaged_packs_are_rebuilt(content: Path, tmp_path: Path, damage: str) -> None:
    out = tmp_path / "build"
    base = checked(content, out)
    pack = out / "packs" / base[0].path
    if damage in ("list", "both"):
        (out / LIST).write_bytes(b"{}")
    if damage in ("pack", "both"):
        pack.write_bytes(b"x" + pack.read_bytes())
    if damage == "gone":
        shutil.rmtree(out / "packs")
    (content / path_of(41)).write_bytes(record_of(41))
    assert {one.run for one in checked(content, out)} == {0}


@pytest.mark.slow
def test_removed_lowercase_aliases_repack_no_document(content: Path, tmp_path: Path) -> None:
    before = built_files(content, tmp_path / "out")
    with (content / "site.yaml").open("a") as file:
        file.write("hosting: {lower_case_names: false}\n")
    (content / path_of(5)).write_bytes(record_of(45))
    (content / path_of(5)).rename(content / path_of(45))
    after = built_files(content, tmp_path / "out")
    assert len([path for path in after if is_packable(path)]) < len(
        [path for path in before if is_packable(path)]
    )
    assert [pack.totals[:2] for pack in list_of(after)] == [list_of(before)[0].totals[:2], (3, 3)]
    (content / "site.yaml").write_text(
        (content / "site.yaml").read_text().replace("lower_case_names: false", "")
    )
    assert built_files(content, tmp_path / "out")[LIST] == after[LIST]


@pytest.mark.slow
def test_sharded_site_has_identical_packs(content: Path, tmp_path: Path) -> None:
    plain = checked(content, tmp_path / "plain")
    with (content / "site.yaml").open("a") as file:
        file.write("hosting: {layout: sharded}\n")
    files = built_files(content, tmp_path / "sharded")
    assert any(path.startswith("_shards/") for path in files)
    assert packed(tmp_path / "sharded", list_of(files)) == packed(tmp_path / "plain", plain)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_changes_keep_packs_valid(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Changes of contracts and of the layout together, in several ranges, with merges of packs."""
    monkeypatch.setattr(build_documents, "RANGE_SAMPLE", bytes([32]))
    dice = seeded(seed)
    settings = (content / "site.yaml").read_text()
    for _ in range(8):
        for number in dice.sample(range(1, 70), 6):
            changed = orjson.loads(record_of(number)) | {"verifiedAt": f"2026-01-0{number % 9 + 1}T03:04:05Z"}
            (content / path_of(number)).write_bytes(dice.choice([record_of(number), orjson.dumps(changed)]))
            if dice.randrange(3) == 0:
                (content / path_of(number)).unlink()
        layout, names = dice.choice(["plain", "plain", "sharded"]), dice.choice(["true", "false"])
        hosting = f"hosting: {{layout: {layout}, lower_case_names: {names}}}\n"
        (content / "site.yaml").write_text(settings + hosting)
        checked(content, tmp_path / "build")


@pytest.mark.slow
def test_removed_contracts_leave_empty_pack_list(content: Path, tmp_path: Path) -> None:
    out = tmp_path / "build"
    checked(content, out)
    shutil.rmtree(content / "contracts")
    assert checked(content, out)[-1].totals.documents == 0
    assert checked(content, tmp_path / "fresh") == ()


@pytest.mark.slow
def test_missing_zstd_still_publishes_site(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from statuary.base.optional import MissingExtraError
    from statuary.extensions.packs import codec

    def missing() -> None:
        raise MissingExtraError("Zstandard", "zstd")

    for module in (archives, codec):
        monkeypatch.setattr(module, "import_zstandard", missing)
    result = build(content, tmp_path / "build")
    assert result.applied
    assert "status.json" in str([*tree(tmp_path / "build")])
    assert any("extra 'zstd'" in finding.message for finding in result.checked.all_findings)


# Lists that somebody else wrote


@pytest.mark.slow
def test_encoded_pack_list_parses_unchanged(content: Path, tmp_path: Path) -> None:
    text = built_files(content, tmp_path / "build")[LIST]
    assert encode_pack_list(parse_pack_list(text, LIST)) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda row: row | {"path": "../x.pack"}, "does not contain its SHA-256"),
        (lambda row: row | {"size": -1}, "malformed"),
        (lambda row: row | {"end": [1 << 50, "0" * 64]}, "begins after the end"),
        (lambda row: row | {"end": [1]}, "malformed"),
        (lambda row: row | {"first": "/etc/passwd"}, "malformed"),
        (lambda row: row | {"last": ""}, "malformed"),
        (lambda row: row | {"run": "1"}, "malformed"),
        (lambda row: row | {"sha256": "x"}, "malformed"),
        (lambda _: [], "malformed"),
    ],
)
def test_malformed_pack_list_is_rejected(content: Path, tmp_path: Path, change, match: str) -> None:
    value = orjson.loads(built_files(content, tmp_path / "build")[LIST])
    value["packs"][0] = change(value["packs"][0])
    with pytest.raises(DamagedSnapshotError, match=match):
        parse_pack_list(orjson.dumps(value), "packs.json")
    value["packs"] = value["packs"] * 2
    with pytest.raises(DamagedSnapshotError):
        parse_pack_list(orjson.dumps(value), "packs.json")


@pytest.mark.slow
def test_pack_unlike_listed_digest_fails(content: Path, tmp_path: Path) -> None:
    out = tmp_path / "build"
    (pack, *_) = list_of(built_files(content, out))
    file = out / "packs" / pack.path
    key = pack.totals.first
    for body in (file.read_bytes()[:-1], b"x" * pack.size):
        file.write_bytes(body)
        with (
            PackListReader((pack,), lambda _: FileRanges(file)) as reader,
            pytest.raises(DamagedSnapshotError),
        ):
            reader.find(key)


def test_document_in_newest_pack_takes_precedence() -> None:
    from statuary.extensions.packs.pack_list import select_newest_versions

    rows = [
        ("a", 0, PackedDocument("a", None)),
        ("a", 1, PackedDocument("a", b"1")),
        ("b", 1, PackedDocument("b", b"2")),
    ]
    assert [*select_newest_versions(rows, with_removals=False)] == [PackedDocument("b", b"2")]
    assert [*select_newest_versions(rows, with_removals=True)] == [
        PackedDocument("a", None),
        PackedDocument("b", b"2"),
    ]


@pytest.mark.slow
def test_api_page_documents_packs_as_immutable(content: Path, tmp_path: Path) -> None:
    page = built_files(content, tmp_path / "build")["api.html"].decode()
    described = page[page.index("/packs/data/{digest}.pack") :]
    assert "application/octet-stream · Cache: immutable" in described[: described.index("</section>")]
