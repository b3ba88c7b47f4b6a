"""What a build says of a site that its host would refuse."""

from pathlib import Path

import pytest

from statuary.extensions.hosting.hosts import HOSTS
from statuary.publish import host_limits
from statuary.site.settings import HOST_LIMITS, HostingPlatform, HostLimits
from support.packed_sites import build
from support.sites import site_of_many

CLOUDFLARE, GITHUB = HostingPlatform.CLOUDFLARE, HostingPlatform.GITHUB_PAGES


def warnings_of(content: Path, out: Path) -> list[str]:
    """Build, and return the warnings about limits of hosts."""
    result = build(content, out)
    assert result.applied
    return [one.message for one in result.checked.all_findings if one.rule == host_limits.RULE]


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = site_of_many(tmp_path, 3)
    with (folder / "site.yaml").open("a") as file:
        file.write("hosting: {files: [cloudflare, github-pages, netlify]}\n")
    return folder


def test_limited_platforms_belong_to_hosts() -> None:
    platforms = {CLOUDFLARE: ["cloudflare", "cloudflare-pages"], GITHUB: ["github-pages"]}
    assert {*HOST_LIMITS} == {*platforms}
    for name in platforms[CLOUDFLARE]:
        assert HOSTS[name].site_files is CLOUDFLARE


@pytest.mark.parametrize(
    ("limits", "warning"),
    [
        (HostLimits("X", file_size=20_000), "has 2"),
        (HostLimits("X", files=5), "files; X accepts at most 5"),
        (HostLimits("X", site_size=1_000), "bytes; X accepts at most 1,000"),
    ],
)
def test_site_beyond_host_limit_gets_warning_each_build(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: HostLimits, warning: str
) -> None:
    out = tmp_path / "build"
    assert warnings_of(content, out) == []
    monkeypatch.setattr(host_limits, "HOST_LIMITS", {CLOUDFLARE: limits})
    found = warnings_of(content, out)
    assert found
    assert all("X accepts" in message for message in found)
    assert any(warning in message for message in found)
    assert warnings_of(content, tmp_path / "fresh") == found
    if limits.file_size is not None:
        large = [file for file in out.rglob("*") if file.is_file() and ".statuary" not in file.parts]
        names = {str(file.relative_to(out)) for file in large if file.stat().st_size > limits.file_size}
        assert {message.partition(" has ")[0] for message in found} == names
