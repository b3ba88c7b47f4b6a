// SPDX-License-Identifier: MIT
pragma solidity >=0.6.0;

contract Logic { uint256 public value; function set(uint256 given) external { value = given; } }

contract Proxy1967 {
    bytes32 internal constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    constructor(address logic) public { assembly { sstore(SLOT, logic) } }
    fallback() external payable {
        assembly {
            let target := sload(SLOT)
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
}

contract ProxyZos {
    bytes32 internal constant SLOT = keccak256("org.zeppelinos.proxy.implementation");
    constructor(address logic) public { bytes32 slot = SLOT; assembly { sstore(slot, logic) } }
    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract ProxyMatic {
    bytes32 constant IMPLEMENTATION_SLOT = keccak256("matic.network.proxy.implementation");
    constructor(address logic) public { bytes32 slot = IMPLEMENTATION_SLOT; assembly { sstore(slot, logic) } }
    function implementation() public view returns (address logic) {
        bytes32 slot = IMPLEMENTATION_SLOT;
        assembly { logic := sload(slot) }
    }
    fallback() external payable {
        address target = implementation();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(sub(gas(), 10000), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
}

contract NoProxy {
    function run(address target, bytes calldata input) external returns (bytes memory) {
        (bool done, bytes memory output) = target.delegatecall(input);
        require(done);
        return output;
    }
}
