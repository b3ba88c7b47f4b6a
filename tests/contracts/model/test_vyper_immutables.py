"""The size of Vyper's immutables before 0.3.10, from the endings of constructors that its releases write."""

import pytest

from statuary.contracts.model.vyper_immutables import appended_immutables_size

RUNTIME = bytes.fromhex("6003361161000c57") + b"\x5b" * 180  # 0xbc bytes

CONSTRUCTORS = {
    # by version: the code before the runtime code, the code after it, and the bytes of immutables
    "0.3.1": ("6101405250", "5b60bc610400396100bc6101805180a00180" + "60a0016101e0f3", 160),
    "0.3.3": ("5b5050506100bc6100b763000000003961" + "00bc60a00163" + "00000000f3", "5b600080fd", 160),
    "0.3.7": ("6101205250506100bc6100ad6100003961015c610000f3", "005b600080fd", 160),
    "0.3.9": ("3461016757600161004a5260bc601d60003960dc6000f3", "005b5f80fd", 32),
}


@pytest.mark.parametrize("version", CONSTRUCTORS)
def test_returned_size_includes_vyper_immutables(version):
    before, after, size = CONSTRUCTORS[version]
    creation = bytes.fromhex(before) + RUNTIME + bytes.fromhex(after)
    found = appended_immutables_size(creation, RUNTIME, language="Vyper", version=version, auxdata={})
    assert found == size


@pytest.mark.parametrize(
    ("creation", "version", "language"),
    [
        (bytes.fromhex("60bc601d60003960bc6000f3") + RUNTIME, "0.3.9", "Vyper"),  # without immutables
        (bytes.fromhex("60bc601d60003960dd6000f3") + RUNTIME, "0.3.9", "Vyper"),  # no whole words
        (bytes.fromhex("60bc601d60003960dc6000f3") + RUNTIME, "0.3.0", "Vyper"),
        (bytes.fromhex("60bc601d60003960dc6000f3") + RUNTIME, "0.8.9", "Solidity"),
        (bytes.fromhex("60bc601d60003960dc6000f3") + RUNTIME, "0.4.0", "Vyper"),
        (None, "0.3.9", "Vyper"),
    ],
)
def test_other_constructors_append_no_immutables(creation, version, language):
    assert appended_immutables_size(creation, RUNTIME, language=language, version=version, auxdata={}) == 0
