// What the compiler asks of a runtime (`asc --runtime`). Only unmanaged objects exist, so all but `__alloc` trap.
import { alloc } from "./arena";

// @ts-ignore: decorator
@unsafe @global function __alloc(size: usize): usize {
  return alloc(size);
}

// @ts-ignore: decorator
@unsafe @global function __realloc(ptr: usize, size: usize): usize {
  return unreachable();
}

// @ts-ignore: decorator
@unsafe @global function __free(ptr: usize): void {
  unreachable();
}

// @ts-ignore: decorator
@unsafe @global function __new(size: usize, id: u32): usize {
  return unreachable();
}

// @ts-ignore: decorator
@unsafe @global function __renew(ptr: usize, size: usize): usize {
  return unreachable();
}

// @ts-ignore: decorator
@unsafe @global function __link(parent: usize, child: usize, multiple: bool): void {}

// @ts-ignore: decorator
@unsafe @global function __pin(ptr: usize): usize {
  return ptr;
}

// @ts-ignore: decorator
@unsafe @global function __unpin(ptr: usize): void {}

// @ts-ignore: decorator
@unsafe @global function __visit(ptr: usize, cookie: u32): void {}

// @ts-ignore: decorator
@unsafe @global function __collect(): void {}
