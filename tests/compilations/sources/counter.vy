count: public(uint256)

@external
def add(amount: uint256):
    self.count += amount
