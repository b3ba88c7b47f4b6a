"""`statuary incident`: what is written, rejected and prompted for."""

import json
import re
import subprocess
import sys

import pytest

from support.content_repository import FILES, GROUPED, NOW, make_content_repository, use_interactive_terminal

FILE = "content/incidents/2026-11-02-slow-answers.yaml"
OPEN = ("incident", "open", "--name", "Slow answers")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    return make_content_repository(tmp_path, monkeypatch)


@pytest.fixture
def opened(repository):
    repository.run(*OPEN, "--component", "rpc=degraded_performance")
    return repository


def test_incident_open_writes_default_body(opened):
    assert (
        opened.read(FILE)
        == """\
name: Slow answers
components:
  rpc: degraded_performance
updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating
    body: We are currently investigating this issue.
"""
    )


def test_resolve_finds_open_incident_without_date(opened):
    opened.run("incident", "resolve", "2026-11")
    opened.run("incident", "open", "--name", "Slow blocks")
    refused = opened.run("incident", "postmortem", "2026-11-02-slow-blocks", "--body", "x", code=3)
    assert "cannot become postmortem" in refused
    opened.run("incident", "resolve", "2026-11", "--body", "They are fast again.")
    assert "They are fast again." in opened.read("content/incidents/2026-11-02-slow-blocks.yaml")
    assert "several incidents have an id that begins with '2026-11'" in opened.run(
        "incident", "resolve", "2026-11", code=3
    )
    opened.run(
        "incident", "reopen", "slow-answers", "--at", "2026-11-02T11:00:00Z", now="2026-11-02T11:00:00Z"
    )
    assert opened.read(FILE).count("status: investigating") == 2
    opened.run("incident", "resolve", "slow", now="2026-11-02T12:00:00Z")
    assert opened.read(FILE).count("status: resolved") == 2


def test_incident_open_accepts_every_option(repository):
    repository.run(
        *OPEN,
        "--component",
        "rpc=partial_outage",
        "--component",
        "bridge=operational",
        "--status",
        "identified",
        "--impact-override",
        "none",
        "--started-at",
        "2026-11-02T09:00:00+01:00",
        "--draft",
        "--id",
        "slow",
        "--body",
        "Disk: full",
        "--no-notify",
        "--at",
        "2026-11-02T09:59:59.5Z",
        "--publish-at",
        "2026-11-03T00:00:00Z",
    )
    assert (
        repository.read("content/incidents/slow.yaml")
        == """\
name: Slow answers
components:
  rpc: partial_outage
  bridge: operational
impact_override: none
publish_at: 2026-11-03T00:00:00Z
draft: true
started_at: 2026-11-02T08:00:00Z
updates:
  - at: 2026-11-02T09:59:59.500Z
    status: identified
    body: "Disk: full"
    deliver_notifications: false
"""
    )


def test_component_option_without_status_is_rejected(opened):
    for command in ([*OPEN, "--id", "second"], ["incident", "update", "2026", "--status", "identified"]):
        refused = opened.run(*command, "--component", "rpc", code=2)
        assert "--component rpc has no status. Write rpc=STATUS" in " ".join(refused.split())
    assert "incidents/second.yaml" not in opened.files()


def test_duplicate_incident_name_gets_numbered_file(opened):
    opened.run(*OPEN, "--separate")
    assert "incidents/2026-11-02-slow-answers-2.yaml" in opened.files()


def test_incident_file_name_uses_page_timezone(repository):
    repository.run("incident", "open", "--name", "遅い", now="2026-11-02T23:30:00Z")
    assert "incidents/2026-11-03-incident.yaml" in repository.files()


def test_incident_open_rejects_taken_id(opened):
    output = opened.run(*OPEN, "--id", "2026-11-02-slow-answers", "--separate", code=3)
    assert "the id '2026-11-02-slow-answers' is taken" in output


@pytest.mark.parametrize(
    ("named", "output"),
    [
        ("rcp=major_outage", "did you mean 'rpc'?"),
        ("rpc=major", "did you mean 'major_outage'?"),
        ("rpc=down", "use one of operational"),
    ],
)
def test_unknown_component_or_status_is_rejected(repository, named, output):
    before = repository.files()
    assert output in repository.run(*OPEN, "--component", named, code=3)
    assert repository.files() == before


def test_duplicate_component_is_rejected(repository):
    assert "the component 'rpc' is named twice" in repository.run(
        *OPEN, "--component", "rpc=operational", "--component", "rpc", code=3
    )


