// The two ends of a conversation, as interfaces, and clients of the processes that fulfil them.
export * from "./abi.ts";
export * from "./leaf.ts";
export * from "./phone.ts";
export * from "./conversation.ts";
export { LineProcess, LineProcessError, type Line, type LineProcessOptions } from "./line-process.ts";
