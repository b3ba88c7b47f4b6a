// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Fare} from "fares/Fare.sol";

/// @title A gate of any station
abstract contract Gate {
    address public immutable keeper;
    mapping(address rider => uint256) public rides;

    event Passed(address indexed rider, uint8 zones);

    constructor(address keeper_) {
        keeper = keeper_;
    }

    function pass(uint8 zones) external payable {
        require(msg.value == Fare.price(zones), "wrong fare");
        rides[msg.sender] += 1;
        emit Passed(msg.sender, zones);
    }
}
