// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Sketch
/// @notice A first study of the catalogue: one line of text for each number.
contract Sketch {
    mapping(uint256 number => string line) public lineOf;
    uint256 public lines;

    event Drawn(uint256 indexed number, string line);

    /// @notice Draw a line.
    function draw(string calldata line) external returns (uint256 number) {
        number = lines++;
        lineOf[number] = line;
        emit Drawn(number, line);
    }
}
