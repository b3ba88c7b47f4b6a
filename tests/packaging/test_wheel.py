"""The wheel in an empty environment, without a compiler: init, build and serve, as a stranger's first five minutes."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from support.requirements import CHECKOUT


def pip(python, *arguments):
    """Run pip without a compiler to fall back on."""
    environment = {
        **os.environ,
        "CC": "/bin/false",
        "CXX": "/bin/false",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    subprocess.run([python, "-m", "pip", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(CHECKOUT))
    [file] = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def statuary(wheel, tmp_path_factory):
    """Return the program of an environment that has the wheel and what pip takes with it, wheels only."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip(folder / "bin/python", "install", "--quiet", "--only-binary", ":all:", str(wheel))
    return folder / "bin/statuary"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def run(statuary, home, *arguments):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    done = subprocess.run(
        [statuary, *arguments], cwd=home, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_init_and_build(statuary, home):
    run(
        statuary,
        home,
        "init",
        "--name",
        "Example",
        "--url",
        "https://status.example.org",
        "--chain-id",
        "1337",
    )
    run(statuary, home, "build")
    assert (home / "build/index.html").is_file()
    assert (home / "build/api/v2/summary.json").is_file()


def test_serve(statuary, home):
    if not (home / "content").is_dir():
        test_init_and_build(statuary, home)
    with subprocess.Popen(
        [statuary, "serve", "--port", "0"],
        cwd=home,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            url = next(found[0] for line in server.stdout if (found := re.search(r"http://[\w.:]+", line)))
            with urlopen(f"{url}/api/v2/status.json", timeout=30) as response:
                assert response.status == 200
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


def test_hosts_install_the_wheel_that_is_installed_here(statuary, wheel, home):
    run(statuary, home, "hosting", "vercel", "--out", "project")
    assert (home / "project/wheels" / wheel.name).read_bytes() == Path(wheel).read_bytes()
    assert f"pip install -q ./wheels/{wheel.name}" in (home / "project/vercel.json").read_text()
