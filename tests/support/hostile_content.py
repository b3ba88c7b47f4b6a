"""Content and projects from strangers that want to fill memory, to take for ever, or to crash their reader."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from support.hostile_inputs import LITERALS, HostileRun
from support.imported_projects import DEPLOYMENTS
from support.sites import COMPONENTS, INCIDENT, MAINTENANCE, NOW, SITE, SMALL_SITE, write_files

MARK = "«hostile»"


def _places(value: Any, pointer: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the place of every value within a JSON value."""
    if pointer:
        yield pointer
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places(part, (*pointer, key))


def with_hostile_value(text: bytes, dice: Random) -> bytes:
    """Replace one value of a JSON document."""
    value = json.loads(text)
    *above, key = dice.choice(list(_places(value)))
    holder = value
    for step in above:
        holder = holder[step]
    holder[key] = MARK
    literal = LITERALS[dice.choice([*LITERALS])]()
    return (
        json.dumps(value, ensure_ascii=False).replace(json.dumps(MARK, ensure_ascii=False), literal).encode()
    )


PROJECTS = {
    "ignition": ("ignition", "ignition"),
    "hardhat": ("hardhat", "ignition"),
    "hardhat-deploy": ("hardhat-deploy", "hardhat-deploy"),
    "foundry": ("foundry", "foundry"),
}
"""The kind of an import, and the folder of a project that a real tool chain built."""


def hardhat_projects(folder: Path, dice: Random) -> HostileRun:
    """Projects of real tool chains with a hostile value in one of their files: build-infos, artifacts, journals."""
    kind, name = PROJECTS[dice.choice([*PROJECTS])]
    project = folder / "project"
    shutil.copytree(DEPLOYMENTS / name, project)
    write_files(folder / "content", {"site.yaml": SITE.replace("748463", "31337")})
    file = dice.choice(sorted(project.rglob("*.json")))
    file.write_bytes(with_hostile_value(file.read_bytes(), dice))
    return HostileRun(("import", kind, project, "--content", folder / "content", "--now", NOW))


LAUGHS = "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 12))

ALIASES = {
    "a billion laughs": lambda: "x0: &x0 [a]\n" + LAUGHS,
    "billion in a text": lambda: f"x0: &x0 {'a' * 60_000}\nlist: [{', '.join(['*x0'] * 100_000)}]\n",
    "a list in itself": lambda: "name: &a [*a]\n",
    "a mapping in itself": lambda: "name: &a {b: *a}\n",
    "merged into itself": lambda: "name: &a\n  <<: *a\n",
    "many merges": lambda: "a: &a {b: 1}\nc: {" + "<<: *a, " * 50_000 + "}\n",
    "keys that are lists": lambda: "? [a, b]\n: c\n? {d: e}\n: f\n",
    "many documents": lambda: "---\na: b\n" * 100_000,
    "many anchors": lambda: "".join(f"a{n}: &a{n} b\n" for n in range(80_000)),
    "a long anchor": lambda: f"a: &{'a' * 500_000} b\n",
    "deep flow": lambda: "a: " + "[" * 50_000,
    "deep block": lambda: "\n".join(" " * n + "a:" for n in range(1_200)),
    "unknown tags": lambda: "a: !!python/object/apply:os.system ['true']\n",
    "a binary": lambda: "a: !!binary " + "A" * 900_000 + "\n",
    "sexagesimals": lambda: "a: " + ":".join(["59"] * 100_000) + "\n",
    "controls": lambda: "a: \x00\x1b[2J\n",
}


def aliases(folder: Path, dice: Random) -> HostileRun:
    text = ALIASES[dice.choice([*ALIASES])]
    of = {
        "site.yaml": SITE,
        "components.yaml": COMPONENTS,
        "incidents/a.yaml": INCIDENT,
        "maintenances/a.yaml": MAINTENANCE,
    }
    path = dice.choice([*of, "theme/texts/it.yaml", "templates/a.yaml"])
    write_files(folder, SMALL_SITE | {path: of.get(path, "") + text()})
    return HostileRun(("check", "--content", folder, "--now", NOW))


SETTINGS = (
    '{"page":{"id":«"52kx74743llw"»,"name":«"A"»,"url":«"https://status.example.org"»,"time_zone":«"UTC"»,"about":«"a"»},'
    '"chains":[{"chain_id":«748463»,"name":«"A"»,"explorer":«"https://a.example"»}],"pages":{"language":«"en"»,'
    '"contracts":«5»,"listed":«5»},"languages":[«"en"»,«"de"»],"hosting":{"layout":«"plain"»,"precompressed":[«"gz"»]},'
    '"status":{"cap":«50»,"horizon_days":«35»,"max_epochs":«500»},"metrics":{"shown":{«"age"»:{"name":«"Age"»,"unit":«"s"»,'
    '"file":«"rpc.csv"»,"series":«"age"»}}},"notify":{"channels":[{"name":«"a"»,"kind":«"webhook"»,"url_variable":«"X"»}]},'
    '"apis":«{}»,"packs":«true»,"prometheus":«true»,"upstream":«{}»,"alerts":{"rules":«[]»},"cards":«{}»}'
)


