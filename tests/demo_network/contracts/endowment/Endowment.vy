# @version 0.3.10
# SPDX-License-Identifier: Apache-2.0
"""
@title An endowment that is paid out little by little
@license Apache-2.0
@author The Plinth foundation
@notice What was given becomes available evenly from the start to the end, nothing of it before the cliff.
"""

event Given:
    donor: indexed(address)
    amount: uint256


event Released:
    beneficiary: indexed(address)
    amount: uint256


START: immutable(uint256)
CLIFF: immutable(uint256)
END: immutable(uint256)

beneficiary: public(address)
released: public(uint256)


@external
@payable
def __init__(beneficiary: address, start: uint256, cliff: uint256, end: uint256):
    """
    @param beneficiary who is paid
    @param start when it begins to become available, in seconds since 1970
    @param cliff before which nothing is paid
    @param end when all of it is available
    """
    assert start <= cliff and cliff <= end and start < end, "wrong order of times"
    START = start
    CLIFF = cliff
    END = end
    self.beneficiary = beneficiary
    if msg.value != 0:
        log Given(msg.sender, msg.value)


@external
@payable
def __default__():
    log Given(msg.sender, msg.value)


@view
@external
def times() -> (uint256, uint256, uint256):
    """
    @notice The start, the cliff and the end
    """
    return START, CLIFF, END


@view
@internal
def _available(moment: uint256) -> uint256:
    given: uint256 = self.balance + self.released
    if moment < CLIFF:
        return 0
    if moment >= END:
        return given
    return given * (moment - START) / (END - START)


@view
@external
def available() -> uint256:
    """
    @notice What can be released now
    """
    return self._available(block.timestamp) - self.released


@external
@nonreentrant("release")
def release() -> uint256:
    """
    @notice Pays the beneficiary what is available; anyone may call it
    """
    amount: uint256 = self._available(block.timestamp) - self.released
    assert amount != 0, "nothing available"
    self.released += amount
    log Released(self.beneficiary, amount)
    send(self.beneficiary, amount)
    return amount


@external
def hand_over(beneficiary: address):
    """
    @notice Makes someone else the beneficiary
    """
    assert msg.sender == self.beneficiary, "only the beneficiary"
    self.beneficiary = beneficiary