def test_incident_on_group_lists_components(tmp_path, monkeypatch):
    repository = make_content_repository(tmp_path, monkeypatch, FILES | {"content/components.yaml": GROUPED})
    output = repository.run(*OPEN, "--component", "network=major_outage", code=3)
    assert "is a group" in output
    assert "use one of its components: rpc" in output


def test_incident_update_preserves_existing_file(opened):
    text = opened.read(FILE).replace("name: Slow answers", "name: 'Slow answers'  # as users say")
    opened.write(FILE, text.replace("\n", "\r\n"))
    opened.run("incident", "update", "2026", "--status", "monitoring", now="2026-11-02T11:00:00Z")
    added = """\
  - at: 2026-11-02T11:00:00Z
    status: monitoring
    body: A fix has been implemented and we are monitoring the results.
"""
    assert opened.read(FILE) == (text + added).replace("\n", "\r\n")


def test_incident_update_reads_body_from_stdin(opened):
    arguments = ("incident", "update", "2026", "--status", "identified", "--body-file", "-")
    opened.run(*arguments, text="One.\r\n\r\nTwo.\r\n", now="2026-11-02T11:00:00Z")
    assert opened.read(FILE).endswith("    body: |-\n      One.\n\n      Two.\n")


def test_missing_value_error_names_option(opened):
    assert "Missing option '--name'" in opened.run("incident", "open", code=2)
    assert "Missing option '--status'" in opened.run("incident", "update", "2026", code=2)
    output = opened.run("incident", "resolve", code=2)
    assert "Missing argument 'ID'" in output
    assert "2026-11-02-slow-answers" in output
    assert "Missing option '--body'" in opened.run(
        "incident", "update", "2026", "--status", "investigating", code=2
    )
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    assert "Missing option '--body'" in opened.run(
        "incident", "postmortem", "2026", code=2, now="2026-11-02T11:00:00Z"
    )


def test_body_with_body_file_is_rejected(opened):
    opened.write("text.txt", "x")
    arguments = ("incident", "resolve", "2026", "--body", "x", "--body-file", "text.txt")
    assert "give either --body or --body-file, not both" in opened.run(*arguments, code=2)


def test_ambiguous_incident_id_is_rejected(opened):
    opened.run("incident", "open", "--name", "Slow blocks")
    before = opened.files()
    output = opened.run("incident", "resolve", "2026-11-02-slow", code=3)
    assert "2026-11-02-slow-answers" in output
    assert "2026-11-02-slow-blocks" in output
    assert opened.files() == before


def test_unknown_incident_id_suggests_nearest(opened):
    output = opened.run("incident", "resolve", "answers", code=3)
    assert "did you mean 2026-11-02-slow-answers?" in output
    assert "run `statuary incident list --all`" in opened.run("incident", "resolve", "zzz", code=3)


def test_duplicate_id_selects_matching_file_name(opened):
    other = "id: 2026-11-02-slow-answers\n" + opened.read(FILE)
    opened.write("content/incidents/other.yaml", other)
    assert FILE in opened.run("incident", "resolve", "2026-11-02-slow-answers", now="2026-11-02T11:00:00Z")
    assert opened.read("content/incidents/other.yaml") == other
    assert "is already used by incidents/2026-11-02-slow-answers.yaml" in opened.run("check", code=1)


def test_id_in_file_counts_as_taken(opened):
    opened.write("content/incidents/other.yaml", "id: slow\n" + opened.read(FILE))
    assert "the id 'slow' is taken" in opened.run(*OPEN, "--id", "slow", "--separate", code=3)
    assert "other.yaml" in opened.run("incident", "resolve", "slow", now="2026-11-02T11:00:00Z")


def test_incident_is_found_by_file_name(opened):
    opened.write(FILE, "id: abc123\n" + opened.read(FILE))
    opened.run("incident", "resolve", "2026-11-02-slow", now="2026-11-02T11:00:00Z")
    assert "status: resolved" in opened.read(FILE)


def test_resolved_incident_rejects_further_updates(opened):
    later = "2026-11-02T11:00:00Z"
    opened.run("incident", "resolve", "2026", now=later)
    before = opened.read(FILE)
    assert "is already resolved" in opened.run("incident", "resolve", "2026", now=later, code=3)
    output = opened.run("incident", "update", "2026", "--status", "monitoring", now=later, code=3)
    assert "has been resolved since 2026-11-02T11:00:00Z and cannot become monitoring" in output
    assert "it can become postmortem" in output
    assert opened.read(FILE) == before


