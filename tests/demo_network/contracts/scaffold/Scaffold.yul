// SPDX-License-Identifier: Apache-2.0
//
// Creates contracts at addresses that are the same on every chain (EIP-1014).
// Call it with 32 bytes of salt, then the creation code, then any arguments. It hands on the coins that come
// with the call and answers the new address (20 bytes), or fails with whatever the creation code said.
object "Scaffold" {
    code {
        datacopy(0, dataoffset("Scaffold_deployed"), datasize("Scaffold_deployed"))
        return(0, datasize("Scaffold_deployed"))
    }
    object "Scaffold_deployed" {
        code {
            if lt(calldatasize(), 33) { revert(0, 0) }
            let salt := calldataload(0)
            let size := sub(calldatasize(), 32)
            calldatacopy(0, 32, size)
            let created := create2(callvalue(), 0, size, salt)
            if iszero(created) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
            mstore(0, shl(96, created))
            return(0, 20)
        }
    }
}
