"""Epochs written beforehand hold what a build at each later instant would write, byte for byte."""

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

import pytest

from statuary.base.primitives import Instant, to_instant
from statuary.site.document import Document
from statuary.status.api.epoch_index import parse_epochs_or_empty
from statuary.status.api.epochs import EpochLimits, epoch_documents, plan_epochs
from statuary.status.model.records import StatusSettings
from statuary.status.model.uptime import has_ongoing_outage
from support.random_runs import times
from support.status_site import at, build_status_documents, catalogue_of, epochs_of, status_documents
from support.tiers import few_by_default

SETTINGS = StatusSettings(horizon=timedelta(days=6))

INCIDENTS = times(30)

INDEX = "api/v2/_epochs/index.json"

STATUSES = ("investigating", "identified", "monitoring", "resolved")

WORSE = ("degraded_performance", "partial_outage", "major_outage", "under_maintenance")


def spelled(moment):
    return moment.isoformat().replace("+00:00", "Z")


def components(count):
    groups = [
        f"  g{g}:\n    name: Group {g}\n    components:\n"
        + "".join(f"      c{c}: {{name: Component {c}}}\n" for c in range(g, count, 4))
        for g in range(4)
    ]
    return "components:\n" + "".join(groups)


def incident(random, opened):
    """Write an incident of one to five updates; what is dated after the build shows only then."""
    named = {f"c{random.randrange(12)}": random.choice(WORSE) for _ in range(random.randrange(3))}
    lines = [f"name: Trouble of {opened:%d %B}", f"components: {json.dumps(named)}", "updates:"]
    for status in (*random.sample(STATUSES[:3], random.randrange(3)), random.choice(STATUSES[2:])):
        lines.append(f"- {{at: {spelled(opened)}, status: {status}}}")
        opened += timedelta(minutes=random.randrange(5, 600))
    if random.random() < 0.1:
        lines.append(f"publish_at: {spelled(opened)}")
    if random.random() < 0.2:
        lines.append(f"postmortem: {{published_at: {spelled(opened + timedelta(days=2))}, body: Learned.}}")
    return "\n".join(lines)


def maintenance(random, begins):
    """Write a maintenance with whatever flags; some are cancelled, some completed by hand."""
    hours = random.randrange(1, 30)
    ends = begins + timedelta(hours=hours)
    lines = [
        f"name: Work of {begins:%d %B}",
        f"components: [c{random.randrange(12)}]",
        f"created_at: {spelled(begins - timedelta(minutes=random.randrange(10, 9000)))}",
        f"scheduled_for: {spelled(begins)}",
        f"scheduled_until: {spelled(ends)}",
    ]
    lines += [f"{flag}: false" for flag in FLAGS if random.random() < 0.15]
    fate = random.random()
    if fate < 0.1:
        lines.append(f"cancelled_at: {spelled(begins - timedelta(minutes=5))}")
    elif fate < 0.3:
        lines.append(f"updates: [{{at: {spelled(ends - timedelta(minutes=9))}, status: completed}}]")
    return "\n".join(lines)


FLAGS = (
    "scheduled_remind_prior",
    "scheduled_auto_completed",
    "auto_transition_to_maintenance_state",
    "auto_transition_to_operational_state",
)

RECURRING = """
name: Every Tuesday
components: [c1]
scheduled_for: 2026-09-01T02:30:00Z
scheduled_until: 2026-09-01T03:30:00Z
recurrence: {rule: FREQ=WEEKLY, announce_days: 3}
"""


def big_world(zone, middle):
    """Return incidents and 45 maintenances around an instant, on a page in a zone."""
    random = Random(zone)

    def around(days):
        return middle + timedelta(minutes=random.randrange(-days * 1440, days * 1440))

    incidents = {f"i{n}": incident(random, around(90) - timedelta(days=84)) for n in range(INCIDENTS)}
    maintenances = {f"m{n}": maintenance(random, around(25)) for n in range(44)}
    page = f"name: Demo\nurl: https://status.example.org\ntime_zone: {zone}\n"
    return catalogue_of(components(12), incidents, maintenances | {"weekly": RECURRING}, page)


def served(plain, stored, now):
    """Return what a reader gets at an instant, by the rule of the index."""
    index = parse_epochs_or_empty(stored[INDEX])
    found = {path: index.document_at(path, now) for path in index.documents}
    return plain | {path: document.body(stored.get) for path, document in found.items() if document}


def builds_of(catalogue):
    """Return a function from an instant to what a build writes then."""
    return cache(lambda moment: {d.path: d.body for d in status_documents(catalogue, moment, SETTINGS)})


