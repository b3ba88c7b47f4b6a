"""Errors in site.yaml: the status is published with the last published values, or with defaults."""

import json
from contextlib import chdir
from itertools import product

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.contracts.sources.site_settings import ContractKeysSource
from statuary.engine import parse_settings
from statuary.engine.faulty_settings import (
    CORE_KEYS,
    DEFAULT,
    EXTENSION_KEYS,
    NAME_AND_ADDRESS,
    SettingsFallback,
)
from statuary.engine.read_content import read_content
from statuary.engine.site_source import SiteSource
from statuary.registry import EXTENSIONS, load
from statuary.source.source_model import SourceModel, model_members
from statuary.status.sources.site_settings import StatusKeysSource
from support.requirements import CHECKOUT
from support.sites import write_files
from support.tiers import few_by_default

PAGE = "page: {name: Demo, url: https://status.example.org, created_at: 2020-01-01T00:00:00Z}\n"
HOSTING = "hosting: {files: [netlify]}\n"
COMPONENTS = "components: {rpc: {name: RPC}}\n"
OUTAGE = """\
name: Outage
components: {rpc: major_outage}
updates: [{at: 2026-11-10T11:00:00Z, status: investigating}]
"""
KEYS = [row.name for row in EXTENSIONS if row.section and load(row.section).settings_model() is not None]
ALONE = {"alerts", "cards", "clear_signing", "embed", "instatus", "metrics", "notify", "prometheus"}
"""The extensions that nothing else of a site depends on."""
SOUND = {
    "page": {
        "name": "Demo",
        "url": "https://status.example.org",
        "id": "demo",
        "time_zone": "Europe/Zurich",
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-02T00:00:00Z",
        "indicator": "minor",
        "description": "All is well",
        "about": "A network",
        "demo": "true",
        "feed_host": "old.example.org",
    },
    "status": {
        "cap": "7",
        "archives": "false",
        "uptime": "false",
        "horizon_days": "3",
        "max_epochs": "9",
    },
    "chains": [{"chain_id": "1", "name": "One"}],
    "contracts": {
        "publish": "all",
        "sources": ["more"],
        "compilations": ["ab" * 32],
        "join_memory_mib": "600",
    },
    "pages": {"status": "false", "contracts": "5", "listed": "6", "search": "false", "language": "de"},
    "hosting": {
        "files": ["netlify"],
        "layout": "sharded",
        "lower_case_names": "false",
        "precompressed": ["gz"],
    },
}
"""A value of each key of the core that is not its default."""
SOUND_EXTENSIONS = {
    "log": {"origin": "demo.example/log"},
    "upstream": {"components": {"rpc": {"url": "https://status.example.com", "component": "RPC"}}},
}
"""A value of each key of an extension that stops a build if nothing is known."""


def core_keys():
    """Return the pointers of the keys that the models of the core have."""
    found = set()
    for model in (SiteSource, ContractKeysSource, StatusKeysSource):
        for key, kind in model_members(model).items():
            found.add((key,))
            if isinstance(kind, type) and issubclass(kind, SourceModel):
                found |= {(key, member) for member in model_members(kind)}
    return found


def read(folder, tree, last=None):
    (folder / "site.yaml").write_text(json.dumps(tree))
    fallback = SettingsFallback(last or {})
    return read_content(folder, fallback=fallback), fallback


def with_value(pointer, value):
    tree = json.loads(json.dumps(SOUND))
    parent = tree if len(pointer) == 1 else tree[pointer[0]]
    parent[pointer[-1]] = value
    return tree


def at(tree, pointer):
    for step in pointer:
        tree = tree.get(step, {}) if isinstance(tree, dict) else {}
    return tree


def few_keys():
    """Return the keys of the core as arguments, of which eight run by default."""
    return few_by_default([pytest.param(pointer, id=".".join(pointer)) for pointer in CORE_KEYS], 8)


def with_nonsense(pointer):
    is_mapping = isinstance(at(SOUND, pointer), dict)
    return with_value(pointer, "nonsense" if is_mapping else {"nonsense": [1]})


