// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title What a ride costs
library Fare {
    error NoSuchZone(uint8 zone);

    /// @notice The price of crossing a number of zones, in wei
    function price(uint8 zones) external pure returns (uint256) {
        if (zones == 0 || zones > 9) revert NoSuchZone(zones);
        return uint256(zones) * 3 gwei;
    }
}
