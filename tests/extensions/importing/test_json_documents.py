"""JSON lines of other systems, with blank lines among them."""

from statuary.extensions.importing.status.fields import read_json_documents
from support.sites import write_files


def test_blank_json_lines_are_skipped(tmp_path):
    write_files(tmp_path / "source", {"a.jsonl": '\n{"a": 1}\n \r\n{"b": 2}\n\n', "b.json": '\n{\n"c": 3}\n'})
    found = [(file.name, value) for file, value in read_json_documents(str(tmp_path / "source"))]
    assert found == [("a.jsonl", {"a": 1}), ("a.jsonl", {"b": 2}), ("b.json", {"c": 3})]
