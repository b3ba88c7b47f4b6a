// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Prices of rides, a library that contracts are linked with
library Fare {
    function price(uint8 zones) public pure returns (uint256) {
        return zones * 0.01 ether;
    }
}
