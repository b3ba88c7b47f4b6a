// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Station} from "../contracts/Station.sol";
import {Turnstile} from "../contracts/Turnstile.sol";

interface Cheats {
    function startBroadcast() external;
    function stopBroadcast() external;
}

/// @title Deploys by CREATE, by CREATE2, and through a factory
contract Line {
    Cheats constant CHEATS = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external {
        CHEATS.startBroadcast();
        new Turnstile("Blue line", msg.sender);
        Station station = new Station{salt: bytes32(uint256(7))}();
        station.open("Red line");
        CHEATS.stopBroadcast();
    }
}
