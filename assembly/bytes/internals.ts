export { alloc, mark, release } from "../runtime/arena";
export * from "./hex";
export * from "./base64";
export * from "./utf8";
export * from "./bech32m";