def test_fallback_table_lists_every_core_setting():
    assert core_keys() == set(CORE_KEYS)
    assert {pointer for pointer in CORE_KEYS if len(pointer) == 2} == {
        (key, member) for key, value in SOUND.items() if isinstance(value, dict) for member in value
    }


def test_manual_lists_settings_without_safe_default():
    text = (CHECKOUT / "content/pages/manual/troubleshooting.md").read_text()
    stopping = {".".join(pointer) for pointer, reason in CORE_KEYS.items() if reason}
    stopping |= {key for key, reason in EXTENSION_KEYS.items() if reason}
    rows = text.partition("| faulty key |")[2].partition("\n\n")[0].split("\n")[2:]
    named = {name.strip(" `") for row in rows for name in row.split("|")[1].split(",")}
    mappings = {pointer[0] for pointer in CORE_KEYS if len(pointer) > 1}
    assert stopping - mappings == named


def test_fallback_table_lists_every_extension_setting():
    assert set(KEYS) == set(EXTENSION_KEYS)


@pytest.mark.parametrize("pointer", few_keys())
def test_faulty_setting_keeps_last_published_value(tmp_path, pointer):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    (result, fallback) = read(tmp_path, with_nonsense(pointer), SOUND)
    assert fallback.settings == SOUND
    assert {fault.finding.path for fault in result.site.faults} == {"site.yaml"}
    assert {fault.finding.pointer[: len(pointer)] for fault in result.site.faults} == {pointer}
    expected = f"`{'.'.join(pointer)}` stays as last published"
    assert expected in {fault.consequence for fault in result.site.faults}


@pytest.mark.parametrize("pointer", few_keys())
def test_faulty_first_setting_uses_default(tmp_path, pointer):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    (result, fallback) = read(tmp_path, with_nonsense(pointer))
    if CORE_KEYS[pointer] == DEFAULT:
        assert at(fallback.settings, pointer) == {}
        assert result.site is not None
    else:
        assert result.site is None
        assert any(CORE_KEYS[pointer] in finding.message for finding in result.findings)


@pytest.mark.parametrize("pointer", few_keys())
def test_misspelt_setting_keeps_last_published_value(tmp_path, pointer):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    tree = with_value(pointer, None)
    parent = tree if len(pointer) == 1 else tree[pointer[0]]
    parent[f"{pointer[-1]}x"] = at(SOUND, pointer)
    del parent[pointer[-1]]
    (result, fallback) = read(tmp_path, tree, SOUND)
    assert (result.site is not None, fallback.settings) == (True, SOUND)
    (result, fallback) = read(tmp_path, tree)
    assert (result.site is None) == (CORE_KEYS[pointer] != DEFAULT)


@pytest.mark.parametrize(("key", "is_known"), [*product(KEYS, (False, True))])
def test_faulty_extension_settings_keep_published_value(tmp_path, key, is_known):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    last = {"page": SOUND["page"], key: SOUND_EXTENSIONS.get(key, "false")}
    (result, _) = read(tmp_path, {"page": SOUND["page"], key: {"nonsense": 1}}, last if is_known else {})
    stops = EXTENSION_KEYS[key] != DEFAULT and not is_known
    assert (result.site is None) == stops
    if not stops:
        assert {fault.finding.pointer[0] for fault in result.site.faults} == {key}


@pytest.mark.parametrize("text", ["", "- a\n", "page: [", "<<<<<<< HEAD\n", "page: {}\npage: {}\n", "\udcff"])
def test_unreadable_site_yaml_keeps_published_settings(tmp_path, text):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    (tmp_path / "site.yaml").write_bytes(text.encode(errors="surrogateescape"))
    fallback = SettingsFallback(SOUND)
    site, findings = read_content(tmp_path, fallback=fallback)
    assert fallback.settings == SOUND
    assert [fault.finding for fault in site.faults] == [item for item in findings if item.path == "site.yaml"]
    assert read_content(tmp_path, fallback=SettingsFallback()).site is None


def test_unexpected_exception_keeps_published_settings(tmp_path, monkeypatch):
    def parse(tree, *others):
        if tree["page"]["name"] == "New":
            raise ZeroDivisionError("nobody foresaw this")
        return parse_tree(tree, *others)

    parse_tree = parse_settings.parse_settings
    monkeypatch.setattr(parse_settings, "parse_settings", parse)
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    (result, fallback) = read(tmp_path, with_value(("page", "name"), "New"), SOUND)
    assert (result.site is not None, fallback.settings) == (True, SOUND)
    (fault,) = result.site.faults
    assert fault.consequence == "all settings stay as last published"


