// SPDX-License-Identifier: Apache-2.0
//
// The 45 bytes of EIP-1167 that EditionPress gives every edition: each call goes to the implementation
// at {implementation}, with the clone's own storage.
//
// To the compiler, a block of verbatim bytes is a step on the way, after which it would add a `stop` of
// its own: hence the program stands word for word only up to its last instruction, and `return` closes it.
object "EditionClone" {
    code {
        datacopy(0, dataoffset("EditionClone_deployed"), datasize("EditionClone_deployed"))
        return(0, datasize("EditionClone_deployed"))
    }
    object "EditionClone_deployed" {
        code {
            let size, offset := verbatim_0i_2o(
                hex"363d3d373d3d3d363d73{implementation without 0x}5af43d82803e903d91602b57fd5b"
            )
            return(offset, size)
        }
    }
}
