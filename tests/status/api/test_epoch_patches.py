"""A patch of a document makes exactly the other one, in Python and in the edge module."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.site.document import Document
from statuary.site.urls import HTML, JSON
from statuary.status.api.epochs import PatchBase, PatchError, apply_patch
from support.edge_runtimes import deno
from support.requirements import CHECKOUT
from support.strategies import steady

LINES = st.lists(
    st.sampled_from(["<p>one</p>\n", "a", '{"name":"Zoë","id":"1"},', '"x":[],\n', "Ω" * 30, "👾"])
)


def document(body: bytes, media_type: str = JSON) -> Document:
    return Document(path="one", body=body, media_type=media_type)


@steady
@given(LINES, LINES, st.sampled_from([HTML, JSON]))
def test_epoch_patch_produces_target_document(before, after, media_type):
    one, other = ("".join(texts).encode() for texts in (before, after))
    patch = PatchBase(document(one, media_type)).patch(document(other, media_type))
    assert apply_patch(one, patch) == other


@steady
@given(st.text(), st.text())
def test_epoch_patch_handles_arbitrary_texts(before, after):
    base = document(before.encode("utf-8", "replace"))
    other = document(after.encode("utf-8", "replace"))
    assert apply_patch(base.body, PatchBase(base).patch(other)) == other.body


def records(moment: str) -> bytes:
    one = (
        '{"id":"%d","name":"Überlast","updated_at":"2026-11-01","component":{"updated_at":"%s","position":2}}'
    )
    return f'{{"page":{{"updated_at":"{moment}"}},"records":[{",".join(one % (n, moment) for n in range(99))}]}}'.encode()


def test_epoch_patch_contains_only_differences():
    before, after = records("2026-12-01T10:00:00.000Z"), records("2026-12-01T11:00:00.000Z")
    patch = PatchBase(document(before)).patch(document(after))
    assert len(patch) < len(after) / 4
    lines = b"".join(b"<p>line %d of the page</p>\n" % number for number in range(500))
    patch = PatchBase(document(lines, HTML)).patch(
        document(lines.replace(b"line 250 of", b"line 250 in"), HTML)
    )
    assert [part for part in json.loads(patch)["parts"] if isinstance(part, str)] == ["in"]


@pytest.mark.parametrize("patch", [b"", b"{}", b"[]", b'{"base":1}', b'{"base":"0","parts":[]}'])
def test_epoch_patch_rejects_wrong_base(patch):
    with pytest.raises(PatchError):
        apply_patch(b"some bytes", patch)


def test_invalid_epoch_patch_is_rejected():
    patch = json.loads(PatchBase(document(b"some bytes")).patch(document(b"other bytes")))
    for parts in (7, [7], [None], [["a", "b"]]):
        with pytest.raises(PatchError):
            apply_patch(b"some bytes", json.dumps(patch | {"parts": parts}).encode())


SCRIPT = """
import { patched } from "file://%s";
const bytes = (text) => new TextEncoder().encode(text);
const pairs = JSON.parse(await new Response(Deno.stdin.readable).text());
const found = [];
for (const { base, patch } of pairs) {
  const body = await patched(bytes(base), bytes(patch));
  found.push(body && new TextDecoder().decode(body));
}
console.log(JSON.stringify(found));
"""


@pytest.mark.slow
def test_edge_module_applies_patches_like_python(tmp_path: Path) -> None:
    before, after = records("2026-12-01T10:00:00.000Z"), records("2026-12-01T11:00:00.000Z")
    patch = PatchBase(document(before)).patch(document(after)).decode()
    pairs = [
        {"base": before.decode(), "patch": patch},
        {"base": after.decode(), "patch": patch},
        {"base": before.decode(), "patch": "{"},
        {"base": before.decode(), "patch": "null"},
    ]
    script = tmp_path / "apply.js"
    script.write_text(SCRIPT % (CHECKOUT / "src/statuary/edge/epochs.js"))
    command = [deno(), "run", "--quiet", "--no-config", "--allow-read", str(script)]
    done = subprocess.run(command, input=json.dumps(pairs), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [after.decode(), None, None, None]
