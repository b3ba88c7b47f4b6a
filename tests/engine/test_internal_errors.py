"""Whichever function of checks and documents raises, for everything or for one thing: no traceback, and the news go out."""

import inspect
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FunctionType
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from statuary.cli.main import command
from support.contracts import made_record
from support.hostile_shapes import at_address
from support.sites import NOW, SMALL_SITE, files_in, write_files

pytestmark = pytest.mark.thorough

MODULES = (
    "contracts.api",
    "contracts.checks",
    "contracts.documents",
    "contracts.pages",
    "engine.openapi",
    "engine.pages",
    "engine.config_documents",
    "section",
    "site.document",
    "site.markdown",
    "site.pages",
    "site.url_table",
    "site.urls",
    "status.api",
    "status.checks",
    "status.site_status",
    "status.feeds",
    "status.pages",
    "status.urls",
    "contracts.urls",
    "contracts.paths",
)
"""Modules and packages of checks and documents."""
PAGE = "---\ntitle: About\n---\nSee [the status](/index.html).\n"
MAKE_THE_NEWS = tuple(
    f"statuary.{module}"
    for module in (
        "engine.config_documents",
        "section.ContentSection",
        "section.Run",
        "site.document",
        "site.pages.try_make",
        "site.url_table",
        "site.urls",
        "status.api.documents",
        "status.api.history",
        "status.api.members",
        "status.site_status",
    )
)
"""What there is no document of an incident without."""


class DefectError(Exception):
    """What no code foresees."""


class Place(NamedTuple):
    """Where a function is."""

    name: str
    owner: Any  # its module or class
    attribute: str


def functions() -> Iterator[Place]:
    """Yield every public function and method."""
    for part in MODULES:
        package = import_module(f"statuary.{part}")
        below = walk_packages(getattr(package, "__path__", ()), f"{package.__name__}.")
        for module in (package, *(import_module(found.name) for found in below)):
            for name, value in list(vars(module).items()):
                if getattr(value, "__module__", None) != module.__name__ or name.startswith("_"):
                    continue
                if isinstance(value, FunctionType):
                    yield Place(f"{module.__name__}.{name}", module, name)
                elif inspect.isclass(value):
                    for method, function in list(vars(value).items()):
                        if isinstance(function, FunctionType) and not method.startswith("_"):
                            yield Place(f"{module.__name__}.{name}.{method}", value, method)


FUNCTIONS = list(functions())


def replace_everywhere(function: Any, broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put another function in place of one, also in the tables of checks."""
    tables: dict[int, tuple[Any, ...]] = {}
    for module in list(sys.modules.values()):
        if not getattr(module, "__name__", "").startswith("statuary"):
            continue
        for name, value in list(vars(module).items()):
            if value is function:
                monkeypatch.setattr(module, name, broken)
            elif name in TABLES and isinstance(value, tuple):
                changed = tables.setdefault(
                    id(value), tuple(with_function(one, function, broken) for one in value)
                )
                monkeypatch.setattr(module, name, changed)


TABLES = ("CONTRACT_CHECKS", "IDENTITY_CHECKS", "STATUS_CHECKS", "LOCATION_RULES")


def with_function(check: Any, function: Any, broken: Any) -> Any:
    if check is function:
        return broken
    return (
        check._make(broken if value is function else value for value in check)
        if isinstance(check, tuple)
        else check
    )


class Site(NamedTuple):
    """A site, and what it says of its incident and its maintenance."""

    content: Path
    news: dict[str, bytes]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    files: dict[str, Any] = dict(SMALL_SITE) | {"pages/about.md": PAGE}
    files |= dict(at_address(made_record("everything"), number) for number in (1, 2))
    content = write_files(tmp_path_factory.mktemp("site") / "content", files)
    out = tmp_path_factory.mktemp("whole") / "out"
    assert run("build", content, out).exit_code == 0
    news = ("api/v2/incidents", "api/v2/scheduled-maintenances", "api/v2/summary", "incidents/")
    return Site(
        content,
        {
            path: body
            for path, body in files_in(out).items()
            if path.startswith(news) and path.endswith(".json")
        },
    )


def run(name: str, content: Path, out: Path) -> Result:
    target = ["--out", str(out)] if name == "build" else []
    return CliRunner().invoke(
        command, [name, "--content", str(content), *target, "--now", NOW, "--workers", "1"]
    )


def assert_plain(result: Result, codes: tuple[int, ...]) -> None:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert result.exit_code in codes, result.output


def raising(function: Callable[..., Any], *, once: bool) -> Callable[..., Any]:
    left = [1] if once else []

    def call(*arguments: Any, **named: Any) -> Any:
        if once and not left:
            return function(*arguments, **named)
        left.clear()
        raise DefectError("nobody foresaw this")

    call.__name__, call.__doc__, call.__module__ = function.__name__, function.__doc__, function.__module__
    return call


@pytest.mark.parametrize("once", [False, True], ids=["always", "once"])
@pytest.mark.parametrize("place", FUNCTIONS, ids=lambda place: place.name)
def test_unexpected_exception_still_publishes_status(place, once, site, tmp_path, monkeypatch) -> None:
    function = vars(place.owner)[place.attribute]
    broken = raising(function, once=once)
    replace_everywhere(function, broken, monkeypatch)
    if inspect.isclass(place.owner):
        monkeypatch.setattr(place.owner, place.attribute, broken)
    result = run("build", site.content, tmp_path / "out")
    makes_news = place.name.startswith(MAKE_THE_NEWS)
    assert_plain(result, (0, 3, 4) if makes_news else (0, 4))
    if not makes_news:
        found = files_in(tmp_path / "out")
        assert {path: found.get(path) for path in site.news} == site.news
