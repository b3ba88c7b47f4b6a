contract Counter {
    uint public count;

    function add(uint amount) public {
        count += amount;
    }
}
