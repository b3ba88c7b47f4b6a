// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Turnstile} from "../contracts/Turnstile.sol";

interface Cheats {
    function startBroadcast() external;
    function stopBroadcast() external;
}

contract Line {
    Cheats private constant CHEATS = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external {
        CHEATS.startBroadcast();
        new Turnstile("Blue line", msg.sender);
        CHEATS.stopBroadcast();
    }
}
