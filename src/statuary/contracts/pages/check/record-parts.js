// What several scripts of contract pages read of a record: values, ABI, CBOR, auxdata, transformations. They load it as one file.

export * from "./abi.js";
export * from "./auxdata.js";
export * from "./cbor.js";
export * from "./transformations.js";
export * from "./values.js";
