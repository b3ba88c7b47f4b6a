"""What users get of a build on which host, as Markdown, from one run of `statuary conform` on each.

python tests/hosts/feature_table.py
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from statuary.base.primitives import to_instant
from statuary.extensions.conform.conformance import CHECKS, ConformanceOutcome, ConformanceResult, run_checks
from statuary.extensions.conform.deployment import CheckedDeployment, make_http_sender
from support.edge_runtimes import Served, served
from support.host_servers import EMULATORS_LACK, SERVERS, Serve, build_project

FEATURES = tuple(dict.fromkeys(check.feature for check in CHECKS))
YES, NO, OF_THE_HOST = "yes", "no", "yes¹"


@contextmanager
def serve_plainly(project: Path) -> Iterator[Served]:
    """Serve a project with something that knows no rules at all."""
    where = ["--bind", "127.0.0.1", "--directory", str(project / "build")]
    command = [sys.executable, "-u", "-m", "http.server", *where, "0"]
    with served(command, r"port (\d+)") as server:
        yield server


ALL_SERVERS: dict[str, Serve] = {name: serve for name, (serve, _) in SERVERS.items()} | {
    "no rules (`http.server`)": serve_plainly
}


def verdicts_of(serve: Serve, project: Path) -> list[ConformanceResult]:
    """Return what every check says of a server."""
    with serve(project) as running:
        deployment = CheckedDeployment(
            make_http_sender(f"http://127.0.0.1:{running.port}"), to_instant(datetime.now(UTC))
        )
        return list(run_checks(deployment, CHECKS))


def cell_of(name: str, feature: str, verdicts: list[ConformanceResult]) -> str:
    """Return what a host's column says of a feature."""
    failed = {
        verdict.check.name
        for verdict in verdicts
        if verdict.check.feature == feature and verdict.outcome is not ConformanceOutcome.PASSED
    }
    if failed <= set(EMULATORS_LACK.get(name, ())):
        return OF_THE_HOST if failed else YES
    return NO


def main() -> None:
    """Serve, ask and print."""
    with TemporaryDirectory(prefix="statuary-hosts-") as folder:
        project = build_project(Path(folder))
        verdicts = {name: verdicts_of(serve, project) for name, serve in ALL_SERVERS.items()}
    print("| |", " | ".join(ALL_SERVERS), "|")
    print("|---|" + "---|" * len(ALL_SERVERS))
    for feature in FEATURES:
        cells = (cell_of(name, feature, verdicts[name]) for name in ALL_SERVERS)
        print(f"| {feature} |", " | ".join(cells), "|")
    print()
    for name, lacking in EMULATORS_LACK.items():
        print(f"¹ {name} itself: {'; '.join(f'{check}: {why}' for check, why in lacking.items())}.")


if __name__ == "__main__":
    main()
