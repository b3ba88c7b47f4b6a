"""Content that is meant to stop a build or to take all of a machine: each time a finding, and the rest is read."""

import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from statuary.base.findings import Finding
from statuary.base.limits import MAX_FOLDERS, MAX_MESSAGE, MAX_SHOWN_FINDINGS
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.findings_report import text_report
from statuary.cli.main import command as program
from statuary.contracts.sources.contract_scan import ContractScan, ExternalSource
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.build import build_site
from statuary.engine.check_site import check_site
from statuary.extensions.bulk import readers as scratch
from statuary.publish.folder.folder_target import FolderTarget
from statuary.source.edit_files import EditError, FileEdit, write_edit
from statuary.source.locate import locate_findings
from statuary.source.parse_json import parse_json_as_text
from statuary.source.parse_yaml import parse_yaml
from statuary.source.source_files import SourceFile, walk_folder
from statuary.source.unreadable import UnreadableError
from support.contracts import made_record
from support.requirements import require_names_in_utf_8
from support.sites import NOW, small_site, write_files
from support.tiers import few_by_default

ADDRESS = "0x" + "5a" * 20


def findings_of(content: Path) -> list[Finding]:
    checked = check_site(content, parse_instant(NOW), NoProgress())
    return list(checked.all_findings)


def with_aliases(count: int, size: int) -> str:
    return f"a: &a {'x' * size}\nb: [{', '.join(['*a'] * count)}]\n"


def test_yaml_alias_expansion_is_limited() -> None:
    assert len(parse_yaml(with_aliases(8, 2_000))["b"]) == 8
    for text in (with_aliases(20_000, 3_000), with_aliases(20, 50_000)):
        with pytest.raises(UnreadableError, match="aliases make it too large"):
            parse_yaml(text)


def test_nested_yaml_alias_expansion_is_limited() -> None:
    levels = "\n".join(
        f"{name}: &{name} [{', '.join(['*' + below] * 9)}]" for below, name in ["ab", "bc", "cd", "de"]
    )
    with pytest.raises(UnreadableError, match="aliases make it too large"):
        parse_yaml(f"a: &a [x, x, x]\n{levels}\n")


@pytest.mark.parametrize("text", ['{"a": "\\ud800"}', '{"a\\uDC00": 1}', '["\\ud83d\\ud83d\\ude00"]'])
def test_unpaired_surrogate_in_json_is_rejected(text: str) -> None:
    with pytest.raises(UnreadableError, match="surrogate"):
        parse_json_as_text(text)


