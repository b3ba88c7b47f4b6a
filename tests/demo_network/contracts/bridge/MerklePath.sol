// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Climbing from a leaf to the root of a binary tree of hashes
library MerklePath {
    /// @notice The root that `leaf` belongs to, if it is the leaf number `index` and `siblings` are its neighbours,
    ///         lowest first.
    function rootFrom(bytes32 leaf, uint256 index, bytes32[] calldata siblings) internal pure returns (bytes32 root) {
        root = leaf;
        for (uint256 level = 0; level < siblings.length; ++level) {
            root = (index >> level) & 1 == 0
                ? keccak256(abi.encodePacked(root, siblings[level]))
                : keccak256(abi.encodePacked(siblings[level], root));
        }
    }
}
