"""The page of any contract has the texts that its templates and its script use, and no others."""

import re

import pytest

from statuary.contracts.pages.viewer import SCRIPT_TEXTS
from statuary.site.pages.template_trees import TemplateTrees, fill_constant_texts, used_text_keys
from support.requirements import CHECKOUT

SCRIPTS = CHECKOUT / "src/statuary/contracts/pages/viewer_script"
TEXTS = re.compile(r"\bt(?:\.count|\.has)?\(\s*[\"'`]([a-z_.]+)|texts\[\"([a-z.]+)\"\]")


def test_viewer_has_every_used_text() -> None:
    found = {
        "".join(keys) for file in SCRIPTS.glob("*.js") for keys in TEXTS.findall(file.read_text("utf-8"))
    }
    assert len(found) > 40
    assert [key for key in sorted(found) if not key.startswith(SCRIPT_TEXTS)] == []
    assert [key for key in SCRIPT_TEXTS if not any(one.startswith(key) for one in found)] == []


def body_of(template: str) -> list[object]:
    trees = TemplateTrees({"page": f"{{% block main %}}{template}{{% endblock %}}"}.__getitem__)
    trees.convert_page_template("page")
    return fill_constant_texts(
        trees.bodies["page"], {"some.key": "a < b", "other.key": "c", "key": "x"}.__getitem__
    )


@pytest.mark.parametrize(
    ("template", "body", "keys"),
    [
        ('<p>{{ t("some.key") }}</p>', ["<p>a &lt; b</p>"], []),
        ("{{ view.proof.claims }}", [["view.proof.claims"]], []),
        (
            '{{ t("some.key", name=view.x) }}',
            [[["call", "t", [["some.key"]], {"name": "view.x"}]]],
            ["some.key"],
        ),
        ('{{ t("some." ~ x) }}', [[["call", "t", [["cat", [["some."], "x"]]]]]], ["some."]),
        ("{{ t(x) }}", [[["call", "t", ["x"]]]], [""]),
        ('{{ t("some.key") if x else "d" }}', [[["choice", "x", ["a < b"], ["d"]]]], []),
        (
            '{% for name in ["some", "other"] %} data-{{ name }}="{{ t(name ~ ".key") }}"{% endfor %}',
            [
                [
                    "for",
                    ["name"],
                    ["list", [["some"], ["other"]]],
                    [" data-", ["name"], '="', [["call", "t", [["cat", ["name", [".key"]]]]]], '"'],
                    [],
                ]
            ],
            [""],
        ),
        (
            '{% for k in ["key", "other.key"] %}<i>{{ k }}, {{ t("" ~ k) }}</i>{% endfor %}',
            ["<i>key, x</i><i>other.key, c</i>"],
            [],
        ),
        (
            '{% if x %}{{ t("other.key") }}{% else %}{% for y in x %}{{ y }}{% endfor %}{% endif %}',
            [["if", "x", ["c"], [["for", ["y"], "x", [["y"]], []]]]],
            [],
        ),
    ],
)
def test_texts_without_placeholders_become_markup(template: str, body: list[object], keys: list[str]) -> None:
    assert body_of(template) == body
    assert list(used_text_keys(body)) == keys