def test_postmortem_requires_resolved_incident(opened):
    later, write = "2026-11-03T11:00:00Z", ("incident", "postmortem", "2026", "--body", "Learned.")
    assert "and cannot become postmortem" in opened.run(*write, now=later, code=3)
    opened.run("incident", "resolve", "2026", now=later)
    opened.run(*write, "--notify", now=later)
    added = (
        "postmortem:\n  published_at: 2026-11-03T11:00:00Z\n  body: Learned.\n  deliver_notifications: true\n"
    )
    assert opened.read(FILE).endswith(added)
    assert "already has a postmortem" in opened.run(*write, now=later, code=3)


def test_invalid_incident_update_writes_nothing(opened):
    before = opened.files()
    arguments = ("incident", "resolve", "2026", "--at", "2026-11-02T09:00:00Z")
    output = opened.run(*arguments, code=1)
    assert "content/incidents/2026-11-02-slow-answers.yaml:6:13: error:" in output
    assert "investigating cannot follow resolved of 2026-11-02T09:00:00Z" in output
    assert "[invalid-status-transition]" in output
    assert "nothing was written" in output
    assert opened.files() == before


def test_backdated_update_is_sorted_by_time(opened):
    opened.run("incident", "update", "slow", "--status", "monitoring", now="2026-11-02T11:00:00Z")
    late = ("incident", "update", "slow", "--status", "identified", "--at", "2026-11-02T10:30:00Z")
    opened.run(*late, now="2026-11-02T11:10:00Z")
    opened.run("build", now="2026-11-02T11:10:00Z")
    document = json.loads(opened.read("build/incidents/2026-11-02-slow-answers.json"))
    statuses = [update["status"] for update in document["incident"]["incident_updates"]]
    assert statuses == ["monitoring", "identified", "investigating"]
    assert document["incident"]["status"] == "monitoring"


def test_resolve_reports_component_still_set_manually(opened):
    opened.run("component", "set", "rpc", "partial_outage", "--at", "2026-11-02T09:00:00Z")
    assert "stays at" not in opened.run(
        "incident", "resolve", "slow", "--dry-run", now="2026-11-02T11:00:00Z"
    )
    output = opened.run("incident", "resolve", "slow", now="2026-11-02T11:00:00Z")
    assert "RPC stays at partial outage, set by hand on 2026-11-02T09:00:00Z" in output


def test_resolve_reports_other_open_incident(opened):
    opened.run(*DISKS, "--separate")
    output = opened.run("incident", "resolve", "slow", now="2026-11-02T11:00:00Z")
    assert "RPC stays at major outage, because of the open incident 2026-11-02-disks" in output


def test_update_time_in_future_requires_confirmation(opened, monkeypatch):
    use_interactive_terminal(monkeypatch)
    before = opened.read(FILE)
    update = ("incident", "update", "slow", "--status", "identified", "--body", "Disks.")
    ahead = (*update, "--at", "2026-11-02T12:00:00Z", "--now", NOW)
    refused = opened.result(*ahead, text="n\n")
    assert "2026-11-02T12:00:00Z is 2 h ahead of now" in refused.output
    assert (refused.exit_code, opened.read(FILE)) == (1, before)
    assert opened.result(*ahead, text="y\nnone\n").exit_code == 0
    assert "2026-11-02T12:00:00Z" in opened.read(FILE)


def test_slow_clock_update_follows_newest_update(opened):
    opened.run("incident", "update", "slow", "--status", "identified", now="2026-11-02T10:04:00Z")
    opened.run("incident", "resolve", "slow", now="2026-11-02T10:01:30Z")
    assert opened.read(FILE).count("- at:") == 3
    assert "- at: 2026-11-02T10:04:01Z\n    status: resolved" in opened.read(FILE)


def test_colon_in_option_suggests_equals_sign(opened):
    refused = opened.run(*OPEN, "--component", "rpc:major_outage", code=3)
    assert "did you mean 'rpc=major_outage'?" in refused


def test_ambiguous_component_name_lists_keys(opened):
    components = opened.read("content/components.yaml")
    opened.write("content/components.yaml", components + "  second:\n    name: RPC\n")
    refused = opened.run(*OPEN, "--component", "RPC=major_outage", code=3)
    assert "several components are named 'RPC'" in refused
    assert "use the key of one of them: rpc, second" in refused


