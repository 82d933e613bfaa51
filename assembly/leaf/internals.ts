// What the tests of this room see: every export of the core.
export * from "../abi";
