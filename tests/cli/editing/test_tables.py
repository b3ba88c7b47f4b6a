"""Lists on a terminal and elsewhere."""

from io import StringIO

import pytest
import rich.console

from statuary.cli.editing.tables import print_rows

ROWS = [
    {"id": "a", "status": "major_outage", "components": ["rpc", "bridge"]},
    {"id": "bb", "status": None, "components": []},
]


def test_table_without_terminal_has_aligned_columns(capsys):
    print_rows(ROWS, ("id", "status", "components"), "text", "nothing")
    assert capsys.readouterr().out == "a   major_outage  rpc, bridge\nbb  -             -\n"


def test_table_on_terminal_has_headings(monkeypatch):
    screen = StringIO()
    terminal = rich.console.Console(file=screen, force_terminal=True, color_system="truecolor", width=80)
    monkeypatch.setattr(rich.console, "Console", lambda: terminal)
    print_rows(ROWS, ("id", "status"), "text", "nothing")
    assert "\x1b[31mmajor_outage" in screen.getvalue()
    assert "status" in screen.getvalue().splitlines()[0]


@pytest.mark.parametrize(("form", "out", "err"), [("text", "", "nothing\n"), ("json", "[]\n", "")])
def test_empty_table_prints_message(capsys, form, out, err):
    print_rows([], ("id",), form, "nothing")
    assert capsys.readouterr() == (out, err)
