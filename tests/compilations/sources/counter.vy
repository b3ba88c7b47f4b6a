count: public(uint256)

@external
def raise_by(amount: uint256):
    self.count += amount
