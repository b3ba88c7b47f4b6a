// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Numbers with 18 decimal places
library FixedPoint {
    error DivisionByZero();
    error ResultTooLarge(uint256 x, uint256 y);

    uint256 internal constant ONE = 1e18;

    /// @notice x * y, rounded down.
    function multiply(uint256 x, uint256 y) external pure returns (uint256) {
        if (x != 0 && y > type(uint256).max / x) revert ResultTooLarge(x, y);
        return (x * y) / ONE;
    }

    /// @notice x / y, rounded down.
    function divide(uint256 x, uint256 y) external pure returns (uint256) {
        if (y == 0) revert DivisionByZero();
        if (x > type(uint256).max / ONE) revert ResultTooLarge(x, ONE);
        return (x * ONE) / y;
    }

    /// @notice The square root of x, rounded down.
    /// @dev Newton's method from above: the guesses fall until they are the root.
    function squareRoot(uint256 x) external pure returns (uint256 root) {
        if (x == 0) return 0;
        if (x > type(uint256).max / ONE) revert ResultTooLarge(x, ONE);
        uint256 square = x * ONE;
        root = square;
        uint256 guess = (square >> 1) + 1;
        while (guess < root) {
            root = guess;
            guess = (square / guess + guess) >> 1;
        }
    }
}
