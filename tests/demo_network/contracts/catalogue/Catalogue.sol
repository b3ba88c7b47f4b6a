// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title The catalogue of the collection
/// @notice Every work has an accession number, which is never given twice. Used through CatalogueProxy.
contract Catalogue {
    /// @notice A work, as the registrar describes it.
    struct Work {
        string artist;
        string title;
        uint16 year;
        Material material;
        Dimensions dimensions;
    }

    /// @notice In millimetres.
    struct Dimensions {
        uint32 height;
        uint32 width;
        uint32 depth;
    }

    enum Material {
        Unknown,
        Marble,
        Granite,
        Bronze,
        Concrete,
        Light
    }

    error InitializedBefore();
    error NotTheRegistrar(address caller);
    error NoSuchWork(uint256 number);

    event Initialized(address indexed registrar);
    event Accessioned(uint256 indexed number, Work work);
    event Corrected(uint256 indexed number, Work work);

    address public registrar;
    Work[] private works;

    modifier onlyRegistrar() {
        if (msg.sender != registrar) revert NotTheRegistrar(msg.sender);
        _;
    }

    /// @notice Names the registrar; once.
    function initialize(address registrar_) external {
        if (registrar != address(0)) revert InitializedBefore();
        registrar = registrar_;
        emit Initialized(registrar_);
    }

    /// @notice Takes works into the collection.
    /// @return first the accession number of the first of them; the others follow.
    function accession(Work[] calldata arrivals) external onlyRegistrar returns (uint256 first) {
        first = works.length + 1;
        for (uint256 i = 0; i < arrivals.length; ++i) {
            works.push(arrivals[i]);
            emit Accessioned(first + i, arrivals[i]);
        }
    }

    /// @notice Corrects what the catalogue says of a work.
    function correct(uint256 number, Work calldata work) external onlyRegistrar {
        if (number == 0 || number > works.length) revert NoSuchWork(number);
        works[number - 1] = work;
        emit Corrected(number, work);
    }

    /// @notice What the catalogue says of a work.
    function workOf(uint256 number) external view returns (Work memory) {
        if (number == 0 || number > works.length) revert NoSuchWork(number);
        return works[number - 1];
    }

    /// @notice How many works were ever taken in.
    function count() external view returns (uint256) {
        return works.length;
    }
}
