// Every import of the core: what it asks of the board (docs/abi.md).

/** Fills `bytes` bytes from the hardware entropy source. 0, or not 0 when the source failed. */
// @ts-ignore: decorator
@external("board", "entropy")
export declare function entropy(ptr: usize, bytes: u32): i32;

/** Reads journal flash. 0 or failure. */
// @ts-ignore: decorator
@external("board", "flash_read")
export declare function flashRead(at: u32, ptr: usize, bytes: u32): i32;

/** Programs whole words in ascending order, each once between erases; durable on return. 0 or failure. */
// @ts-ignore: decorator
@external("board", "flash_program")
export declare function flashProgram(at: u32, ptr: usize, bytes: u32): i32;

/** Sets a page to FF. 0 or failure. */
// @ts-ignore: decorator
@external("board", "flash_erase")
export declare function flashErase(page: u32): i32;

/** log2(page bytes) << 16 | pages. */
// @ts-ignore: decorator
@external("board", "flash_geometry")
export declare function flashGeometry(): i32;

/** Writes the 32-byte device key. 0 or failure. */
// @ts-ignore: decorator
@external("board", "device_key")
export declare function deviceKey(ptr: usize): i32;

/** Hands a frame to the radio. */
// @ts-ignore: decorator
@external("board", "transmit")
export declare function transmit(ptr: usize, bytes: u32): void;

/** Hands an event to the firmware. */
// @ts-ignore: decorator
@external("board", "event")
export declare function event(ptr: usize, bytes: u32): void;