def test_exact_name_outranks_prefix_match(opened):
    opened.run(*OPEN, "--separate")
    opened.run("incident", "resolve", "slow-answers", now="2026-11-02T11:00:00Z")
    assert "status: resolved" in opened.read(FILE)
    assert "status: resolved" not in opened.read("content/incidents/2026-11-02-slow-answers-2.yaml")


def test_too_long_incident_name_writes_nothing(repository):
    before = repository.files()
    assert "[invalid-value]" in repository.run("incident", "open", "--name", "x" * 256, code=1)
    assert repository.files() == before


def test_incident_edit_ignores_other_file_errors(opened):
    opened.write("content/incidents/broken.yaml", "name: [\n")
    opened.run("incident", "resolve", "2026-11", now="2026-11-02T11:00:00Z")
    assert "status: resolved" in opened.read(FILE)


def test_incident_edit_requires_readable_site_yaml(opened):
    opened.write("content/site.yaml", "page: [\n")
    output = opened.run("incident", "resolve", "2026", code=1)
    assert "content/site.yaml:2:1: error: not YAML" in output


def test_future_incident_update_gives_warning(opened):
    arguments = ("incident", "update", "2026", "--status", "identified", "--at", "2026-11-02T12:00:00Z")
    assert "[update-in-future]" in opened.run(*arguments)
    assert "status: identified" in opened.read(FILE)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (
            "name: x\nupdates: [{at: 2026-11-01T00:00:00Z, status: identified}]\n",
            "x.yaml:2:10: this list is written in brackets",
        ),
        (
            "name: x\nupdates: &u\n  - {at: 2026-11-01T00:00:00Z, status: identified}\n",
            "x.yaml:2:10: the value has an anchor",
        ),
    ],
)
def test_unsafe_yaml_edit_reports_file_location(repository, text, output):
    repository.write("content/incidents/x.yaml", text)
    assert output in repository.run("incident", "resolve", "x", code=3)
    assert repository.read("content/incidents/x.yaml") == text


def test_incident_edit_rejects_json_file(repository):
    text = '{"name": "x", "updates": [{"at": "2026-11-01T00:00:00Z", "status": "identified"}]}'
    repository.write("content/incidents/x.json", text)
    assert "is JSON" in repository.run("incident", "resolve", "x", code=3)
    assert repository.read("content/incidents/x.json") == text


DISKS = ("incident", "open", "--name", "Disks", "--component", "rpc=major_outage")


def test_incident_open_rejects_similar_open_incident(opened):
    before = opened.files()
    refused = opened.run(*DISKS, code=3)
    assert "2026-11-02-slow-answers (Slow answers) is still open on rpc, with status investigating" in refused
    assert "run `statuary incident update 2026-11-02-slow-answers` to add to it" in refused
    assert opened.files() == before
    assert "(Slow answers) is still open, with status investigating\n" in opened.run(*OPEN, code=3)
    opened.run(*DISKS, "--separate")
    opened.run("incident", "open", "--name", "Bridge", "--component", "bridge=major_outage")
    opened.run(*OPEN, "--started-at", "2026-11-01T10:00:00Z", "--ended-at", "2026-11-01T11:00:00Z")


def test_incident_open_ignores_resolved_similar_incident(opened):
    opened.run("incident", "resolve", "slow", now="2026-11-02T11:00:00Z")
    opened.run(*DISKS, now="2026-11-02T12:00:00Z")
    opened.run("incident", "reopen", "slow", "--component", "rpc=partial_outage", now="2026-11-02T13:00:00Z")
    opened.run("incident", "resolve", "disks", now="2026-11-02T14:00:00Z")
    assert "slow-answers" in opened.run(*DISKS, now="2026-11-02T15:00:00Z", code=3)


def test_incident_open_offers_update_instead(opened, monkeypatch):
    use_interactive_terminal(monkeypatch)
    later = (*DISKS, "--status", "identified", "--now", "2026-11-02T11:00:00Z")
    done = opened.result(*later, text="Disks are full.\ny\n")
    assert (
        "is still open on rpc, with status investigating. Add this as an update to it instead? [Y/n]"
        in done.output
    )
    assert opened.read(FILE).endswith(
        "  - at: 2026-11-02T11:00:00Z\n    status: identified\n    body: Disks are full.\n"
        "    components:\n      rpc: major_outage\n"
    )
    assert "2026-11-02-disks" not in "".join(opened.files())
    opened.result(*later, text="Disks are full.\nn\n")
    assert "body: Disks are full." in opened.read("content/incidents/2026-11-02-disks.yaml")


