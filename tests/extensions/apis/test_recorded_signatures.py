"""The runner of the 4byte service's tests: what it accepts with a reason, and that anything else fails it."""

from pathlib import Path

import pytest

from clients.installed import installed
from support.recorded_signatures import FIXTURE, SERVICE, SPEC, inserted, main

MADE_FIXTURE = """\
  static readonly testSignatures: TestSignature[] = [
    { signature: "transfer(address,uint256)", type: SignatureType.Function },
    {
      signature: "Sent(uint256)",
      type: SignatureType.Event,
    },
    { signature: "unknown()" },
  ];
"""
MADE_SPEC = """\
import chai from "chai";
import chaiHttp from "chai-http";
import { FourByteServerFixture } from "../helpers/FourByteServerFixture";
chai.use(chaiHttp);
describe("4byte", function () {
  const { port } = new FourByteServerFixture();
  it("%s", async function () {
    const found = await chai.request(`http://localhost:${port}`).get("/signature-database/v1/stats");
    chai.expect(found.body.result.count.total).to.equal(%s);
  });
});
"""
UTIL = "export enum SignatureType { Function = 'function', Event = 'event', Error = 'error' }\n"


def checkout(root: Path, title: str, total: int) -> Path:
    """A checkout with a test of the service, which expects a number of signatures."""
    texts = {
        SPEC: MADE_SPEC % (title, total),
        FIXTURE: MADE_FIXTURE,
        "src/utils/signature-util.ts": UTIL,
    }
    for name, text in texts.items():
        path = root / SERVICE / name
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    return root


def test_recorded_signatures_are_read_with_types():
    assert inserted(MADE_FIXTURE) == [
        ("transfer(address,uint256)", "Function"),
        ("Sent(uint256)", "Event"),
        ("unknown()", ""),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "total", "code"),
    [
        ("counts", 3, 0),
        ("counts", 4, 1),  # a failure without a reason
        ("counts large result sets", 4, 1),  # a failure with one, but nothing passed
        ("counts large result sets", 3, 1),  # it passes, so the reason is none
    ],
)
def test_failing_recorded_signature_test_requires_reason(tmp_path, capsys, title, total, code):
    installed("sourcify-spec")
    assert main(checkout(tmp_path, title, total)) == code
    passed = int(total == 3)
    assert f"{passed} of 1 passed" in capsys.readouterr().out
