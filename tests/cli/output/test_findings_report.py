"""Findings in every format: nothing from the content can act on a terminal or a log."""

import json

import click
import pytest

from statuary.base.findings import Finding, Position
from statuary.cli.escape import escape_control_chars, json_text
from statuary.cli.findings_report import MAX_PER_RULE, REPORTS, format_findings, text_report

HOSTILE = "a\n::stop-commands::x\x1b[31m\x9b2J\r\x00\x7f\u2028\u202e\udc80"
HARMFUL = set(HOSTILE) - set("a::stop-commands::x[312J")


def hostile_finding(position=None):
    return Finding(
        rule="unknown-key", message=HOSTILE, hint=HOSTILE, path=HOSTILE, pointer=(HOSTILE,), position=position
    )


@pytest.mark.parametrize("form", REPORTS)
def test_report_escapes_control_characters(form):
    text = click.unstyle(format_findings([hostile_finding()], HOSTILE, form))
    assert not HARMFUL & set(text) - {"\n"}
    assert not any(line.startswith("::stop-commands::") for line in text.splitlines())
    text.encode("utf-8")


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_json_report_preserves_control_characters(form):
    value = json.loads(format_findings([hostile_finding()], "content", form))
    if form == "json":
        assert value["findings"][0]["message"] == HOSTILE
    else:
        assert value["runs"][0]["results"][0]["message"]["text"] == f"{HOSTILE}. {HOSTILE}"


def test_github_annotation_is_single_line():
    assert len(format_findings([hostile_finding()], "content", "github").splitlines()) == 1


def test_report_caret_marks_source_position(tmp_path):
    (tmp_path / "a.yaml").write_text("\ufeffname: x\nstauts: \x1b[2Jy\n", encoding="utf-8")
    finding = Finding(rule="unknown-key", message="m", path="a.yaml", position=Position(2, 9))
    shown = click.unstyle(text_report([finding], str(tmp_path))).splitlines()
    assert shown[1:] == ["    2 | stauts: \\x1b[2Jy", "      |         ^"]


def test_report_caret_counts_escaped_characters(tmp_path):
    finding = Finding(rule="unknown-key", message="m", path="a.yaml", position=Position(1, 3))
    shown = click.unstyle(text_report([finding], str(tmp_path), {"a.yaml": "\t\tb"})).splitlines()
    assert shown[1:] == ["    1 | \\t\\tb", "      |     ^"]


@pytest.mark.parametrize("line", [0, 3, 10**9])
def test_finding_beyond_file_prints_no_line(tmp_path, line):
    (tmp_path / "a.yaml").write_text("a\nb")
    finding = Finding(rule="unknown-key", message="m", path="a.yaml", position=Position(line, 1))
    assert len(text_report([finding], str(tmp_path)).splitlines()) == 1


def test_report_shows_limited_findings_per_rule():
    findings = [Finding(rule="unknown-key", message=str(number), path="a.yaml") for number in range(25)]
    findings.append(Finding(rule="invalid-value", message="other", path="b.yaml"))
    shown = click.unstyle(text_report(findings, "content")).splitlines()
    assert len(shown) == MAX_PER_RULE + 2
    assert shown[-1] == "and 15 more [unknown-key]; --format json shows all"
    assert "other" in shown[-2]
    assert len(json.loads(format_findings(findings, "content", "json"))["findings"]) == 26


def test_printable_unicode_text_is_not_escaped():
    assert escape_control_chars("Ünïcode — 遅い 👩‍🚒 100 %") == "Ünïcode — 遅い 👩‍🚒 100 %"
    assert json.loads(json_text({"a": "遅い"})) == {"a": "遅い"}


def test_records_of_unlisted_chains_are_summarized():
    findings = [
        Finding(
            rule="unknown-chain",
            message=f"chain '{chain}' is not listed under `chains`",
            hint="add it to `chains` in site.yaml or site.json",
            path=f"contracts/{chain}/{number}.json",
            pointer=("chainId",),
        )
        for chain in (10, 1)
        for number in range(40)
    ]
    other = Finding(rule="unknown-key", message="m", path="site.yaml")
    lines = click.unstyle(text_report([*findings, other], "content")).splitlines()
    chains = "{chain_id: 1, name: Chain 1}, {chain_id: 10, name: Chain 10}"
    assert lines == [
        "content/contracts/10/0.json: error: 80 records are on 2 chains, which `chains` does not list [unknown-chain]",
        f"    add to site.yaml or site.json, with the names that readers know: chains: [{chains}]",
        "content/site.yaml: error: m [unknown-key]",
    ]
    assert len(json.loads(format_findings(findings, "content", "json"))["findings"]) == 80
    single = click.unstyle(text_report(findings[:1], "content"))
    assert "chain '10' is not listed under `chains`" in single
