object "Parts" {
    // comment with object "Ghost" { }
    code {
        datacopy(0, dataoffset("Parts_deployed"), datasize("Parts_deployed"))
        setimmutable(0, "limit", 77)
        return(0, datasize("Parts_deployed"))
    }
    data "label" hex"c0ffee"
    object "Parts_deployed" {
        code {
            mstore(0, loadimmutable("limit"))
            mstore(32, datasize("inner"))
            datacopy(64, dataoffset("words"), datasize("words"))
            return(0, 96)
        }
        data "words" "forty-two"
        object "inner" { code { sstore(0, 1) } }
    }
}
