// SPDX-License-Identifier: MIT
pragma solidity >=0.6.0;

contract Zero {
    uint256 public calls;

    function wycpnbqcyf() external { calls += 1; }
}

contract ZeroAmongMany {
    uint256 public calls;
    uint256 public b;
    uint256 public c;

    function wycpnbqcyf() external { calls += 1; }
    function one() external { b += 1; }
    function two() external { c += 1; }
    function three() external { c += 2; }
    function four() external { c += 3; }
    function five() external { c += 4; }
    fallback() external payable { calls += 9; }
}

contract NotZero {
    uint256 public calls;
    function one() external { calls += 1; }
    fallback() external payable { calls += 9; }
}
