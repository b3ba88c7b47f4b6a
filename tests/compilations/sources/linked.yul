object "Linked" {
    code {
        let helper := linkersymbol("lib/Helper.sol:Helper")
        datacopy(0, dataoffset("deployed"), datasize("deployed"))
        setimmutable(0, "helper", helper)
        return(0, datasize("deployed"))
    }
    object "deployed" {
        code { mstore(0, loadimmutable("helper")) return(0, 32) }
    }
}
