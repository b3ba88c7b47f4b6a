"""Whole builds: what is published, byte for byte, and that nothing but content and instant decides it."""

import os
import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import orjson
import pytest
import yaml

from statuary.base.findings import Severity
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.summary import finding_counts_line
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.publish.folder.folder_target import FolderTarget
from statuary.section import CheckOptions
from support.bad_inputs import ADDRESS, RECORD, RECORD_PATH
from support.real_records import DATA
from support.requirements import CHECKOUT, require_folder
from support.sites import NOW, SMALL_SITE, WITHOUT_CHECKS, small_site, write_files
from support.tiers import few_by_default


def real_files(pattern: str) -> list[Path]:
    require_folder(
        DATA, what="real data", install="put the data folder beside the checkout as ../shared/data"
    )
    return sorted(DATA.glob(pattern))


def build(content: Path, out: Path, now: str = NOW, check_options: CheckOptions | None = None) -> BuildResult:
    with FolderTarget(out) as publication:
        return build_site(
            content, publication, parse_instant(now), NoProgress(), check_options or CheckOptions()
        )


def published(out: Path) -> dict[str, bytes]:
    return {
        file.relative_to(out).as_posix(): file.read_bytes()
        for file in sorted(out.rglob("*"))
        if file.is_file() and ".statuary" not in file.parts
    }


def site_of_records(root: Path, files: Iterable[Path]) -> Path:
    """Write a content folder of record files, each under the path that its record names."""
    content = root / "content"
    chains = set()
    for file in files:
        raw = file.read_bytes()
        record = orjson.loads(raw)
        chains.add(record["chainId"])
        target = content / "contracts" / record["chainId"] / f"{record['address']}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(raw)
    listed = "".join(f"  - {{chain_id: {chain}, name: Chain {chain}}}\n" for chain in sorted(chains))
    return (
        write_files(
            content,
            {
                "site.yaml": "page: {name: T, url: https://t.example, created_at: 2026-01-01T00:00:00Z}\n"
                f"status: {{horizon_days: 0}}\nchains:\n{listed}"
            },
        )
        and content
    )


def assert_served_as_they_came(content: Path, out: Path) -> int:
    files = sorted(content.glob("contracts/*/*.json"))
    for file in files:
        for name in (file.stem, file.stem.lower()):
            assert (out / "v2/contract" / file.parent.name / name).read_bytes() == file.read_bytes(), file
    return len(files)


@pytest.mark.slow
def test_real_records_are_published_unchanged(tmp_path: Path) -> None:
    content = site_of_records(tmp_path, real_files("contract-records/*/*.json"))
    outcome = build(content, tmp_path / "build")
    # one of them has other code on the chain than its sources give: a real server serves it, and so does a site
    [note] = outcome.checked.all_findings
    assert (note.severity, note.rule) == (Severity.NOTE, "runtime-code-mismatch")
    assert Path(note.path).stem.startswith("0x7eCF")
    assert assert_served_as_they_came(content, tmp_path / "build") == 94


@pytest.mark.slow
def test_sourcify_test_vectors_are_published_unchanged(tmp_path: Path) -> None:
    """The vectors share addresses, so each is a site of its own; some were doctored and would prove nothing."""
    files = real_files("transformation-vectors/v2-served-by-real-handler/*.json")
    assert len(files) == 38
    for number, file in enumerate(files):
        content = site_of_records(tmp_path / str(number), [file])
        outcome = build(content, tmp_path / f"build-{number}", check_options=WITHOUT_CHECKS)
        assert outcome.applied, (file.name, outcome.checked.all_findings)
        assert assert_served_as_they_came(content, tmp_path / f"build-{number}") == 1


ODD_DEVDOC = (
    b'"devdoc":{"beyond 64 bits":123456789012345678901234567890,"beyond a double":9007199254740993,"fraction":1.0,'
    b'"exponent":1e5,"capital":1E+5,"minus nothing":-0,"small":-0.0,"half a pair":"\\ud800x",'
    b'"text":"\xc3\xa4\xf0\x9f\x97\xbf","escapes":"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7f","half a \\udc00 key":1}'
)
"""What JSON text can say and Python's values can not, or would spell otherwise."""


def test_unusual_json_numbers_are_preserved(tmp_path: Path) -> None:
    odd = RECORD.encode().replace(b'"devdoc":null', ODD_DEVDOC)
    assert odd != RECORD.encode()
    content = write_files(small_site(tmp_path), {RECORD_PATH: odd})
    build(content, tmp_path / "build", check_options=WITHOUT_CHECKS)
    assert (tmp_path / "build/v2/contract/748463" / ADDRESS).read_bytes() == odd