def test_invalid_published_setting_uses_default(tmp_path):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    last = {**SOUND, "pages": {"language": "no language"}}
    (result, fallback) = read(tmp_path, with_value(("pages", "language"), "!"), last)
    assert (result.site.pages.language, at(fallback.settings, ("pages", "language"))) == ("en", {})


def test_contradictory_settings_keep_all_published_settings(tmp_path):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    last = {"page": SOUND["page"], "pages": {"language": "de"}, "languages": ["de", "en"]}
    (result, fallback) = read(tmp_path, {**last, "pages": {"language": "fr"}}, last)
    assert (result.site.pages.language, fallback.settings) == ("de", last)
    (fault,) = result.site.faults
    assert fault.consequence == "all settings stay as last published"


def without(tree, pointer):
    """Return a copy of settings without a key."""
    copy = json.loads(json.dumps(tree))
    (copy if len(pointer) == 1 else copy[pointer[0]]).pop(pointer[-1])
    return copy


NEW_KEYS = [pointer for pointer in CORE_KEYS if pointer not in NAME_AND_ADDRESS]


@pytest.mark.parametrize("pointer", NEW_KEYS)
def test_faulty_new_setting_keeps_published_settings(tmp_path, pointer):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    (result, fallback) = read(tmp_path, with_nonsense(pointer), without(SOUND, pointer))
    assert at(fallback.settings, pointer) == {}
    assert fallback.settings == without(SOUND, pointer)
    assert result.site is not None


def test_faulty_new_log_keeps_published_settings(tmp_path):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    (result, fallback) = read(tmp_path, {**SOUND, "log": "nonsense"}, SOUND)
    assert (fallback.settings, result.site.faulty_keys) == (SOUND, {"log"})


def test_published_setting_with_errors_uses_default(tmp_path):
    """As after an upgrade that no longer knows two keys of an extension."""
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    last = {"page": SOUND["page"], "notify": {"first": 1, "second": 2}}
    (result, fallback) = read(tmp_path, last, last)
    assert (fallback.settings, result.site.faulty_keys) == ({"page": SOUND["page"]}, {"notify"})
    assert {fault.consequence for fault in result.site.faults} == {"the build goes on without `notify`"}


def test_removed_language_keeps_other_settings(tmp_path):
    """The language has no texts any more, so that its last published value is faulty, too."""
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    last = {"page": SOUND["page"], "pages": {"language": "rm"}}
    new = {"page": {**SOUND["page"], "name": "New", "time_zone": 1}, "pages": {"language": "rm"}}
    (result, fallback) = read(tmp_path, {**new, "hosting": {"files": ["netlify"]}}, last)
    assert fallback.settings == {
        "page": {**SOUND["page"], "name": "New"},
        "pages": {},
        "hosting": {"files": ["netlify"]},
    }
    assert {fault.consequence for fault in result.site.faults} == {
        "`page.time_zone` stays as last published",
        "the default of `pages.language` is used",
    }


def test_missing_required_settings_keep_published_values(tmp_path):
    write_files(tmp_path, {"components.yaml": COMPONENTS})
    for tree in ({"pages": {}}, {"page": {"name": "Demo"}}, {"page": None}):
        (result, fallback) = read(tmp_path, tree, SOUND)
        assert fallback.settings["page"] == SOUND["page"], result.findings
        (result, fallback) = read(tmp_path, tree)
        assert result.site is None
        assert any("no safe default" in finding.message for finding in result.findings)


@pytest.mark.parametrize("key", KEYS)
def test_check_continues_without_faulty_extension(tmp_path, key):
    write_files(tmp_path, {"site.yaml": f"{PAGE}{key}: {{nonsense: 1}}\n", "components.yaml": COMPONENTS})
    site, findings = read_content(tmp_path)
    assert any(finding.pointer[:1] == (key,) and finding.path == "site.yaml" for finding in findings)
    assert (None if site is None else site.faulty_keys) == ({key} if key in ALONE else None)


