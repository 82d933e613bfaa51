// What the tests of this room see: every export of the core, and a package with given keys.
export * from "../abi";
export { importPackage } from "./imported";
