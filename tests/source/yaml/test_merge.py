"""Two edited versions of a YAML file are merged by their values, or the conflict is named."""

import pytest

from statuary.source.merge_yaml import MergeConflictError, merge_yaml

BASE = """\
# kept by hand
name: Slow
components: {rpc: major_outage}
updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating
    body: We look.  # a comment
"""
FIRST = "  - at: 2026-11-02T10:05:00Z\n    status: identified\n    body: Disks.\n"
SECOND = "  - at: 2026-11-02T10:06:00Z\n    status: monitoring\n    reopens: true\n"
POSTMORTEM = "postmortem:\n  published_at: 2026-11-03T10:00:00Z\n  body: |-\n    One.\n\n    Two.\n"
WINDOW = "name: Upgrade\nscheduled_for: 2026-12-01T10:00:00Z\nscheduled_until: 2026-12-01T11:00:00Z\n"
COMPONENTS = "components:\n  rpc:\n    name: RPC\n  bridge:\n    name: Bridge\n"

MERGED = {
    "two updates": (BASE, BASE + FIRST, BASE + SECOND, BASE + FIRST + SECOND),
    "the same update": (BASE, BASE + FIRST, BASE + FIRST, BASE + FIRST),
    "updates at the top": (
        BASE,
        BASE.replace("updates:\n", "updates:\n" + FIRST),
        BASE + SECOND,
        BASE.replace("updates:\n", "updates:\n" + FIRST) + SECOND,
    ),
    "an update and a postmortem": (BASE, BASE + FIRST, BASE + POSTMORTEM, BASE + FIRST + POSTMORTEM),
    "an update and a corrected text": (
        BASE,
        BASE + FIRST,
        BASE.replace("We look.", "We are looking."),
        BASE.replace("We look.", "We are looking.") + FIRST,
    ),
    "first updates of a window": (
        WINDOW,
        WINDOW + "updates:\n" + FIRST,
        WINDOW + "updates:\n" + SECOND,
        WINDOW + "updates:\n" + FIRST + SECOND,
    ),
    "a move and an update": (
        WINDOW,
        WINDOW.replace("T11", "T12") + "rescheduled_at: 2026-11-02T10:00:00Z\n",
        WINDOW + "updates:\n" + FIRST,
        WINDOW.replace("T11", "T12") + "rescheduled_at: 2026-11-02T10:00:00Z\nupdates:\n" + FIRST,
    ),
    "one incident opened twice": ("", BASE, BASE.replace(":00:00Z", ":01:00Z"), BASE + BASE[BASE.index("  - at") :].replace(":00:00Z", ":01:00Z").replace("  # a comment", "")),
    "two statuses of components": (
        COMPONENTS,
        COMPONENTS.replace("name: RPC\n", "name: RPC\n    history:\n      - at: 2026-11-02T10:00:00Z\n        status: major_outage\n"),
        COMPONENTS + "    history:\n      - at: 2026-11-02T10:01:00Z\n        status: partial_outage\n",
        None,
    ),
}  # fmt: skip
"""Base, ours, theirs, and the merged text; None if only the values count."""


@pytest.mark.parametrize("kind", MERGED)
def test_yaml_merge_keeps_additions_of_both(kind):
    base, ours, theirs, merged = MERGED[kind]
    text = merge_yaml(base, ours, theirs)
    if merged is None:
        assert "major_outage" in text
        assert "partial_outage" in text
    else:
        assert text == merged


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "message"),
    [
        (
            WINDOW,
            WINDOW.replace("T11", "T12"),
            WINDOW.replace("T11", "T13"),
            "both sides changed scheduled_until: '2026-12-01T12:00:00Z' and '2026-12-01T13:00:00Z'",
        ),
        (BASE, BASE.replace("We look", "A"), BASE.replace("We look", "B"), "both sides changed the list updates"),
        (BASE, BASE + FIRST, "name: Slow\n", "one side removed components"),
        (BASE, BASE + "a: [\n", BASE + SECOND, "not YAML"),
        (BASE, BASE + FIRST + "# ours\n", BASE + SECOND + "# theirs\n", "one side wrote the comment '# theirs'"),
    ],
)  # fmt: skip
def test_yaml_merge_conflict_names_key(base, ours, theirs, message):
    with pytest.raises(MergeConflictError) as caught:
        merge_yaml(base, ours, theirs)
    assert message in str(caught.value)