def settings(folder: Path, dice: Random) -> HostileRun:
    parts = SETTINGS.replace("»", "«").split("«")
    parts[dice.choice(range(1, len(parts), 2))] = LITERALS[dice.choice([*LITERALS])]()
    write_files(folder, SMALL_SITE | {"site.yaml": "".join(parts)})
    return HostileRun(("check", "--content", folder, "--now", NOW))


TEMPLATES = {
    "a long product": "{{ 'a' * 1000000000 }}",
    "a long list": "{{ [0] * 1000000000 }}",
    "a power": "{{ 9 ** 9 ** 9 }}",
    "loops in loops": "{% set a = [0,1,2,3,4,5,6,7,8,9] %}"
    + "{% for b in a %}" * 12
    + "x"
    + "{% endfor %}" * 12,
    "a growing text": "{% set a = 'aaaaaaaaaa' %}"
    + "{% set a = a|replace('a', 'aaaaaaaaaa') %}" * 12
    + "{{ a }}",
    "a growing sum": "{% set a = 'aaaaaaaaaa' %}" + "{% set a = a ~ a %}" * 40 + "{{ a }}",
    "includes itself": "{% include 'status.html' %}",
    "extends itself": "{% extends 'status.html' %}",
    "a recursive macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "deep nesting": "{% if 1 %}" * 3_000 + "{% endif %}" * 3_000,
    "deep brackets": "{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}",
    "a long sum": "{{ 1" + "+1" * 50_000 + " }}",
    "attributes of Python": "{{ ''.__class__.__mro__ }}{{ status.__init__.__globals__ }}",
    "a wide format": "{{ '%999999999d' % 1 }}{{ '{:>999999999}'.format(1) }}",
    "no end": "{% for",
}

STYLES = {
    "many braces": lambda: "a{" * 300_000,
    "one long line": lambda: ":root{--a:" + "a" * 1_000_000,
    "an open comment": lambda: "/*" * 400_000,
    "escapes": lambda: "\\0" * 400_000,
}

ENTITIES = (
    '<!DOCTYPE svg [<!ENTITY a "'
    + "a" * 5_000
    + '">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9)).replace("&a0;", "&a;")
)

PICTURES = {
    "logo.svg": lambda _: (
        f'{ENTITIES}]><svg xmlns="http://www.w3.org/2000/svg"><text>&a8;</text></svg>'.encode()
    ),
    "deep.svg": lambda _: b"<svg>" + b"<g>" * 200_000,
    "logo.png": lambda dice: (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x10\6\0\0\0" + dice.randbytes(50)
    ),
    "logo.webp": lambda dice: b"RIFF\xff\xff\xff\xffWEBPVP8X" + dice.randbytes(50),
    "own.woff2": lambda dice: b"wOF2" + dice.randbytes(1_000),
}


def themes(folder: Path, dice: Random) -> HostileRun:
    page = dice.choice(["status.html", "base.html", "contract.html", "incident.html"])
    files: dict[str, str | bytes | None] = {
        **{f"templates/{page}/{name}": text.replace("status.html", page) for name, text in TEMPLATES.items()},
        **{f"style.css/{name}": make() for name, make in STYLES.items()},
        **{f"{name}/": make(dice) for name, make in PICTURES.items()},
    }
    chosen = dice.choice([*files])
    path = f"templates/{page}" if chosen.startswith("templates/") else chosen.partition("/")[0]
    write_files(folder / "content", SMALL_SITE | {f"theme/{path}": files[chosen]})
    out = ("--out", folder / "out", "--workers", "1")
    return HostileRun(("build", "--content", folder / "content", *out, "--now", NOW))


TEXTS = {
    "a wide placeholder": "section:\n  status: 'A {count:>999999999}'\npage:\n  title: '{name:>999999999}'\n",
    "attributes": "section:\n  status: '{count.__class__.__mro__}'\n",
    "open braces": "section:\n  status: '{{{{{count'\n",
    "lists": "section: [a, b]\npage: 5\n",
    "a long text": "section:\n  status: '" + "a" * 1_000_000 + "'\n",
    "markup": "section:\n  status: '<script>alert(1)</script>'\n",
    "many keys": "".join(f"a{n}: b\n" for n in range(90_000)),
    "controls": 'section:\n  status: "\\0\\x1b[2J\\u202e"\n',
    "half a character": 'section:\n  status: "\\ud800"\n',
    "numbers": "section: {status: 1e999, history: .nan}\n",
    "nothing": "section:\n",
    "the other way": "direction: up\nlanguage: {a: b}\n",
}


def languages(folder: Path, dice: Random) -> HostileRun:
    text = TEXTS[dice.choice([*TEXTS])]
    name = dice.choice(["it", "en", "xx-yy-zz", "de"])
    several = dice.random() < 0.5
    keys = f"languages: [en, {name}]\n" if several else f"pages: {{language: {name}}}\n"
    write_files(folder / "content", SMALL_SITE | {f"theme/texts/{name}.yaml": text, "site.yaml": SITE + keys})
    out = ("--out", folder / "out", "--workers", "1")
    return HostileRun(("build", "--content", folder / "content", *out, "--now", NOW))


KINDS = {
    "hardhat": hardhat_projects,
    "aliases": aliases,
    "settings": settings,
    "themes": themes,
    "languages": languages,
}
"""What makes a hostile input in a folder, by its kind."""
