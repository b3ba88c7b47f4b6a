// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Pedestal} from "./Pedestal.sol";

/// @title The hall: it erects pedestals and clears them
contract PedestalHall {
    error NotTheKeeper(address caller);
    error HallFull(uint256 capacity);

    event Erected(uint256 indexed number, Pedestal pedestal, string title);

    address public immutable keeper;
    uint256 public immutable capacity;
    Pedestal[] public pedestals;

    modifier onlyKeeper() {
        if (msg.sender != keeper) revert NotTheKeeper(msg.sender);
        _;
    }

    /// @param capacity_ how many pedestals fit in.
    constructor(uint256 capacity_) {
        keeper = msg.sender;
        capacity = capacity_;
    }

    /// @notice Erects the next pedestal.
    function erect(string calldata title) external onlyKeeper returns (Pedestal pedestal) {
        uint256 number = pedestals.length + 1;
        if (number > capacity) revert HallFull(capacity);
        pedestal = new Pedestal(uint96(number), title);
        pedestals.push(pedestal);
        emit Erected(number, pedestal, title);
    }

    /// @notice Clears the pedestal with this number, counted from 1.
    function clear(uint256 number) external onlyKeeper {
        pedestals[number - 1].clear();
    }

    /// @notice How many pedestals stand.
    function standing() external view returns (uint256) {
        return pedestals.length;
    }
}
