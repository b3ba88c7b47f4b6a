"""What a site changes of the look of its pages, and what becomes of a theme that is broken."""

import json
from pathlib import Path

import pytest
import yaml

from statuary.base.findings import Finding, Position, Severity
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.check_site import check_site
from statuary.publish.folder.folder_target import FolderTarget
from statuary.site.pages.unused_templates import unused_template_findings
from statuary.site.settings import PageSettings, Theme
from support.browser import build
from support.contracts import made_record
from support.hostile_shapes import at_address
from support.sites import NOW, SMALL_SITE, files_in, write_files
from support.tiers import few_by_default

LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'


def content_with(tmp_path: Path, **theme: str | bytes) -> Path:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    files |= {f"theme/{path}": body for path, body in theme.items()}
    return write_files(tmp_path / "content", files)


def themed(tmp_path: Path, theme: dict[str, str | bytes]) -> Path:
    return build(content_with(tmp_path, **theme), tmp_path / "site", NOW)


def findings_of(tmp_path: Path, theme: dict[str, str | bytes]) -> list[Finding]:
    checked = check_site(content_with(tmp_path, **theme), parse_instant(NOW), NoProgress())
    return checked.all_findings


@pytest.mark.slow
def test_theme_style_follows_package_style(tmp_path: Path) -> None:
    site = themed(tmp_path, {"style.css": ":root { --accent: #b3006b; }\n"})
    style = (site / "assets/statuary.css").read_text("utf-8")
    assert style.endswith(":root { --accent: #b3006b; }\n")
    assert style.index("--accent: var(--ink)") < style.index("--accent: #b3006b")


def test_theme_logo_appears_beside_site_name(tmp_path: Path) -> None:
    site = themed(tmp_path, {"logo.svg": LOGO})
    assert (site / "assets/theme/logo.svg").read_bytes() == LOGO
    assert '<img src="assets/theme/logo.svg" alt="" height="28">' in (site / "index.html").read_text("utf-8")
    assert '<img src="../assets/theme/logo.svg"' in (site / "incidents/slow.html").read_text("utf-8")


SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {}>{}</svg>'
HARMLESS = [
    '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    + SVG.format("", ""),
    SVG.format("", '<a href="https://example.org"><path id="p" style="fill: url(#g)" d="M0 0"/></a>'),
    SVG.format(
        "", '<image xlink:href="data:image/png;base64,AAAA"/><use href="#p"/><title>on javascript</title>'
    ),
    SVG.format("", '<metadata about="metadata:x"/><style>path { fill: red }</style>'),
]
HARMFUL = {
    SVG.format("", "<script>alert(1)</script>"): "the element 'script'",
    SVG.format("", '<h:script xmlns:h="http://www.w3.org/1999/xhtml" src="//x"/>'): "the element 'script'",
    SVG.format("", "<foreignObject/>"): "the element 'foreignObject'",
    SVG.format("", "<g><SCRIPT/></g>"): "the element 'SCRIPT'",
    SVG.format('onload="alert(1)"', ""): "the attribute 'onload'",
    SVG.format("", '<a href="java&#10;script:alert(1)"/>'): "the attribute 'href'",
    SVG.format("", '<a xlink:href=" JavaScript:alert(1)"/>'): "the attribute 'href'",
    SVG.format("", '<set attributeName="href" to="javascript:alert(1)"/>'): "the attribute 'to'",
    SVG.format("", '<use href="data:image/svg+xml,x"/>'): "the attribute 'href'",
    '<!DOCTYPE svg [<!ENTITY s "x">]>' + SVG.format("", "&s;"): "entities of its own",
    '<?xml-stylesheet href="x.xsl"?>' + SVG.format("", ""): "the instruction 'xml-stylesheet'",
    "<svg><path></svg>": "not XML",
    "<h1>not a picture</h1><script/>": "not XML",
    "": "not XML",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HARMLESS)
def test_safe_svg_is_published_unchanged(tmp_path: Path, text: str) -> None:
    assert (themed(tmp_path, {"logo.svg": text.encode()}) / "assets/theme/logo.svg").read_text() == text


@pytest.mark.parametrize("text", HARMFUL)
def test_svg_with_script_is_rejected(tmp_path: Path, text: str) -> None:
    (found,) = findings_of(tmp_path, {"map.svg": text.encode()})
    assert (found.path, found.severity) == ("theme/map.svg", "error")
    assert HARMFUL[text] in found.message


def test_broken_svg_error_reports_line(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path, {"map.svg": b"<svg>\n <path></svg>"})
    assert found.position == Position(2, 10)


