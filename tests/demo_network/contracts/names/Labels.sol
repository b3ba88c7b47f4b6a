// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.6.12;

/// @title What a label under the `.plinth` root may look like
library Labels {
    /// @notice Says whether `label` is 3 to 32 of a-z, 0-9 and inner hyphens.
    /// @dev Names with other letters ("Käthe", "ロダン", "Μουσείο") are registered in their ASCII form
    ///      ("xn--kthe-moa"), so that no two labels look alike and are not.
    function isValid(bytes memory label) internal pure returns (bool) {
        if (label.length < 3 || label.length > 32) return false;
        if (label[0] == "-" || label[label.length - 1] == "-") return false;
        for (uint256 i = 0; i < label.length; i++) {
            bytes1 letter = label[i];
            bool small = letter >= "a" && letter <= "z";
            bool digit = letter >= "0" && letter <= "9";
            if (!small && !digit && letter != "-") return false;
        }
        return true;
    }
}
