// contract Ghost is only a word here
/* contract Ghost { }
   library Phantom { } */
pragma solidity >=0.4.11;

contract/**/Base{uint public seen;function look()public{seen=1;}}

contract // Ghost
    /* Ghost */

    Shown$_1 is Base

{
    // } contract Ghost {
    string public text = "contract Ghost { // }";
    string internal other = 'it\'s "} contract Ghost {" /*';
    function tell() public { text = other; }
}
