"""The comparison with recorded responses: what it accepts with a reason, and that anything else fails it."""

import json
from pathlib import Path

import pytest

from statuary.extensions.apis.etherscan import ANSWERS, make_source_code_result, make_success_response
from support.contracts import made_record
from support.recorded_responses import CANONICAL_FILE, MOCKS, RESPONSES, main


def checkout(root: Path, **members: str) -> Path:
    """A checkout with a recorded response, some of whose members are others, in both forms of a recording."""
    result = make_source_code_result(made_record("immutables")) | {"SwarmSource": ""} | members
    body = json.dumps(make_success_response([result]), indent=2)
    for name, text in {
        f"{RESPONSES}/get_contract_response_made.json": body,
        MOCKS: f"export const MADE_RESPONSE = {body};\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    return root


@pytest.mark.slow
@pytest.mark.parametrize("members", [{}, {"SimilarMatch": "0x" + "11" * 20}, {"LicenseType": "Unlicense"}])
def test_explained_difference_from_recorded_response_passes(tmp_path, capsys, members):
    assert main([checkout(tmp_path, **members)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if "equal" in line]) == 2
    for member in members:
        assert [line for line in lines if f"2  {member}: " in line]


@pytest.mark.slow
@pytest.mark.parametrize("members", [{"Runs": "0200"}, {"CompilerVersion": "0.8.30"}, {"Extra": "x"}])
def test_unexplained_difference_from_recorded_response_fails(tmp_path, capsys, members):
    assert main([checkout(tmp_path, **members)]) == 1
    [member] = members
    assert f"2  {member}: WITHOUT A REASON" in capsys.readouterr().out


def test_wrong_canonical_signature_fails_comparison(tmp_path):
    assert main([tmp_path]) == 1
    path = tmp_path / CANONICAL_FILE
    path.parent.mkdir(parents=True)
    path.write_text('{"0xa9059cbb": {"signature": "transfer(address)"}}', "utf-8")
    assert main([tmp_path]) == 1


def test_unverified_contract_response_is_compared(tmp_path):
    path = tmp_path / RESPONSES / "get_contract_response_made.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(ANSWERS["getsourcecode"]), "utf-8")
    assert main([tmp_path]) == 0
