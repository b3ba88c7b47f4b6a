// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Edition} from "./Edition.sol";

/// @title The press: it makes editions as minimal proxies (EIP-1167) of one implementation
contract EditionPress {
    error CloneFailed();

    event Pressed(address indexed artist, Edition indexed edition, string title);

    Edition public immutable implementation;

    constructor(Edition implementation_) {
        implementation = implementation_;
    }

    /// @notice Makes an edition for the caller.
    /// @param title the work's title.
    /// @param size how many copies there will ever be.
    /// @param price of one copy, in the smallest unit (10^-18 PLT).
    function press(string calldata title, uint256 size, uint256 price) external returns (Edition edition) {
        edition = Edition(_clone(address(implementation)));
        edition.initialize(payable(msg.sender), title, size, price);
        emit Pressed(msg.sender, edition, title);
    }

    /// @dev The creation code is the one of EIP-1167: 10 bytes that return the 45 after them.
    function _clone(address target) private returns (address clone) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
            target,
            hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            clone := create(0, add(code, 0x20), mload(code))
        }
        if (clone == address(0)) revert CloneFailed();
    }
}