def test_reformatted_json_becomes_canonical(tmp_path: Path) -> None:
    shuffled = dict(sorted(orjson.loads(RECORD).items()))
    pretty = orjson.dumps(shuffled, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    content = write_files(small_site(tmp_path), {RECORD_PATH: pretty})
    assert build(content, tmp_path / "build").checked.all_findings == []
    assert (tmp_path / "build/v2/contract/748463" / ADDRESS.lower()).read_text("utf-8") == RECORD


def test_yaml_record_equals_json_record(tmp_path: Path) -> None:
    dumped = yaml.safe_dump(orjson.loads(RECORD), allow_unicode=True, width=10_000)
    unquoted = dumped.replace(f"'{ADDRESS}'", ADDRESS).replace("'748463'", "748463")
    assert f"address: {ADDRESS}" in unquoted
    content = write_files(small_site(tmp_path), {RECORD_PATH.replace(".json", ".yaml"): unquoted})
    assert build(content, tmp_path / "build").checked.all_findings == []
    served = orjson.loads((tmp_path / "build/v2/contract/748463" / ADDRESS).read_bytes())
    assert served == orjson.loads(RECORD)


def shuffled_copy(content: Path, target: Path, seed: int) -> Path:
    """Copy a content folder file by file in another order, with other times."""
    files = [file for file in content.rglob("*") if file.is_file()]
    random.Random(seed).shuffle(files)
    for file in files:
        copy = target / file.relative_to(content)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        os.utime(copy, (seed, seed))
    return target


@pytest.mark.parametrize("folder", ["a few records", pytest.param("the whole", marks=pytest.mark.slow)])
def test_identical_content_gives_identical_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    whole = CHECKOUT / "content"
    original = whole if folder == "the whole" else small_site_with_own_records(tmp_path)
    sites = []
    for seed in range(4):
        monkeypatch.setenv("TZ", ["UTC", "Asia/Tokyo", "America/Lima"][seed % 3])
        monkeypatch.setenv("LANG", ["C", "de_DE.UTF-8"][seed % 2])
        content = shuffled_copy(original, tmp_path / f"c{seed}", seed)
        assert build(content, tmp_path / f"b{seed}").applied
        sites.append(published(tmp_path / f"b{seed}"))
    assert len(sites[0]) > 100
    assert all(site == sites[0] for site in sites)


def test_unchanged_rebuild_writes_nothing(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    build(content, tmp_path / "build")
    before = {
        file: os.lstat(file).st_mtime_ns for file in (tmp_path / "build").rglob("*") if "api" in file.parts
    }
    plan = build(content, tmp_path / "build").plan
    assert plan is not None
    assert plan.is_empty
    assert before == {file: os.lstat(file).st_mtime_ns for file in before}


def test_strict_build_with_error_publishes_nothing(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    build(content, tmp_path / "build")
    before = published(tmp_path / "build")
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"] + "unknown: 1\n"})
    outcome = build(content, tmp_path / "build", check_options=CheckOptions(strict=True))
    assert (outcome.plan, outcome.applied) == (None, False)
    assert published(tmp_path / "build") == before


def small_site_with_own_records(root: Path) -> Path:
    """Write a small site with three records of this checkout, and one that is derived from its compilation."""
    content, own = small_site(root), CHECKOUT / "content"
    records = sorted(own.glob("contracts/748463/0x*.json"), key=lambda file: file.stat().st_size)[:3]
    for record in records:
        shutil.copytree(record.with_suffix(""), content / record.relative_to(own).with_suffix(""))
        shutil.copyfile(record, content / record.relative_to(own))
    derived = next(
        folder for folder in own.glob("contracts/748463/0x*") if (folder / "contract.yaml").exists()
    )
    shutil.copytree(derived, content / derived.relative_to(own))
    return content


def demo_record(content: Path) -> Path:
    return min(content.glob("contracts/748463/*.json"), key=lambda file: file.stat().st_size)


def flipped_bytecode(content: Path) -> str:
    """Damage one on-chain bytecode of the demo site; return the record's address."""
    file = demo_record(content)
    record = orjson.loads(file.read_bytes())
    code = record["runtimeBytecode"]["onchainBytecode"]
    record["runtimeBytecode"]["onchainBytecode"] = code[:-1] + ("0" if code[-1] != "0" else "1")
    file.write_bytes(orjson.dumps(record))
    return file.stem


def test_record_with_wrong_bytecode_is_excluded(tmp_path: Path) -> None:
    content = small_site_with_own_records(tmp_path)
    address = flipped_bytecode(content)
    outcome = build(content, tmp_path / "build")
    assert outcome.applied
    assert outcome.checked.excluded_count == 1
    assert "runtime-bytecode-mismatch" in {finding.rule for finding in outcome.checked.exclusion_reasons}
    assert not (tmp_path / f"build/v2/contract/748463/{address}").exists()
    proof = orjson.loads((tmp_path / f"build/proof/748463/{address}.json").read_bytes())
    assert (proof["holds"], proof["published"]) == (False, False)
    listed = orjson.loads((tmp_path / "build/v2/contracts/748463").read_bytes())["results"]
    assert address not in {entry["address"] for entry in listed}
    assert (tmp_path / "build/api/v2/summary.json").exists()


def test_undecodable_file_names_are_excluded(tmp_path: Path) -> None:
    content = small_site_with_own_records(tmp_path)
    flipped_bytecode(content)
    for number in range(3):
        (content / f"contracts/748463/0x\udcff{number}.json").write_text("{}")
    checked = build(content, tmp_path / "build").checked
    assert checked.excluded_count == 4
    assert finding_counts_line(checked).endswith(" errors, 0 warnings, 2 notes, 4 records excluded")


def test_publish_all_setting_publishes_unproved_records(tmp_path: Path) -> None:
    content = small_site_with_own_records(tmp_path)
    address = flipped_bytecode(content)
    site = (content / "site.yaml").read_text("utf-8")
    (content / "site.yaml").write_text(site + "\ncontracts:\n  publish: all\n", "utf-8")
    result = build(content, tmp_path / "build")
    assert (result.applied, result.checked.excluded_count, result.checked.is_clean) == (True, 0, False)
    assert (tmp_path / f"build/v2/contract/748463/{address}").exists()
    proof = orjson.loads((tmp_path / f"build/proof/748463/{address}.json").read_bytes())
    assert (proof["holds"], proof["published"]) == (False, True)


def test_strict_warning_publishes_nothing(tmp_path: Path) -> None:
    content = small_site_with_own_records(tmp_path)
    (content / "stray.yaml").write_text("x: y")
    assert not build(content, tmp_path / "build", check_options=CheckOptions(strict=True)).applied
    assert published(tmp_path / "build") == {}


def misfiled(content: Path) -> str:
    file = next((content / "contracts").glob("*/0x*.json"))
    record = orjson.loads(file.read_bytes())
    file.write_bytes(orjson.dumps(record | {"chainId": "1"}))
    return file.relative_to(content).as_posix()


@pytest.mark.parametrize("strict", few_by_default([False, True], 1))
def test_build_removes_record_of_another_contract(strict: bool, tmp_path: Path) -> None:
    """A record that can be read says what the file is about; one that cannot stays as last published."""
    content = small_site_with_own_records(tmp_path)
    later = "2026-11-21T12:00:00Z"
    assert build(content, tmp_path / "build", later).applied
    path = misfiled(content)
    outcome = build(content, tmp_path / "build", later, CheckOptions(strict=strict))
    assert outcome.applied
    assert not outcome.checked.is_clean
    assert {finding.path for finding in outcome.checked.exclusion_reasons} == {path}
    document = "v2/" + path.replace("contracts/", "contract/").removesuffix(".json")
    assert not (tmp_path / "build" / document).exists()
    assert (tmp_path / "build/api/v2/summary.json").exists()
    assert build(content, tmp_path / "fresh", later).applied
    assert published(tmp_path / "build") == published(tmp_path / "fresh")


def test_symlink_outside_content_is_excluded(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    secret = write_files(tmp_path, {"secret.yaml": SMALL_SITE["incidents/slow.yaml"]}) / "secret.yaml"
    (content / "incidents/linked.yaml").symlink_to(secret)
    (content / "maintenances/loop.yaml").symlink_to(content / "maintenances/loop.yaml")
    outcome = build(content, tmp_path / "build")
    assert [(finding.rule, finding.path) for finding in outcome.checked.skipped] == [
        ("outside-content", "incidents/linked.yaml"),
        ("outside-content", "maintenances/loop.yaml"),
    ]
    assert outcome.applied
    assert not (tmp_path / "build/incidents/linked.html").exists()
