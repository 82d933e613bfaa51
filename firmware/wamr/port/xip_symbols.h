/* What code of a core may call in the runtime: XIP_SYMBOL(name in the AOT file, function). One list for aotc, which
 * refuses a core that needs another, and for the images, which hold these and leave the rest of the runtime's
 * intrinsics out. It is a part of the contract between firmware and core: an entry may come, none may go.
 *
 * aot_invoke_native calls an import; memset and memmove are bulk memory. A trap is an instruction (aot/traps.c). No call_indirect, no
 * floats, no signed 64-bit division: the core has none. */
XIP_SYMBOL("aot_invoke_native", xip_invoke_native)
XIP_SYMBOL("memset", aot_memset)
XIP_SYMBOL("memmove", aot_memmove)
XIP_SYMBOL("aot_intrinsic_i64_div_u", aot_intrinsic_i64_div_u)
XIP_SYMBOL("aot_intrinsic_i64_rem_u", aot_intrinsic_i64_rem_u)
