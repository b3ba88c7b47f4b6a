import ledger
initializes: ledger

exports_count: public(uint256)

@external
def write(amount: uint256):
    ledger._write(amount)
    self.exports_count += 1
