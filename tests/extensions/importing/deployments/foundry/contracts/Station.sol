// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Turnstile} from "./Turnstile.sol";

/// @title Builds turnstiles
contract Station {
    Turnstile[] public turnstiles;

    function open(string calldata line) external returns (Turnstile turnstile) {
        turnstile = new Turnstile(line, address(this));
        turnstiles.push(turnstile);
    }
}
