# A market: é, 合約, and a tab	here
struct Offer:
    price: uint256
    open: bool

event Placed:
    maker: indexed(address)
    price: uint256

offers: public(HashMap[address, Offer])
total: public(uint256)

@external
@payable
def place(price: uint256, open: bool = True, note: String[32] = "none"):
    """
    @notice Place an offer
    @param price in wei
    """
    self.offers[msg.sender] = Offer({price: price, open: open})
    self.total += price
    log Placed(msg.sender, price)

@external
@payable
def __default__():
    self.total += msg.value
