entries: DynArray[uint256, 16]

@internal
def _write(amount: uint256):
    self.entries.append(amount)