def run(folder, *arguments, code=0):
    with chdir(folder):
        done = CliRunner().invoke(command, [*arguments, "--now", "2026-11-10T12:00:00Z"])
    assert done.exit_code == code, done.output
    return done.output


def incidents(folder):
    return [
        item["id"] for item in json.loads((folder / "build/api/v2/summary.json").read_bytes())["incidents"]
    ]


def test_incident_opens_despite_site_yaml_errors(tmp_path):
    settings = f"{PAGE}languages: [en, xx]\nprometheus: many\nlog: 1\n"
    content = write_files(tmp_path / "content", {"site.yaml": settings, "components.yaml": COMPONENTS})
    command_line = ("incident", "open", "--name", "Outage", "--component", "rpc=major_outage")
    run(tmp_path, *command_line, "--body", "We look")
    (written,) = (content / "incidents").iterdir()
    assert "major_outage" in written.read_text()
    write_files(content, {"site.yaml": "page: ["})
    output = run(tmp_path, *command_line, "--separate", "--body", "We look", code=1)
    assert "the command cannot do without it: a site needs a name and an address" in output
    assert list((content / "incidents").iterdir()) == [written]


@pytest.mark.parametrize(("command_name", "key"), [("upstream", "upstream"), ("probe", "metrics")])
def test_command_names_error_of_own_settings(tmp_path, command_name, key):
    content = write_files(tmp_path / "content", {"components.yaml": COMPONENTS})
    page = f"{PAGE}status: {{cap: many}}\n"  # an error that does not matter to the command
    for settings, said in (
        (page, f"under `{key}` in site.yaml"),
        (f"{page}{key}: nonsense\n", "expected a mapping"),
        (page.replace("name: Demo, ", ""), "key 'name' is missing"),
    ):
        (content / "site.yaml").write_text(settings)
        assert said in run(tmp_path, command_name, code=1)


def build_twice(folder, before, after):
    """Build a site, then add an incident and an error to its content, and build again."""
    content = write_files(folder / "content", {"site.yaml": before, "components.yaml": COMPONENTS})
    run(folder, "build")
    write_files(content, {"site.yaml": after, "incidents/outage.yaml": OUTAGE})
    return run(folder, "build", code=4)


@pytest.mark.slow
def test_build_uses_published_settings_during_error(tmp_path):
    settings = f"{PAGE}prometheus: true\nlanguages: [en, de]\n"
    output = build_twice(tmp_path, settings, settings.replace("true", "many").replace("de]", "xx]"))
    assert "site.yaml:2:13: error: expected true or false, found 'many'" in output
    assert "`prometheus` stays as last published" in output
    assert "`languages` stays as last published" in output
    assert "published with faults in site.yaml: languages, site.yaml: prometheus" in output
    assert incidents(tmp_path) == ["outage"]
    assert "Outage" in (tmp_path / "build/de/index.html").read_text()
    assert 'rpc"} 1' not in (tmp_path / "build/metrics.txt").read_text()
    assert "nothing was published" in run(tmp_path, "build", "--strict", code=1)
    assert "site.yaml" in run(tmp_path, "check", code=1)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["instatus", "prometheus"])
def test_bad_extension_setting_still_publishes_incident(tmp_path, key):
    build_twice(tmp_path, PAGE, f"{PAGE}{key}: many\n")
    assert incidents(tmp_path) == ["outage"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "after",
    [
        "page: [",
        f"{PAGE.replace('url', 'ulr')}{HOSTING}",
        f"{PAGE}pgaes: {{}}\n",
        f"{PAGE}time_zone: Etc/UTC\n",
    ],
)
def test_settings_error_still_publishes_incident(tmp_path, after):
    output = build_twice(tmp_path, f"{PAGE}{HOSTING}", after)
    assert "published with faults in site.yaml" in output
    assert incidents(tmp_path) == ["outage"]
    assert (tmp_path / "build/_headers").exists()
    run(tmp_path, "build", code=4)
    write_files(tmp_path / "content", {"site.yaml": PAGE})
    run(tmp_path, "build")
    assert not (tmp_path / "build/_headers").exists()