def test_publish_at_option_delays_incident_update(opened):
    update = ("incident", "update", "slow", "--status", "identified", "--publish-at")
    opened.run(*update, "2026-11-02T12:00:00Z", "--next-update-in", "30m")
    assert "  - at: 2026-11-02T12:00:00Z\n    status: identified\n" in opened.read(FILE)
    assert "next_update_by: 2026-11-02T12:30:00Z" in opened.read(FILE)
    assert "has passed; leave it out" in opened.run(*update, "2026-11-02T09:00:00Z", code=2)
    both = (*update, "2026-11-02T13:00:00Z", "--at", "2026-11-02T10:00:00Z")
    assert "either --at or --publish-at" in opened.run(*both, code=2)
    opened.run("incident", "update", "slow", "--status", "investigating", "--body", "Now.")


def test_dry_run_prints_applicable_git_diff(opened):
    opened.commit_all("Open")
    before = opened.files()
    arguments = ("incident", "resolve", "2026", "--dry-run", "--commit")
    diff = opened.run(*arguments, now="2026-11-02T11:00:00Z")
    assert opened.files() == before
    opened.write("resolve.diff", diff)
    opened.git("apply", "resolve.diff")
    applied = opened.read(FILE)
    opened.write(FILE, before["incidents/2026-11-02-slow-answers.yaml"])
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    assert opened.read(FILE) == applied


def test_incident_dry_run_prints_new_file(repository):
    diff = repository.run(*OPEN, "--dry-run")
    assert diff.startswith(
        "--- /dev/null\n+++ b/content/incidents/2026-11-02-slow-answers.yaml\n@@ -0,0 +1,5 @@\n+name"
    )
    repository.write("open.diff", diff)
    repository.git("apply", "open.diff")
    assert repository.read(FILE).startswith("name: Slow answers\nupdates:\n")


def test_incident_dry_run_reports_missing_newline(opened):
    opened.commit_all("Open")
    opened.write(FILE, opened.read(FILE).rstrip("\n"))
    opened.commit_all("Cut")
    diff = opened.run("incident", "resolve", "2026", "--dry-run", now="2026-11-02T11:00:00Z")
    assert diff.count("\\ No newline at end of file") == 2
    opened.write("resolve.diff", diff)
    opened.git("apply", "--check", "resolve.diff")


def test_commit_option_includes_only_edited_file(opened):
    opened.commit_all("Open")
    opened.write("staged.txt", "staged")
    opened.write("content/components.yaml", opened.read("content/components.yaml") + "# more\n")
    opened.git("add", "staged.txt")
    output = opened.run("incident", "resolve", "2026", "--commit", now="2026-11-02T11:00:00Z")
    assert f"commit {opened.git('rev-parse', '--short', 'HEAD')}" in output
    assert opened.git("show", "--name-only", "--format=%s") == f"Resolve incident: Slow answers\n\n{FILE}"
    assert opened.git("status", "--porcelain").splitlines() == ["M content/components.yaml", "A  staged.txt"]


def test_commit_with_uncommitted_changes_is_rejected(opened):
    before = opened.read(FILE)
    refused = opened.run("incident", "resolve", "2026", "--commit", code=3)
    assert "has uncommitted changes" in refused
    assert f"`git add {FILE} && git commit -m 'Status' {FILE}`" in refused
    assert opened.read(FILE) == before


def test_incident_list_shows_open_incidents(opened):
    opened.run("incident", "open", "--name", "Slow blocks", "--draft", now="2026-11-02T10:30:00Z")
    assert opened.run("incident", "list", now="2026-11-02T10:30:00Z") == (
        "2026-11-02-slow-blocks   investigating (draft)  -      2026-11-02T10:30:00Z  Slow blocks\n"
        "2026-11-02-slow-answers  investigating          minor  2026-11-02T10:00:00Z  Slow answers\n"
    )
    opened.run("incident", "resolve", "2026-11-02-slow-a", now="2026-11-02T11:00:00Z")
    listed = json.loads(opened.run("incident", "list", "--format", "json", now="2026-11-02T11:00:00Z"))
    assert [one["id"] for one in listed] == ["2026-11-02-slow-blocks"]
    listed = json.loads(
        opened.run("incident", "list", "--all", "--format", "json", now="2026-11-02T11:00:00Z")
    )
    assert [(one["status"], one["impact"], one["components"]) for one in listed] == [
        ("investigating (draft)", None, []),
        ("resolved", "minor", ["rpc"]),
    ]


