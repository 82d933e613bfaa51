// The core's module as a build step sees it.

/** Exports of the module, instantiated with imports that nobody calls. */
export function instantiateBlind(wasm: Uint8Array): WebAssembly.Exports {
  const module = new WebAssembly.Module(wasm as BufferSource);
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  return new WebAssembly.Instance(module, imports).exports;
}

/** The module without its custom sections (names, source maps), which no board reads. */
export function withoutCustomSections(wasm: Uint8Array): Buffer {
  const HEADER_BYTES = 8;
  const kept = [wasm.subarray(0, HEADER_BYTES)];
  for (let at = HEADER_BYTES; at < wasm.length;) {
    const id = wasm[at]!;
    let size = 0;
    let next = at + 1;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[next++]!;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    if (id !== 0) kept.push(wasm.subarray(at, next + size));
    at = next + size;
  }
  return Buffer.concat(kept);
}