@pytest.mark.slow
def test_theme_template_can_extend_package_template(tmp_path: Path) -> None:
    template = '{% extends "package/status.html" %}{% block footer %}<p>Ours: {{ site.name }}</p>{{ super() }}{% endblock %}'
    page = (themed(tmp_path, {"templates/status.html": template}) / "index.html").read_text("utf-8")
    assert "<p>Ours: Plinth</p>" in page
    assert "Subscribe</summary>" in page


@pytest.mark.slow
def test_theme_text_overrides_single_page_text(tmp_path: Path) -> None:
    page = (
        themed(tmp_path, {"texts/en.yaml": "subscribe: {button: Stay informed}\n"}) / "index.html"
    ).read_text()
    assert "Stay informed" in page
    assert "Subscribe</summary>" not in page


@pytest.mark.slow
def test_theme_file_adds_language(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    files["site.yaml"] = f"{SMALL_SITE['site.yaml']}pages: {{language: it}}\n"
    files["theme/texts/it.yaml"] = "section: {status: Stato}\n"
    page = (build(write_files(tmp_path / "content", files), tmp_path / "site", NOW) / "index.html").read_text(
        "utf-8"
    )
    assert '<html lang="it">' in page
    assert "Stato" in page
    assert "Uptime" in page  # English where the file says nothing


@pytest.mark.parametrize("name", ["site.yaml", "site.json"])
def test_unknown_page_language_is_reported(tmp_path: Path, name: str) -> None:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    settings = yaml.load(files.pop("site.yaml") or "", yaml.BaseLoader)
    files[name] = json.dumps(settings | {"pages": {"language": "it"}})  # is YAML too
    checked = check_site(write_files(tmp_path / "content", files), parse_instant(NOW), NoProgress())
    (finding,) = checked.all_findings
    assert (finding.rule, finding.path) == ("unknown-language", name)
    assert "theme/texts/it.yaml" in finding.hint


@pytest.mark.parametrize(
    ("path", "body", "rule", "message"),
    [
        ("texts/en.yaml", "nonsense: {key: x}\n", "invalid-theme-text", "no page has a text with this key"),
        (
            "texts/en.yaml",
            "past: {title: 'Past {years}'}\n",
            "invalid-theme-text",
            "unknown placeholder {years}",
        ),
        ("texts/en.yaml", "past: {title: '{days.__class__}'}\n", "invalid-theme-text", "unknown placeholder"),
        ("texts/en.yaml", "past: {title: '{days!r}'}\n", "invalid-theme-text", "unknown placeholder"),
        ("texts/en.yaml", "past: {title: '{days'}\n", "invalid-theme-text", "its braces are not balanced"),
        ("texts/en.yaml", "- a\n", "parse-error", "is not a text"),
        ("templates/status.html", "{% if %}", "template-error", "cannot render the template"),
        ("templates/status.html", "{{ nowhere.at.all }}", "template-error", "'nowhere' is undefined"),
        ("templates/base.html", "{{ ''.__class__.__mro__ }}", "template-error", "unsafe"),
        (
            "templates/base.html",
            "{% include '/proc/self/environ' %}",
            "template-error",
            "/proc/self/environ",
        ),
        ("templates/base.html", "{{ t('no.such') }}", "template-error", "no.such"),
        ("templates/base.html", "<script>steal()</script>", "template-error", "a script in a page"),
        ("templates/base.html", '<meta http-equiv="refresh" content="0">', "template-error", "http-equiv"),
        ("templates/base.html", '<base href="https://evil.example">', "template-error", "`base`"),
        ("templates/status.html", '<img src=x onerror="steal()">', "template-error", "an event attribute"),
        ("templates/status.html", '<a href="javascript:steal()">', "template-error", "a script in a link"),
        ("templates/404.txt", "x", None, ""),
        ("surprise.exe", b"MZ", "unknown-file", "unknown file; it is "),
    ],
)
def test_invalid_theme_file_is_reported(
    tmp_path: Path, path: str, body: str | bytes, rule: str | None, message: str
) -> None:
    found = findings_of(tmp_path, {path: body})
    assert {finding.rule for finding in found} == ({rule} if rule else set())
    assert all(message in finding.message and finding.path == f"theme/{path}" for finding in found)


CORE = '{% extends "package/status.html" %}'


@pytest.mark.parametrize(
    ("templates", "unused"),
    [
        ({"statsu.html": "x"}, {"statsu.html": "did you mean 'status'?"}),
        ({"status.html": CORE, "own.html": "x"}, {"own.html": "name it as the template of statuary"}),
        (
            {"status.html": CORE + '{% block main %}{% include "own.html" %}{% endblock %}', "own.html": "x"},
            {},
        ),
        (
            {"status.html": '{% import "a.html" as a %}', "a.html": '{% include "b.html" %}', "b.html": "x"},
            {},
        ),
        (
            {"status.html": CORE, "a.html": '{% include "b.html" %}', "b.html": "x"},
            {"a.html": "name it", "b.html": "name it"},
        ),
        ({"status.html": "{% include site.name %}", "own.html": "x"}, {}),
        ({"status.html": "{% if %}", "own.html": "x"}, {}),
        ({"log_incident.html": "x"}, {"log_incident.html": "did you mean 'incident'?"}),
    ],
)
def test_unused_theme_template_gives_warning(templates: dict[str, str], unused: dict[str, str]) -> None:
    settings = PageSettings(theme=Theme(templates=tuple(templates.items())))
    found = list(unused_template_findings(settings, ()))
    assert [finding.path for finding in found] == [f"theme/templates/{name}" for name in unused]
    for finding, hint in zip(found, unused.values(), strict=True):
        assert (finding.rule, finding.severity) == ("unused-template", Severity.WARNING)
        assert finding.hint.startswith(hint)


def test_enabled_extension_template_is_accepted() -> None:
    settings = PageSettings(theme=Theme(templates=(("log_incident.html", "x"),)))
    assert not list(unused_template_findings(settings, ("log",)))


def test_misspelt_theme_template_is_reported(tmp_path: Path) -> None:
    (finding,) = findings_of(tmp_path, {"templates/statsu.html": "x"})
    assert (finding.rule, finding.path) == ("unused-template", "theme/templates/statsu.html")


@pytest.mark.parametrize(
    ("style", "position"),
    [
        ('@import "https://fonts.example.org/inter.css";', (1, 1)),
        ("/* a\n b */\nbody { color: red }\n  @IMPORT url(other.css);", (4, 3)),
        ("@font-face {\n  src: url('https://fonts.example.org/inter.woff2');\n}", (2, 8)),
        ("body { background: url( //cdn.example.org/a.png ) }", (1, 20)),
    ],
)
def test_style_blocked_by_policy_gives_warning(tmp_path: Path, style: str, position: tuple[int, int]) -> None:
    (finding,) = findings_of(tmp_path, {"style.css": style})
    assert (finding.rule, finding.severity, finding.path) == (
        "blocked-style",
        Severity.WARNING,
        "theme/style.css",
    )
    assert finding.position == Position(*position)
    assert "has no effect" in finding.message


@pytest.mark.parametrize(
    "style",
    [
        "/* @import 'https://a.example' */",
        "@font-face { src: url(inter.woff2) }",
        ".a { content: 'important' }",
        "/* url(https://a",
    ],
)
def test_valid_theme_style_has_no_findings(tmp_path: Path, style: str) -> None:
    assert findings_of(tmp_path, {"style.css": style}) == []


def test_theme_template_error_reports_line(tmp_path: Path) -> None:
    (finding,) = findings_of(tmp_path, {"templates/status.html": "<p>\n{% for %}\n"})
    assert finding.position is not None
    assert finding.position.line == 2


@pytest.mark.parametrize(
    "name",
    few_by_default(
        ["status", "base", "incident", "uptime", "history", "not_found", "api", "contract", "contracts"], 2
    ),
)
def test_broken_theme_template_uses_package_template(tmp_path: Path, name: str) -> None:
    content = content_with(tmp_path, **{f"templates/{name}.html": "{{ nowhere }}", "style.css": "p {}"})
    path, text = at_address(made_record(), 1)
    write_files(content, {path: text})
    with FolderTarget(tmp_path / "site") as publication:
        outcome = build_site(content, publication, parse_instant(NOW), NoProgress())
    assert outcome.applied
    (finding,) = outcome.checked.skipped
    assert (finding.rule, finding.path) == ("template-error", f"theme/templates/{name}.html")
    assert (outcome.checked.excluded_count, outcome.checked.is_clean) == (0, False)
    write_files(content, {f"theme/templates/{name}.html": None})
    with FolderTarget(tmp_path / "plain") as publication:
        build_site(content, publication, parse_instant(NOW), NoProgress())
    assert files_in(tmp_path / "site") == files_in(tmp_path / "plain")
    with FolderTarget(tmp_path / "site") as publication:
        again = build_site(content, publication, parse_instant(NOW), NoProgress())
    assert again.checked.skipped == ()
