// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Mould
/// @notice Leaves at its address whatever code its maker sent, and not the code below.
contract Mould {
    uint256 public castings;

    constructor(bytes memory code) {
        assembly {
            return(add(code, 32), mload(code))
        }
    }

    /// @notice Count one more casting.
    function cast() external {
        castings += 1;
    }
}
