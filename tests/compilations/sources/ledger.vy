entries: DynArray[uint256, 16]

@internal
def _write(value: uint256):
    self.entries.append(value)
