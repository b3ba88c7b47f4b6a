import ledger
initializes: ledger

exports_count: public(uint256)

@external
def write(value: uint256):
    ledger._write(value)
    self.exports_count += 1