def test_paired_surrogate_in_json_is_accepted() -> None:
    assert parse_json_as_text('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


def surrogate_in_member(record: dict, member: str) -> None:
    record["compilation"][member] = "\ud800x"


def surrogate_in_path(record: dict, _: str) -> None:
    (text,) = record["sources"].values()
    record["sources"] = {"\ud800.sol": text}


def surrogate_in_notice(record: dict, _: str) -> None:
    record["userdoc"] = {"notice": "\udfff"}


@pytest.mark.parametrize(
    ("change", "member"),
    [
        (surrogate_in_member, "name"),
        (surrogate_in_member, "fullyQualifiedName"),
        (surrogate_in_member, "compiler"),
        (surrogate_in_path, ""),
        (surrogate_in_notice, ""),
    ],
)
def test_unpaired_surrogate_excludes_only_its_record(tmp_path, change, member) -> None:
    import json

    record = orjson.loads(orjson.dumps(made_record()))
    change(record, member)
    path = f"contracts/748463/{record['address']}.json"
    content = write_files(small_site(tmp_path), {path: json.dumps(record | {"chainId": "748463"})})
    assert {finding.path for finding in findings_of(content)} == {path}


def test_file_name_without_utf8_is_reported(tmp_path: Path) -> None:
    require_names_in_utf_8()
    content = small_site(tmp_path)
    (content / "contracts" / "748463").mkdir(parents=True)
    for name in (b"incidents/\xff.yaml", b"contracts/\xfe.jsonl", b"contracts/748463/\xfd.json", b"\xfc"):
        (content / os.fsdecode(name)).touch()
    found = {finding.path for finding in findings_of(content) if "not UTF-8" in finding.message}
    assert found == {
        "incidents/\\xff.yaml",
        "contracts/\\xfe.jsonl",
        "contracts/748463/\\xfd.json",
        "\\xfc",
    }


@pytest.mark.parametrize("name", ["input.json", "creation.hex", "contract.yaml"])
def test_named_pipe_in_workspace_never_blocks(tmp_path: Path, name: str) -> None:
    folder = tmp_path / f"contracts/1/{ADDRESS}"
    write_files(folder, {"contract.yaml": "contract: a.sol:A\n", "input.json": "{}", "output.json": "{}"})
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    source = ContractSource(f"contracts/1/{ADDRESS}/contract.yaml", "1", ADDRESS, ContractForm.WORKSPACE)
    messages = {
        finding.path.rpartition("/")[2]: finding.message
        for finding in read_contract(tmp_path, source).findings
    }
    assert messages.get(name, messages.get("contract.yaml")) is not None


def test_content_named_pipe_is_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    with pytest.raises(UnreadableError, match="regular file"):
        SourceFile(tmp_path, "a.yaml").load_bytes(100)


def test_content_folder_nesting_is_limited(tmp_path: Path) -> None:
    (tmp_path / "/".join(["d"] * 300)).mkdir(parents=True)
    (found,) = walk_folder(tmp_path)
    assert found.message == f"the folders are nested in more than {MAX_FOLDERS} levels"


def test_invalid_external_records_path_is_reported(tmp_path: Path) -> None:
    for location in ("x" * 5_000, "/".join(["x" * 200] * 30), "nul\0"):
        scan = ContractScan(tmp_path, [ExternalSource(location, "site.yaml", ("contracts", "sources", 0))])
        (finding,) = scan.findings
        assert (finding.rule, finding.path) == ("source-unavailable", "site.yaml")


def test_many_invalid_values_are_summarized(tmp_path: Path) -> None:
    updates = "".join("- {at: 1, status: none}\n" for _ in range(1_000))
    content = write_files(small_site(tmp_path), {"incidents/slow.yaml": f"name: a\nupdates:\n{updates}"})
    found = findings_of(content)
    assert len(found) == MAX_SHOWN_FINDINGS + 1
    assert any(finding.message.endswith("more values are not valid") for finding in found)


def test_message_with_huge_value_is_shortened() -> None:
    message = Finding(rule="r", message=f"name {'x' * 60_000_000} is wrong").message
    assert len(message) == MAX_MESSAGE + 1
    assert message.startswith("name xxx")
    assert message.endswith("xxx is wrong")


HUGE = {
    "incidents/a.yaml": with_aliases(20_000, 3_000),
    "incidents/b.json": "[" * 100_000,
    "incidents/c.yaml": "[" * 100_000,
    "maintenances/d.yaml": "- " * 100_000,
    "maintenances/e.yaml": "x" * (2 << 20),
    "maintenances/f.json": '{"a":' * 100_000,
    "pages/g.md": f"---\n{with_aliases(20_000, 3_000)}---\n",
    "pages/h.md": "x" * (2 << 20),
}


def test_oversized_content_is_excluded_from_build(tmp_path: Path) -> None:
    content, out = write_files(small_site(tmp_path), HUGE), tmp_path / "out"
    with FolderTarget(out) as target:
        result = build_site(content, target, parse_instant(NOW), NoProgress())
    assert [(one.rule, one.path) for one in result.checked.skipped] == [
        ("limit-exceeded", path) for path in HUGE
    ]
    assert (result.checked.findings, result.applied) == ((), True)
    assert [
        one["name"] for one in orjson.loads((out / "api/v2/incidents.json").read_bytes())["incidents"]
    ] == ["Slow answers"]
    assert not (out / "h.html").exists()


@pytest.mark.parametrize("path", ["site.yaml", "components.yaml"])
def test_oversized_settings_file_stops_build(tmp_path: Path, path: str) -> None:
    content = write_files(small_site(tmp_path), {path: "x" * (2 << 20)})
    checked = check_site(content, parse_instant(NOW), NoProgress())
    assert [one.rule for one in checked.findings if one.path == path] == ["limit-exceeded"]
    assert not checked.may_publish


def test_abandoned_temporary_folders_are_removed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(scratch, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    abandoned, other = tmp_path / f"{scratch.PREFIX}killed", tmp_path / "other"
    for folder in (abandoned, other):
        folder.mkdir()
        (folder / "bucket-0.sqlite3").write_bytes(b"x")
        os.utime(folder, (1, 1))
    with scratch.scratch_directory() as first, scratch.scratch_directory() as second:
        assert not abandoned.exists()
        assert first.is_dir()
        assert second.is_dir()
    assert sorted(tmp_path.iterdir()) == [other]


def test_chain_rpc_url_must_name_server(tmp_path: Path) -> None:
    for scheme, count in {
        "javascript:alert(1)": 1,
        "data:text/html,x": 1,
        "https://node.example": 0,
        "wss://n/k": 0,
    }.items():
        site = (small_site(tmp_path) / "site.yaml").read_text()
        content = write_files(tmp_path / "content", {"site.yaml": f"{site}    rpc: ['{scheme}']\n"})
        assert [one.pointer for one in findings_of(content)] == [("chains", 0, "rpc", 0)] * count


SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\nc3RhdHVhcnk\n"


@contextmanager
def opened(file: Path) -> Iterator[Callable[[], bool]]:
    """Watch a file; the function says whether anything has opened it."""
    libc, in_open = ctypes.CDLL(None, use_errno=True), 0x20
    descriptor = libc.inotify_init1(os.O_NONBLOCK)
    assert libc.inotify_add_watch(descriptor, os.fsencode(file), in_open) > 0

    def is_opened() -> bool:
        try:
            return bool(os.read(descriptor, 4096))
        except BlockingIOError:
            return False

    yield is_opened
    os.close(descriptor)


WORKSPACE = f"contracts/748463/{ADDRESS}"
NAMED_BY_CONTENT = [
    "site.yaml",
    "components.yaml",
    "incidents/p.yaml",
    "incidents/2026/p.json",
    "maintenances/p.yaml",
    "templates/p.yaml",
    "pages/p.md",
    "theme/style.css",
    "theme/logo.svg",
    "theme/templates/status.html",
    "theme/texts/en.yaml",
    f"contracts/748463/{ADDRESS}.json",
    f"contracts/748463/{ADDRESS}.yaml",
    "contracts/lines.jsonl",
    f"{WORKSPACE}/contract.yaml",
    f"{WORKSPACE}/input.json",
    f"{WORKSPACE}/output.json",
    f"{WORKSPACE}/creation.hex",
    f"{WORKSPACE}/runtime.hex",
    f"{WORKSPACE}/anchor.json",
    f"{WORKSPACE}/compilation.json",
    f"{WORKSPACE}/code/input.json",
]
"""Every kind of file that the content has, or names."""

COMMANDS = (
    *(("check", "--format", form) for form in ("text", "json", "github", "sarif")),
    ("build",),
    ("snapshot", "create", "--now", NOW),
    ("incident", "list"),
    ("incident", "update", "p", "--status", "monitoring", "--body", "x"),
    ("maintenance", "list"),
    ("component", "list"),
    ("contract", "list"),
    ("next",),
)


def shown(content: Path, *command: str) -> str:
    """Run a command in this process, and return what it prints."""
    arguments = [*command, "--content", str(content)]
    arguments += ["--out", str(content.parent / "out")] if command[0] == "build" else []
    arguments += [str(content.parent / "site.zip")] if command[0] == "snapshot" else []
    result = CliRunner().invoke(program, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.output


def workspace(content: Path) -> Path:
    settings = f"compiler: {{name: solc, version: 0.8.30+commit.73712a01}}\ncontract: a.sol:A\nverified_at: {NOW}\nmatch_id: 1\n"
    return write_files(
        content,
        {
            f"{WORKSPACE}/contract.yaml": settings,
            f"{WORKSPACE}/input.json": "{}",
            f"{WORKSPACE}/output.json": "{}",
        },
    )


def replaced_by_link(file: Path, target: Path | str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.symlink_to(target)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
@pytest.mark.parametrize("path", few_by_default(NAMED_BY_CONTENT, 5))
@pytest.mark.parametrize("hidden", few_by_default([False, True], 1))
def test_symlinked_external_file_is_never_shown(tmp_path: Path, path: str, hidden: bool) -> None:
    content = small_site(tmp_path)
    if path.startswith(WORKSPACE):
        workspace(content)
    if "code/" in path:
        write_files(
            content,
            {
                f"{WORKSPACE}/contract.yaml": (content / WORKSPACE / "contract.yaml").read_text()
                + "input: code/input.json\n"
            },
        )
    secret = content / ".git/config" if hidden else tmp_path / "keys/k"
    write_files(secret.parent, {secret.name: SECRET})
    link, target = content / path, secret
    if "code/" in path:  # the folder is the link
        (secret.parent / "input.json").write_text(SECRET)
        link, target, secret = link.parent, secret.parent, secret.parent / "input.json"
    replaced_by_link(link, os.path.relpath(target, link.parent))
    with opened(secret) as is_opened:
        texts = [shown(content, *command) for command in COMMANDS]
        assert not is_opened()
    assert not [text for text in texts if "PRIVATE" in text or "c3RhdH" in text]
    assert "[outside-content]" in texts[0] or path == "site.yaml"


@pytest.mark.parametrize(
    "path", ["incidents", "theme", "pages", "contracts", "contracts/748463", WORKSPACE, "templates"]
)
def test_symlinked_external_folder_is_never_shown(tmp_path: Path, path: str) -> None:
    content = small_site(tmp_path)
    if path == "incidents":
        shutil.rmtree(content / path)
    outside = tmp_path / "outside"
    names = ("p.yaml", "p.md", "style.css", "logo.svg", f"{ADDRESS}.json", "contract.yaml", "lines.jsonl")
    write_files(outside, dict.fromkeys(names, SECRET))
    replaced_by_link(content / path, outside)
    texts = [shown(content, *command) for command in COMMANDS]
    assert not [text for text in texts if "PRIVATE" in text]
    assert "[outside-content]" in texts[0]


@pytest.mark.parametrize(
    "target", ["/proc/self/environ", "/dev/zero", "/dev/stdin", "/etc", "fifo", "itself"]
)
def test_special_symlink_target_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setenv("TOKEN", "c3RhdHVhcnk")
    content = small_site(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    places = {"fifo": tmp_path / "fifo", "itself": content / "incidents/p.yaml"}
    replaced_by_link(content / "incidents/p.yaml", places.get(target, target))
    for command in COMMANDS[:5]:
        assert "c3RhdHVhcnk" not in shown(content, *command)


@pytest.mark.parametrize("source", ["../../x.jsonl", "../../records", "../../x/../x.jsonl"])
def test_external_record_lines_are_not_shown(tmp_path: Path, source: str) -> None:
    content = small_site(tmp_path / "repository")
    record = "c3RhdHVhcnk: [\n"
    write_files(
        tmp_path,
        {
            "x.jsonl": record,
            "x/y": "",
            f"records/748463/{ADDRESS}.yaml": record,
            f"records/748463/{ADDRESS}.json": record,
        },
    )
    with (content / "site.yaml").open("a") as file:
        file.write(f"contracts: {{sources: ['{source}']}}\n")
    texts = [shown(content, *command) for command in COMMANDS[:5]]
    assert source.rpartition("/")[2] in texts[0]
    assert not [text for text in texts if "c3RhdH" in text]


def test_symlink_replacing_file_is_not_shown(tmp_path: Path) -> None:
    content = write_files(small_site(tmp_path), {"incidents/p.yaml": "stauts: x\n"})
    findings = findings_of(content)
    assert "stauts: x" in text_report(findings, str(content))
    (tmp_path / "k").write_text(SECRET)
    replaced_by_link(content / "incidents/p.yaml", tmp_path / "k")
    assert "PRIVATE" not in text_report(findings, str(content))
    assert "PRIVATE" not in text_report(locate_findings(content, findings), str(content))


def test_symlink_replacing_listed_folder_is_rejected(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    (listed,) = [
        file
        for file in walk_folder(content)
        if isinstance(file, SourceFile) and file.path == "incidents/slow.yaml"
    ]
    write_files(tmp_path / "outside", {"slow.yaml": SECRET})
    shutil.rmtree(content / "incidents")
    replaced_by_link(content / "incidents", tmp_path / "outside")
    with pytest.raises(UnreadableError, match="out of the content folder"):
        listed.load_text(1000)


def test_symlinks_inside_content_are_read(tmp_path: Path) -> None:
    content = write_files(small_site(tmp_path), {"incidents/2026/a.yaml": "stauts: x\n"})
    replaced_by_link(content / "incidents/b.yaml", "2026/a.yaml")
    replaced_by_link(tmp_path / "linked", content)
    text = shown(tmp_path / "linked", "check")
    assert "incidents/b.yaml:1:1: error: unknown key 'stauts'" in text
    assert (
        text.count("1 | stauts: x") == 3
    )  # below the findings about the file; for the link, no line is shown


def test_edit_through_external_symlink_is_rejected(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    (tmp_path / "outside").mkdir()
    shutil.rmtree(content / "incidents")
    replaced_by_link(content / "incidents", tmp_path / "outside")
    with pytest.raises(EditError, match="out of the content folder"):
        write_edit(content, FileEdit("incidents/a.yaml", None, "name: a\n"))
    assert not list((tmp_path / "outside").iterdir())
