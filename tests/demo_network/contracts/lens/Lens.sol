// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Many reads in one call
/// @notice For explorers and wallets: all answers are of the same block.
contract Lens {
    struct Read {
        address target;
        bool mayFail;
        bytes data;
    }

    struct Answer {
        bool success;
        bytes data;
    }

    error ReadFailed(uint256 index, bytes reason);

    /// @notice Reads everything asked for, in order.
    function look(Read[] calldata reads) external view returns (uint256 blockNumber, Answer[] memory answers) {
        blockNumber = block.number;
        answers = new Answer[](reads.length);
        for (uint256 i = 0; i < reads.length; ++i) {
            (bool success, bytes memory data) = reads[i].target.staticcall(reads[i].data);
            if (!success && !reads[i].mayFail) revert ReadFailed(i, data);
            answers[i] = Answer(success, data);
        }
    }

    /// @notice The balances of many accounts.
    function balances(address[] calldata accounts) external view returns (uint256[] memory values) {
        values = new uint256[](accounts.length);
        for (uint256 i = 0; i < accounts.length; ++i) values[i] = accounts[i].balance;
    }

    /// @notice Whether there is code at each of many addresses.
    function haveCode(address[] calldata accounts) external view returns (bool[] memory flags) {
        flags = new bool[](accounts.length);
        for (uint256 i = 0; i < accounts.length; ++i) flags[i] = accounts[i].code.length != 0;
    }
}
