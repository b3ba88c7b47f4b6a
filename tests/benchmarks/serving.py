"""Requests a second: nginx over a build; over the same, exactly, `deno serve` and `statuary serve`, and over a snapshot.

    python tests/benchmarks/serving.py [--seconds 5] [--connections 8]

wrk (Debian's package) asks for every record of this repository's site in turn, on loopback, one server after the other
in one run. A request that fails, or is not answered by a 2xx, is counted.
"""

import argparse
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.host_servers import (
    HOSTS_INSTALL,
    build_project,
    serve_folder_with_deno,
    serve_snapshot,
    serve_with_nginx,
    serve_with_statuary,
)
from support.requirements import require_program

SERVERS = {
    "nginx": serve_with_nginx,
    "deno serve": serve_folder_with_deno,
    "statuary serve build/": serve_with_statuary,
    "statuary serve site.zip": serve_snapshot,
}
SCRIPT = """
local paths, next_one = { %s }, 0
request = function() next_one = next_one %% #paths + 1; return wrk.format("GET", paths[next_one]) end
"""


def measured(port: int, script: Path, seconds: int, connections: int) -> tuple[float, int]:
    """Return requests a second and the number of failed ones."""
    command = [require_program("wrk", install=HOSTS_INSTALL), "-t1", f"-c{connections}", f"-d{seconds}s"]
    output = subprocess.run(
        [*command, "-s", str(script), f"http://127.0.0.1:{port}"], check=True, capture_output=True, text=True
    ).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert rate, output
    failed = re.findall(r"Non-2xx or 3xx responses: (\d+)|(?:connect|read|write|timeout) (\d+)", output)
    return float(rate[1]), sum(int(one or other) for one, other in failed)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=8)
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="statuary-serving-") as folder:
        project = build_project(Path(folder))
        records = sorted((project / "build/v2/contract/748463").glob("0x*"))
        paths = ", ".join(f'"/v2/contract/748463/{file.name}"' for file in records)
        script = Path(folder) / "mix.lua"
        script.write_text(SCRIPT % paths)
        size = sum(file.stat().st_size for file in records) / len(records)
        print(f"{len(records)} paths, {size / 1000:.0f} kB each, {arguments.connections} connections\n")
        print("| server | requests/s | ratio to nginx | failed |\n|---|---|---|---|")
        first = 0.0
        for name, serve in SERVERS.items():
            # the servers' own logs are not what is looked at here
            with redirect_stdout(StringIO()), serve(project) as server:
                rate, failed = measured(server.port, script, arguments.seconds, arguments.connections)
            first = first or rate
            print(f"| {name} | {rate:,.0f} | {rate / first:.3f} | {failed} |")


if __name__ == "__main__":
    main()
