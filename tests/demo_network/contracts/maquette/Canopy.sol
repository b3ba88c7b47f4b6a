// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Canopy
/// @notice A roof over the rehearsal: it collects what visitors leave, until its keeper takes it down.
contract Canopy {
    address payable public immutable keeper;
    uint256 public visits;

    event Visited(address indexed who, uint256 left);

    error NotTheKeeper();

    constructor() {
        keeper = payable(msg.sender);
    }

    /// @notice Visit the rehearsal, and leave what you like.
    function visit() external payable {
        visits += 1;
        emit Visited(msg.sender, msg.value);
    }

    /// @notice Take the canopy down: its code and its coins leave this address.
    function takeDown() external {
        if (msg.sender != keeper) revert NotTheKeeper();
        selfdestruct(keeper);
    }
}