def due(site, plan, built, moment):
    """Return what readers are to get; between two epochs an ongoing outage counts up to the earlier one."""
    if not has_ongoing_outage(site.timeline, moment):
        return built(moment)
    begun = max(since for since in plan.instants if since <= moment)
    return built(moment) | {"api/v2/uptime.json": built(begun)["api/v2/uptime.json"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zone", "clocks_change"),
    few_by_default(
        [
            ("Europe/Zurich", datetime(2026, 10, 25, 1, tzinfo=UTC)),
            ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
            ("Australia/Lord_Howe", datetime(2026, 10, 3, 15, 30, tzinfo=UTC)),
        ],
        1,
    ),
)
def test_epoch_documents_equal_later_builds(zone, clocks_change):
    catalogue = big_world(zone, clocks_change)
    now = to_instant(clocks_change - timedelta(days=3))
    site = build_status_documents(catalogue, now, SETTINGS)
    built = builds_of(catalogue)
    plain = {document.path: document.body for document in site.documents_at(now)}
    plan = epochs_of(site, now)
    stored = {document.path: document.body for document in epoch_documents(plan)}

    assert len(plan.instants) > 30
    assert sum(path.endswith(".patch.json") for path in stored) > 30
    for number, since in enumerate(plan.instants[1:]):
        moments = [since]
        if number % 2:
            moments.append(Instant(since - timedelta(milliseconds=1)))
        if number % 15 == 0:
            moments += [Instant(since + timedelta(seconds=s)) for s in (-2, -1, 1, 2)]
        for moment in moments:
            assert served(plain, stored, moment) == due(site, plan, built, moment), moment
    end = plan.until
    assert served(plain, stored, end) == due(site, plan, built, end)


UPGRADE = """
    name: Upgrade
    components: [explorer]
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-02T10:00:00Z
    scheduled_until: 2026-11-02T12:00:00Z
"""


def upgrade_site(settings):
    return build_status_documents(
        catalogue_of(maintenances={"upgrade": UPGRADE}), at("11-01 12:00"), settings
    )


def test_epoch_index_lists_times_and_files():
    site = upgrade_site(StatusSettings(uptime=False, archives=False, horizon=timedelta(days=2)))
    documents = epoch_documents(epochs_of(site, at("11-01 12:00")))

    index = json.loads(documents[-1].body)
    assert documents[-1].path == INDEX
    assert {key: index[key] for key in ("until", "complete", "instants")} == {
        "until": "2026-11-04T00:00:00.000Z",
        "complete": True,
        "instants": [
            "2026-11-01T12:00:00.000Z",
            "2026-11-02T09:00:00.000Z",
            "2026-11-02T10:00:00.000Z",
            "2026-11-02T12:00:00.000Z",
        ],
    }
    versions = index["documents"]["api/v2/scheduled-maintenances/active.json"]
    assert versions == {"whole": [0, 1, 2, 3]}
    read = parse_epochs_or_empty(documents[-1].body)
    active = read.document_at("api/v2/scheduled-maintenances/active.json", at("11-02 11:00"))
    assert active == (
        "api/v2/_epochs/20261102T100000000Z/api/v2/scheduled-maintenances/active.json",
        None,
    )
    summary = read.document_at("api/v2/summary.json", at("11-02 09:00"))
    assert summary == (
        "api/v2/_epochs/20261101T120000000Z/api/v2/summary.json",
        "api/v2/_epochs/20261102T090000000Z/api/v2/summary.json.patch.json",
    )
    assert read.document_at("api/v2/summary.json", at("11-01 11:59")) is None
    stored = (one for path in read.documents for one in read.versions_of(path))
    assert {place for one in stored for place in one if place} == {
        document.path for document in documents[:-1]
    }


def test_epochs_store_only_changed_documents():
    site = upgrade_site(StatusSettings(horizon=timedelta(days=2)))

    plan = epochs_of(site, at("11-01 12:00"))

    midnight = next(number for number, since in enumerate(plan.instants) if since.hour == 0)
    changed = [
        path
        for path, versions in plan.versions.items()
        if {midnight} & {*versions.files, *versions.repeated_numbers}
    ]
    assert changed == ["api/v2/uptime.json"]


def flicker(moment):
    """Return a document that changes and changes back, and one that stays."""
    body = b"odd" if moment.minute % 2 else b"even"
    return [Document(path="flicker", body=body), Document(path="steady", body=b"")]


def test_epoch_with_identical_bytes_reuses_file():
    start = at("11-02 10:00")
    minutes = [at(f"11-02 10:0{minute}") for minute in (1, 2, 3, 4)]

    documents = epoch_documents(plan_epochs(flicker, minutes, start, EpochLimits(minutes[-1], 10)))

    index = json.loads(documents[-1].body)
    assert index["documents"] == {"flicker": {"whole": [0, 1], "again": {"2": 0, "3": 1, "4": 0}}}
    assert [document.path for document in documents[:-1]] == [
        "api/v2/_epochs/20261102T100000000Z/flicker",
        "api/v2/_epochs/20261102T100100000Z/flicker",
    ]


def test_epoch_limit_is_reported_as_finding():
    minutes = [at(f"11-02 10:0{minute}") for minute in (1, 2, 3, 4)]
    start, horizon = at("11-02 10:00"), at("11-03 10:00")

    cut = plan_epochs(flicker, minutes, start, EpochLimits(horizon, 2))
    whole = plan_epochs(flicker, minutes, start, EpochLimits(horizon, 4))

    assert (len(cut.instants), cut.until, cut.cut) == (3, minutes[2], True)
    assert (len(whole.instants), whole.until, whole.cut) == (5, horizon, False)
    assert whole.limit_finding("site.json") is None
    finding = cut.limit_finding("site.json")
    assert finding.path == "site.json"
    assert finding is not None
    assert finding.message == (
        "the status is written ahead only until 2026-11-02T10:03:00.000Z: the limit is 2 changes"
    )
    assert json.loads(epoch_documents(cut)[-1].body)["complete"] is False


def test_transition_without_changes_creates_no_epoch():
    steady = [at("11-02 10:02"), at("11-02 10:04")]

    assert plan_epochs(flicker, steady, at("11-02 10:00"), EpochLimits(steady[-1], 10)).versions == {}
