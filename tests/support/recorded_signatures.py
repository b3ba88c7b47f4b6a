"""The tests of Sourcify's 4byte service, unchanged, against a site of the signatures that they insert.

    PYTHONPATH=tests python tests/support/recorded_signatures.py FOLDER

FOLDER is a checkout of argotorg/sourcify with `services/4byte/test`. Nothing of it is in this repository. What the tests
need of npm is what `.ci/install-clients sourcify-spec` installs. In place of the fixture that fills a database
there is one that knows the port of our server. Each test is listed; one that fails without a reason exits with 1.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from clients.installed import CLIENTS
from statuary.contracts.api.proof_rules import health_and_version_documents
from statuary.extensions.apis.declarations import Declarations
from statuary.extensions.apis.signatures import SiteSignatures, collect_signatures, iter_signature_documents
from support.edge_runtimes import node, write_site
from support.host_servers import serve_with_statuary

SERVICE = Path("services/4byte")
SPEC = "test/integration/4bytes-api.spec.ts"
FIXTURE = "test/helpers/FourByteServerFixture.ts"
REFRESHED = "2026-01-01T00:00:00.000Z"
INSERTED = re.compile(r'signature:\s*"([^"]+)",?(?:\s*type: SignatureType\.(\w+))?')

OWN_FIXTURE = """\
import {{ SignatureType }} from "../../src/utils/signature-util";
export type TestSignature = {{ signature: string; type?: SignatureType }};
export class FourByteServerFixture {{
  readonly port = {port};
  static readonly testSignatures: TestSignature[] = {signatures};
}}
"""

REASONS = (
    ("POST /signature-database/v1/import", "a site of files takes no signatures"),
    ("for empty database", "the test empties a database, which there is not"),
    ("large result sets", "the test fills a database, which there is not"),
)
"""Words of a test's title, and why this site need not pass it."""


class Outcome(NamedTuple):
    """A test, and how it ended."""

    title: str
    error: str  # empty if it passed
    reason: str  # why it need not pass; empty without one


def inserted(fixture: str) -> list[tuple[str, str]]:
    """Return each signature that the tests insert, with its type, which may be empty."""
    return INSERTED.findall(fixture[fixture.index("testSignatures: TestSignature[]") :])


def site_of(signatures: list[tuple[str, str]]) -> SiteSignatures:
    """Return the signatures as those of a verified contract; those without a type are of a public list."""
    of = {
        kind: [text for text, its in signatures if its == kind] for kind in ("Function", "Error", "Event", "")
    }
    events = tuple((text, text) for text in of["Event"])
    declared = Declarations(tuple(of["Function"]), tuple(of["Error"]), events)
    return collect_signatures([declared.encode()], of[""])


def outcomes(service: Path, packages: Path) -> list[Outcome]:
    """Run the tests of a checkout's service.

    Args:
        packages: the folder with `node_modules`.
    """
    signatures = inserted((service / FIXTURE).read_text("utf-8"))
    files = {one.path: one.body for one in iter_signature_documents(site_of(signatures), REFRESHED)}
    with tempfile.TemporaryDirectory() as folder:
        project, tests = Path(folder, "project"), Path(folder, "4byte")
        files |= {one.path: one.body for one in health_and_version_documents()}
        write_site(project / "build", files | {"404.html": b"<!doctype html>404"})
        shutil.copytree(service / "src/utils", tests / "src/utils")
        (tests / SPEC).parent.mkdir(parents=True)
        shutil.copyfile(service / SPEC, tests / SPEC)
        (tests / FIXTURE).parent.mkdir()
        (tests / "node_modules").symlink_to(packages / "node_modules")
        with serve_with_statuary(project) as server:
            listed = [
                {"signature": text} | ({"type": kind.lower()} if kind else {}) for text, kind in signatures
            ]
            own = OWN_FIXTURE.format(port=server.port, signatures=json.dumps(listed))
            (tests / FIXTURE).write_text(own, "utf-8")
            return _run(tests)


def _run(tests: Path) -> list[Outcome]:
    command = [node(), "node_modules/mocha/bin/mocha.js", "--require", "tsx", "--reporter", "json", SPEC]
    done = subprocess.run(
        command, cwd=tests, capture_output=True, text=True, check=False, timeout=120, env=dict(os.environ)
    )
    assert "{" in done.stdout, done.stderr
    report = json.loads(done.stdout[done.stdout.index('{\n  "stats"') :])
    return [
        Outcome(test["fullTitle"], str(test["err"].get("message", "")), _reason(test["fullTitle"]))
        for test in report["tests"]
    ]


def _reason(title: str) -> str:
    return next((reason for words, reason in REASONS if words in title), "")


def main(folder: Path) -> int:
    """Print each test, and return 1 if one fails without a reason, or one with a reason passes, or there are none."""
    found = outcomes(folder / SERVICE, CLIENTS / "sourcify-spec")
    for title, error, reason in found:
        state = "passed" if not error else "not asked" if reason else "FAILED"
        print(f"{state:9}  {title}{f': {reason or error}' if error else ''}")
    passed = sum(not error for _, error, _ in found)
    print(f"{passed} of {len(found)} passed")
    return int(not passed or any(bool(error) is not bool(reason) for _, error, reason in found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
