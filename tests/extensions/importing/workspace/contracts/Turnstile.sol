// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Gate} from "gates/Gate.sol";

/// @title A gate that knows its line
contract Turnstile is Gate {
    string public line;

    constructor(string memory line_, address keeper_) Gate(keeper_) {
        line = line_;
    }
}
