"""Publishing a site of about 20,000 objects into S3 as moto serves it: by statuary, and by boto3 in one run.

    python tests/benchmarks/object_store.py [--objects 20000]

moto is one Python process, so what is measured is mostly the server; the ratio is what can be compared. boto3 puts the
same files with as many threads as obstore has requests in flight, and does nothing else.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora import grow

from support.object_stores import STORES, Server, moto, objects_of, proxied

BOTO3 = """
import mimetypes, os, sys
from concurrent.futures import ThreadPoolExecutor
import boto3
from botocore.config import Config
root, bucket = sys.argv[1:]
client = boto3.client("s3", config=Config(max_pool_connections=16))
files = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if "/.statuary" not in folder]
def put(file):
    with open(file, "rb") as body:
        client.put_object(Bucket=bucket, Key=os.path.relpath(file, root), Body=body, ContentType="application/json")
with ThreadPoolExecutor(16) as pool:
    list(pool.map(put, files))
print(len(files))
"""
OF_A_RECORD = 6
"""Objects that a record makes, with their further names."""


def timed(command: list[object], environment: dict[str, str]) -> tuple[float, float, float, str]:
    """Run a command; return seconds, CPU seconds, the peak memory in MiB, and what it printed."""
    began = time.perf_counter()
    with subprocess.Popen(
        [str(part) for part in command],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, output
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def row(name: str, measured: tuple[float, float, float, str]) -> str:
    """Return a line of the table."""
    seconds, processor, memory, output = measured
    output = " / ".join(line for line in output.splitlines() if "took" in line or line.isdecimal())
    return f"| {name} | {seconds:.1f} | {processor:.1f} | {memory:.0f} | {output} |"


def measure(server: Server, folder: Path) -> None:
    """Print the table."""
    out = folder / "build"
    environment = server.environment()
    statuary = [sys.executable, "-m", "statuary"]
    print("| what | seconds | CPU s | peak MiB | |\n|---|---|---|---|---|")
    url = server.make_bucket("statuary")
    publish = [*statuary, "publish", out, "--to", url]
    print(row("statuary, all", timed(publish, environment)), flush=True)
    server.make_bucket("boto3")
    python = STORES / "moto/bin/python"
    aws = environment | {"AWS_DEFAULT_REGION": "us-east-1"}
    print(row("boto3, all", timed([python, "-c", BOTO3, out, "boto3"], aws)), flush=True)
    print(row("statuary, nothing changed", timed(publish, environment)), flush=True)
    for file in sorted((folder / "content/contracts").glob("*/*.json"))[:100]:
        file.write_bytes(file.read_bytes().replace(b'"matchId":"', b'"matchId":"9000000'))
    subprocess.run(
        [*statuary, "build", "--content", folder / "content", "--out", out], check=True, capture_output=True
    )
    print(row("statuary, 100 records changed", timed(publish, environment)), flush=True)


def with_faults(server: Server, folder: Path) -> None:
    """Publish through a proxy that fails now and then, kill the publisher twice, and compare what is there."""
    out = folder / "build"
    url = server.make_bucket("faults")
    command = [
        sys.executable,
        "-m",
        "statuary",
        "publish",
        str(out),
        "--to",
        url,
        "--lease-seconds",
        "2",
        "--wait",
        "30",
    ]
    wanted = {
        file.relative_to(out).as_posix(): file.read_bytes()
        for file in out.rglob("*")
        if file.is_file() and ".statuary" not in file.parts
    }
    with proxied(server) as proxy:
        proxy.fault = lambda method, path, number: {0: "500", 1: "hang"}.get(number % 997, "")
        environment = os.environ | server.environment(proxy.port)
        for _ in range(2):
            until = len(proxy.seen) + len(wanted) // 3
            with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
                while len(proxy.seen) < until and process.poll() is None:
                    time.sleep(0.05)
                process.kill()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        puts = proxy.count("PUT")
    os.environ.update(server.environment())
    found = {path: body for path, (body, _) in objects_of(url).items() if not path.startswith(".statuary/")}
    exact = found == wanted
    print(
        f"\n{len(wanted):,} objects through faults and two killed publishers: {puts:,} puts; "
        f"what is there is {'exactly the site' if exact else 'NOT the site'}"
    )
    assert exact


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--objects", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="statuary-store-") as place, moto() as server:
        folder = Path(place)
        grow("M", folder / "content", arguments.objects // OF_A_RECORD)
        build = [
            sys.executable,
            "-m",
            "statuary",
            "build",
            "--content",
            folder / "content",
            "--out",
            folder / "build",
        ]
        subprocess.run(build, check=True, capture_output=True)
        measure(server, folder)
        with_faults(server, folder)


if __name__ == "__main__":
    main()
