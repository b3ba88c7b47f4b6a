"""`statuary notify --test`: a message to every channel that says that it is a test, and what is wrong with each."""

import pytest
from click.testing import CliRunner

from statuary.cli.main import command as statuary
from support.receivers import receiver
from support.sites import SITE, small_site, write_files

CHANNELS = """\
notify:
  channels:
    - {name: team, kind: slack, url_variable: TEAM_URL}
    - {name: office, kind: teams, url_variable: OFFICE_URL}
    - {name: partners, kind: webhook, url_variable: PARTNER_URL, secret_variable: PARTNER_KEY}
"""


@pytest.fixture
def content(tmp_path):
    return write_files(small_site(tmp_path), {"site.yaml": SITE + CHANNELS})


def send(content, **variables):
    return CliRunner().invoke(statuary, ["notify", "--test", "--content", str(content)], env=variables)


def test_every_channel_gets_test_message(content, tmp_path):
    with receiver() as served:
        urls = dict.fromkeys(("TEAM_URL", "OFFICE_URL", "PARTNER_URL"), served.url)
        done = send(content, **urls, PARTNER_KEY="whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz")
        slack, teams, webhook = served.requests
    assert (done.exit_code, done.stdout.count("the test message arrived")) == (0, 3), done.output
    for request in (slack, teams):
        assert "Test message of Plinth" in request.body.decode()
        assert "Nothing has happened" in request.body.decode()
    assert webhook.value == {"meta": {"test": True}, "page": {"id": "plinthpage01"}}
    assert webhook.headers["webhook-signature"].startswith("v1,")
    assert webhook.headers["webhook-id"].startswith("test-")
    assert not list(tmp_path.glob("*.json"))


def test_missing_or_wrong_secrets_are_reported(content):
    with receiver() as served:
        served.answers.append(403)
        done = send(content, TEAM_URL=served.url, OFFICE_URL="", PARTNER_URL=served.url, PARTNER_KEY="short")
    assert done.exit_code == 1
    assert (
        "the receiver of the channel 'team' responds with 403\n    check the value of TEAM_URL" in done.stderr
    )
    assert "the variable OFFICE_URL is not set" in done.stderr
    assert "PARTNER_KEY is not set, or is not a key" in done.stderr
    assert served.url not in done.output


def test_notify_without_state_option_exits_2(content):
    done = CliRunner().invoke(statuary, ["notify", "--content", str(content)])
    assert (done.exit_code, "Missing option '--state'" in done.stderr) == (2, True)


def test_notify_test_option_selects_one_channel(content):
    with receiver() as served:
        options = ["notify", "--test", "office", "--content", str(content)]
        done = CliRunner().invoke(statuary, options, env={"OFFICE_URL": served.url})
        assert (done.exit_code, done.stdout) == (0, "office: the test message arrived\n"), done.output
        assert len(served.requests) == 1
    unknown = CliRunner().invoke(statuary, ["notify", "--content", str(content), "--test=pager"])
    assert unknown.exit_code == 2
    assert "has no channel 'pager'; it has team, office, partners" in unknown.stderr
