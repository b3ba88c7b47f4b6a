// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title The catalogue's address: it stays, the code behind it can be renewed
/// @notice Where the implementation and the administrator are kept is what ERC-1967 says.
contract CatalogueProxy {
    error NotAContract(address implementation);
    error NotTheAdministrator(address caller);

    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    /// @dev keccak256("eip1967.proxy.implementation") - 1
    bytes32 private constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    /// @dev keccak256("eip1967.proxy.admin") - 1
    bytes32 private constant ADMINISTRATOR = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    /// @param implementation the code to begin with.
    /// @param administrator who may renew it; the timelock.
    /// @param call what to call on it at once, or nothing.
    constructor(address implementation, address administrator, bytes memory call) payable {
        _write(ADMINISTRATOR, administrator);
        emit AdminChanged(address(0), administrator);
        _upgrade(implementation, call);
    }

    /// @notice Renews the code and calls it at once, unless `call` is empty.
    function upgradeToAndCall(address implementation, bytes calldata call) external payable {
        if (msg.sender != _read(ADMINISTRATOR)) revert NotTheAdministrator(msg.sender);
        _upgrade(implementation, call);
    }

    /// @notice Everything else goes to the implementation, plain transfers of coins too.
    fallback() external payable {
        address implementation = _read(IMPLEMENTATION);
        assembly ("memory-safe") {
            let memory_ := mload(0x40)
            calldatacopy(memory_, 0, calldatasize())
            let success := delegatecall(gas(), implementation, memory_, calldatasize(), 0, 0)
            returndatacopy(memory_, 0, returndatasize())
            switch success
            case 0 { revert(memory_, returndatasize()) }
            default { return(memory_, returndatasize()) }
        }
    }

    function _upgrade(address implementation, bytes memory call) private {
        if (implementation.code.length == 0) revert NotAContract(implementation);
        _write(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
        if (call.length == 0) return;
        (bool success, bytes memory reason) = implementation.delegatecall(call);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
    }

    function _read(bytes32 slot) private view returns (address value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _write(bytes32 slot, address value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