def test_incident_list_without_incidents_prints_message(repository):
    assert repository.run("incident", "list") == "no open incidents\n"
    assert repository.run("incident", "list", "--format", "json") == "[]\n"


def test_incident_open_prompts_for_missing_options(repository, monkeypatch):
    use_interactive_terminal(monkeypatch)
    answers = "Slow answers\nrpc\npartial_outage\nnone\nidentified\nA disk is full.\n"
    repository.run("incident", "open", text=answers)
    assert (
        repository.read(FILE)
        == """\
name: Slow answers
components:
  rpc: partial_outage
updates:
  - at: 2026-11-02T10:00:00Z
    status: identified
    body: A disk is full.
"""
    )


def test_incident_prompt_accepts_component_name(repository, monkeypatch):
    use_interactive_terminal(monkeypatch)
    answers = "Slow answers\npublic rpc\nmajor_outage\nrpc\nbrige\nnone\nidentified\nA disk is full.\n"
    output = repository.run("incident", "open", text=answers)
    assert "Error: rpc is already in the list" in output
    assert "did you mean 'bridge'?" in output
    assert "components:\n  rpc: major_outage\nupdates:" in repository.read(FILE)


def test_component_option_prompts_for_status(repository, monkeypatch):
    use_interactive_terminal(monkeypatch)
    repository.run(
        *OPEN, "--component", "rpc", "--status", "identified", text="partial_outage\nA disk is full.\n"
    )
    assert "components:\n  rpc: partial_outage\n" in repository.read(FILE)


def test_incident_prompt_offers_default_body(opened, monkeypatch):
    opened.run("incident", "open", "--name", "Slow blocks", now="2026-11-02T10:30:00Z")
    use_interactive_terminal(monkeypatch)
    shown = opened.run("incident", "resolve", text="2\n\n", now="2026-11-02T11:00:00Z")
    assert "  2  2026-11-02-slow-answers  Slow answers (investigating)" in shown
    assert opened.read(FILE).endswith("status: resolved\n    body: This incident has been resolved.\n")


def test_postmortem_command_opens_editor(opened, monkeypatch):
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    use_interactive_terminal(monkeypatch)
    monkeypatch.setattr("click.edit", lambda text, extension: "We learned.\n\nA lot." + text)
    opened.run("incident", "postmortem", "2026", now="2026-11-03T11:00:00Z")
    assert opened.read(FILE).endswith("  body: |-\n    We learned.\n\n    A lot.\n")
    monkeypatch.setattr("click.edit", lambda text, extension: None)


def test_unchanged_editor_text_writes_no_postmortem(opened, monkeypatch):
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    use_interactive_terminal(monkeypatch)
    before = opened.read(FILE)
    monkeypatch.setattr("click.edit", lambda text, extension: text)
    assert "nothing was written" in opened.run(
        "incident", "postmortem", "2026", now="2026-11-03T11:00:00Z", code=3
    )
    assert opened.read(FILE) == before


@pytest.mark.slow
def test_build_option_publishes_edited_incident(opened):
    opened.run("incident", "resolve", "2026", "--build", now="2026-11-02T11:00:00Z")
    summary = json.loads(opened.read("build/api/v2/summary.json"))
    assert summary["incidents"] == []
    assert summary["page"]["updated_at"] == "2026-11-02T12:00:00.000+01:00"


def test_incident_build_into_content_is_rejected(opened):
    before = opened.files()
    opened.run("incident", "resolve", "2026", "--build", "--out", "content/site", code=2)
    assert opened.files() == before


