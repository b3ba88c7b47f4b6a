// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title What the network promises, at an address that has been there since the first block
/// @notice Nobody created this contract by a transaction: it is part of the genesis state.
contract NetworkCharter {
    event PromiseMade(uint256 indexed number, string text);
    error OnlyTheFoundation();

    string public constant MOTTO = unicode"Auf Stein gebaut — seit Block 0";
    address public constant FOUNDATION = 0xe8701A978e19D57b7ff99eb6AD151594F454E8de;
    uint256 public constant CHAIN_ID = 748463;

    string[] private promises;

    /// @notice Adds a promise; none can be taken back.
    function pledge(string calldata text) external {
        if (msg.sender != FOUNDATION) revert OnlyTheFoundation();
        promises.push(text);
        emit PromiseMade(promises.length, text);
    }

    /// @notice Everything promised so far.
    function all() external view returns (string[] memory) {
        return promises;
    }
}
