# pragma version 0.4.3
# SPDX-License-Identifier: Apache-2.0
"""
@title A price, reported by several sources and answered as their median
@license Apache-2.0
@author The Plinth foundation
@notice Each source reports for itself. The answer is the median of the reports that are young enough.
"""

struct Report:
    price: uint256
    reported_at: uint256

struct Answer:
    price: uint256
    reports: uint256
    oldest: uint256


event Reported:
    source: indexed(address)
    price: uint256


event SourceChanged:
    source: indexed(address)
    allowed: bool


MOST_SOURCES: constant(uint256) = 15

PAIR: public(immutable(String[16]))
DECIMALS: public(immutable(uint8))
LONGEST_AGE: public(immutable(uint256))

steward: public(address)
sources: public(DynArray[address, MOST_SOURCES])
reports: public(HashMap[address, Report])


@deploy
def __init__(pair: String[16], decimals: uint8, longest_age: uint256, sources: DynArray[address, MOST_SOURCES]):
    """
    @param pair what is priced in what, such as "PLT/EUR"
    @param decimals how many of a price's digits are after the point
    @param longest_age how old a report may be, in seconds
    @param sources who may report
    """
    PAIR = pair
    DECIMALS = decimals
    LONGEST_AGE = longest_age
    self.steward = msg.sender
    for source: address in sources:
        self._allow(source)


@external
def report(price: uint256):
    """
    @notice Reports the price as the caller sees it now
    """
    assert msg.sender in self.sources, "not a source"
    assert price != 0, "no price"
    self.reports[msg.sender] = Report(price=price, reported_at=block.timestamp)
    log Reported(source=msg.sender, price=price)


@external
def allow(source: address):
    """
    @notice Lets someone report
    """
    assert msg.sender == self.steward, "only the steward"
    self._allow(source)


@external
def hand_over(steward: address):
    """
    @notice Makes someone else the steward
    """
    assert msg.sender == self.steward, "only the steward"
    self.steward = steward


@view
@external
def answer() -> Answer:
    """
    @notice The median of the young reports (the lower one of two in the middle), how many there are,
        and when the oldest of them was made
    """
    prices: DynArray[uint256, MOST_SOURCES] = []
    oldest: uint256 = block.timestamp
    for source: address in self.sources:
        it: Report = self.reports[source]
        if it.price != 0 and it.reported_at + LONGEST_AGE >= block.timestamp:
            prices = self._with(prices, it.price)
            oldest = min(oldest, it.reported_at)
    assert len(prices) != 0, "no young report"
    return Answer(price=prices[(len(prices) - 1) // 2], reports=len(prices), oldest=oldest)


@internal
def _allow(source: address):
    assert source not in self.sources, "a source already"
    self.sources.append(source)
    log SourceChanged(source=source, allowed=True)


@pure
@internal
def _with(prices: DynArray[uint256, MOST_SOURCES], price: uint256) -> DynArray[uint256, MOST_SOURCES]:
    # insertion keeps the list sorted, so that the middle is the median
    sorted: DynArray[uint256, MOST_SOURCES] = []
    placed: bool = False
    for other: uint256 in prices:
        if not placed and price < other:
            sorted.append(price)
            placed = True
        sorted.append(other)
    if not placed:
        sorted.append(price)
    return sorted