def test_incident_time_has_whole_seconds(repository, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1793527200")
    assert repository.result(*OPEN).exit_code == 0
    assert "at: 2026-11-01T10:00:00Z" in repository.read("content/incidents/2026-11-01-slow-answers.yaml")


@pytest.mark.slow
def test_python_m_statuary_runs_command(opened):
    done = subprocess.run(
        [sys.executable, "-m", "statuary", "incident", "list", "--now", NOW],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("2026-11-02-slow-answers  investigating")


def served(repository, name, now=NOW):
    repository.run("build", now=now)
    return json.loads(repository.read(f"build/api/v2/{name}.json"))


def test_resolved_incident_is_reopened(opened):
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    again = ("--component", "rpc=major_outage", "--body", "It is back.")
    assert "is not resolved" in opened.run("incident", "reopen", "2026", now="2026-11-02T10:30:00Z", code=3)
    opened.run("incident", "reopen", "2026", *again, now="2026-11-02T11:30:00Z")
    assert opened.read(FILE).endswith("""\
    status: investigating
    body: It is back.
    components:
      rpc: major_outage
    reopens: true
""")
    (incident,) = served(opened, "incidents/unresolved", "2026-11-02T11:40:00Z")["incidents"]
    assert (incident["status"], incident["resolved_at"]) == ("investigating", None)
    assert "no errors or warnings" in opened.run("check", now="2026-11-02T11:40:00Z")


@pytest.mark.slow
def test_imported_incident_is_reopened(opened):
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    opened.write(FILE, "resolved_at: 2026-11-02T10:59:59Z\n" + opened.read(FILE))
    opened.run("incident", "reopen", "2026", "--body", "It is back.", now="2026-11-02T11:30:00Z")
    (incident,) = served(opened, "incidents", "2026-11-02T11:40:00Z")["incidents"]
    assert (incident["status"], incident["resolved_at"]) == ("investigating", None)
    opened.run("incident", "resolve", "2026", now="2026-11-02T12:00:00Z")
    (incident,) = served(opened, "incidents", "2026-11-02T12:10:00Z")["incidents"]
    assert incident["resolved_at"] == "2026-11-02T13:00:00.000+01:00"


@pytest.mark.slow
def test_incident_is_reopened_after_postmortem(opened):
    opened.run("incident", "resolve", "2026", now="2026-11-02T11:00:00Z")
    opened.run("incident", "postmortem", "2026", "--body", "We learned.", now="2026-11-03T11:00:00Z")
    opened.run("incident", "reopen", "2026", "--body", "It is back.", now="2026-11-04T11:30:00Z")
    opened.run("incident", "resolve", "2026", now="2026-11-04T12:00:00Z")
    updates = served(opened, "incidents", "2026-11-05T00:00:00Z")["incidents"][0]["incident_updates"]
    told = ["resolved", "investigating", "postmortem", "resolved", "investigating"]
    assert [update["status"] for update in updates] == told
    assert "no errors or warnings" in opened.run("check", now="2026-11-05T00:00:00Z")
    again = ("incident", "postmortem", "2026", "--body", "x")
    assert "already has a postmortem" in opened.run(*again, now="2026-11-05T00:00:00Z", code=3)


def test_update_without_status_keeps_incident_status(opened):
    opened.run("incident", "update", "2026", "--status", "identified", now="2026-11-02T10:10:00Z")
    opened.run("incident", "update", "2026", "--body", "A node is replaced.", now="2026-11-02T10:20:00Z")
    assert opened.read(FILE).endswith("    status: identified\n    body: A node is replaced.\n")


BACKFILL = (*OPEN, "--component", "rpc=major_outage", "--started-at", "2026-11-01T09:00:00Z")


@pytest.mark.slow
@pytest.mark.parametrize(
    "end", [("--status", "resolved", "--at"), ("--ended-at",), ("--status", "resolved", "--ended-at")]
)
def test_backfilled_incident_counts_as_outage(repository, end):
    repository.run(*BACKFILL, *end, "2026-11-01T11:30:00Z", "--body", "A disk was full.")
    assert (
        repository.read("content/incidents/2026-11-01-slow-answers.yaml")
        == """\
name: Slow answers
components:
  rpc: major_outage
updates:
  - at: 2026-11-01T09:00:00Z
    status: investigating
    body: We are currently investigating this issue.
    deliver_notifications: false
  - at: 2026-11-01T11:30:00Z
    status: resolved
    body: A disk was full.
"""
    )
    assert "no errors or warnings" in repository.run("check")
    summary = served(repository, "summary")
    assert {component["status"] for component in summary["components"]} == {"operational"}
    outages = [component["days"] for component in served(repository, "uptime")["components"]]
    assert [day["outages"] for day in outages[0]] == [{"p": 0, "m": 9000}]


@pytest.mark.parametrize(
    ("options", "output"),
    [
        (("--status", "resolved"), "Missing option '--started-at'"),
        (("--ended-at", "2026-11-02T09:00:00Z"), "Missing option '--started-at'"),
        (
            ("--ended-at", NOW, "--status", "monitoring"),
            "--ended-at requires the status resolved, not monitoring",
        ),
        (("--started-at", NOW, "--ended-at", "2026-11-02T09:00:00Z"), "later than --started-at"),
        (("--started-at", NOW, "--ended-at", "2026-11-03T09:00:00Z"), "not in the future"),
        (
            ("--status", "resolved", "--started-at", "2026-11-02T09:00:00Z", "--next-update-in", "30m"),
            "no next update",
        ),
    ],
)
def test_incident_open_rejects_inconsistent_end_options(repository, options, output):
    assert output in repository.run(*OPEN, "--component", "rpc=major_outage", *options, code=2)
    assert "incidents" not in "".join(repository.files())


def test_next_update_by_option_accepts_time(opened):
    update = ("incident", "update", "2026", "--body", "Still looking.")
    opened.run(*update, "--next-update-by", "2026-11-02T10:45:00Z")
    assert opened.read(FILE).endswith("    next_update_by: 2026-11-02T10:45:00Z\n")
    both = opened.run(*update, "--next-update-by", "2026-11-02T10:45:00Z", "--next-update-in", "5m", code=2)
    assert "give either --next-update-in or --next-update-by, not both" in both
    assert "must be later than this update" in opened.run(
        *update, "--next-update-by", "2026-11-02T09:00:00Z", code=2
    )


@pytest.mark.slow
def test_missed_next_update_is_shown_overdue(opened):
    opened.run("incident", "update", "2026", "--body", "Still looking.", "--next-update-in", "30m")
    assert opened.read(FILE).endswith("    body: Still looking.\n    next_update_by: 2026-11-02T10:30:00Z\n")
    pages, answers = [], []
    for minute in (29, 30, 31):
        now = f"2026-11-02T10:{minute}:00Z"
        answers.append(served(opened, "incidents", now))
        site = [
            opened.read(f"build/{path}") for path in ("index.html", "incidents/2026-11-02-slow-answers.html")
        ]
        pages.append([re.sub(r"<[^>]*>", "", page) for page in site])
    promised = "2 Nov(?: 2026)?, 11:30 CET"
    assert all(re.search(f"Next update by {promised}", page) for page in pages[0])
    assert all(re.search(f"Update overdue since {promised}", page) for page in pages[1] + pages[2])
    assert not any("Next update by" in page for page in pages[1] + pages[2])
    # readers of the API see nothing of it
    assert answers[0] == answers[1] == answers[2]
    assert "next_update" not in json.dumps(answers)

    # a tick does what a build would do
    opened.run("build", "--allow-older", now="2026-11-02T10:29:00Z")
    opened.run("tick", now="2026-11-02T10:30:00Z")
    assert "Update overdue since" in opened.read("build/index.html")
    opened.run("incident", "update", "2026", "--body", "Found it.", now="2026-11-02T10:40:00Z")
    served(opened, "summary", "2026-11-02T10:41:00Z")
    assert "next-update" not in opened.read("build/index.html")


TEMPLATE = """\
name: RPC outage
components:
  rpc: major_outage
  bridge: degraded_performance
status: identified
body: |
  RPC requests fail.
next_update_in: 30m
"""


def test_incident_template_fills_new_incident(repository):
    repository.write("content/templates/rpc-outage.yaml", TEMPLATE)
    repository.run("incident", "open", "--template", "rpc-outage", "--component", "bridge=operational")
    assert (
        repository.read("content/incidents/2026-11-02-rpc-outage.yaml")
        == """\
name: RPC outage
components:
  rpc: major_outage
  bridge: operational
updates:
  - at: 2026-11-02T10:00:00Z
    status: identified
    body: RPC requests fail.
    next_update_by: 2026-11-02T10:30:00Z
"""
    )
    assert "no errors or warnings" in repository.run("check")
    output = repository.run("incident", "open", "--template", "rpc", code=3)
    assert "unknown template 'rpc'" in output
    assert "did you mean 'rpc-outage'?" in output


def test_check_reports_incident_template_errors(repository):
    repository.write("content/templates/a.yaml", TEMPLATE.replace("rpc:", "rcp:").replace("30m", "soon"))
    assert "'soon' is not a duration" in repository.run("check", code=1)
    repository.write("content/templates/a.yaml", TEMPLATE.replace("rpc:", "rcp:"))
    assert "component 'rcp' is not in components.yaml" in repository.run("check", code=1)
