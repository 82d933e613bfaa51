/* The bound checks of memory accesses, in place of WAMR's (aotc.mk makes those weak).
 *
 * WAMR checks `offset + address` twice: against wrapping at 2^32 and against the size that memory has at that
 * moment. Memory of the core is fixed and its size is known here, so one comparison of the address with a
 * constant says the same:
 *
 *   trap  <=>  offset + address + bytes > size        (in unbounded integers)
 *         <=>  address > size - bytes - offset        (when size >= bytes + offset; else every address traps)
 *
 * It is sound as long as the memory that the code runs with is not smaller than `size`: aotc refuses a module
 * whose memory may grow or is not exactly one fixed memory, and the firmware refuses a core whose memory is not
 * of the size that is written in its header (app/core.c). host/test/firmware-bounds.test.ts holds that every
 * access outside traps and none inside. */
#include "aot_compiler.h"
#include "aot_emit_exception.h"
#include "aot_emit_memory.h"

/* Natural alignment that the base of memory is known to have. */
enum { BASE_ALIGNMENT = 8 };

/* An address on the value stack: its LLVM value and what is known about it. */
typedef struct {
    LLVMValueRef value;
    bool is_local;
    uint32 local_index;
    bool is_constant;
    uint64 constant;
} Address;

static bool
pop_address(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, Address *address)
{
    AOTValue *top = func_ctx->block_stack.block_list_end->value_stack.value_list_end;
    if (top) { /* POP frees it */
        address->is_local = top->is_local;
        address->local_index = top->local_idx;
        address->is_constant = top->is_const;
        address->constant = top->const_value;
    }
    POP_I32(address->value);
    if (LLVMIsEfficientConstInt(address->value)) {
        address->is_constant = true;
        address->constant = LLVMConstIntGetZExtValue(address->value);
    }
    return true;
fail:
    return false;
}

static uint64
memory_bytes(const AOTCompContext *comp_ctx)
{
    const AOTMemory *memory = &comp_ctx->comp_data->memories[0];
    return (uint64)memory->num_bytes_per_page * memory->init_page_count;
}

static unsigned
alignment_of(uint64 address)
{
    unsigned alignment = BASE_ALIGNMENT;
    while (address & (alignment - 1))
        alignment /= 2;
    return alignment;
}

/* Traps when `value` is above `limit`. Leaves the builder where it is not. */
static bool
build_check(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, LLVMValueRef value, LLVMValueRef limit)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(comp_ctx->builder);
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(comp_ctx->context, func_ctx->func, "inside");
    LLVMMoveBasicBlockAfter(inside, here);
    LLVMValueRef outside = LLVMBuildICmp(comp_ctx->builder, LLVMIntUGT, value, limit, "outside");
    return aot_emit_exception(comp_ctx, func_ctx, EXCE_OUT_OF_BOUNDS_MEMORY_ACCESS, true, outside, inside);
}

/* The native address of `at`, which is inside. */
static LLVMValueRef
native_address(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, LLVMValueRef at)
{
    LLVMValueRef base = func_ctx->mem_info[0].mem_base_addr;
    if (!func_ctx->mem_space_unchanged)
        base = LLVMBuildLoad2(comp_ctx->builder, OPQ_PTR_TYPE, base, "mem_base");
    return LLVMBuildInBoundsGEP2(comp_ctx->builder, INT8_TYPE, base, &at, 1, "native");
}

/* The native address of a memory access of `bytes` at `offset` from the address on the value stack. */
LLVMValueRef
aot_check_memory_overflow(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, mem_offset_t offset, uint32 bytes,
                          bool enable_segue, unsigned int *alignp)
{
    (void)enable_segue; /* x86-64 only */
    Address address = { 0 };
    if (!pop_address(comp_ctx, func_ctx, &address))
        return NULL;
    uint64 size = memory_bytes(comp_ctx), reach = (uint64)offset + bytes;
    bool always = reach > size || (address.is_constant && (uint32)address.constant > size - reach);
    bool checked = (address.is_constant && !always)
                   || (address.is_local
                       && aot_checked_addr_list_find(func_ctx, address.local_index, offset, bytes));
    if (!checked) {
        /* An access that is outside wherever its base is: 1 > 0. */
        LLVMValueRef value = always ? I32_ONE : address.value;
        LLVMValueRef limit = always ? I32_ZERO : I32_CONST((uint32)(size - reach));
        if (!build_check(comp_ctx, func_ctx, value, limit))
            return NULL;
        if (address.is_local && !aot_checked_addr_list_add(func_ctx, address.local_index, offset, bytes))
            return NULL;
    }
    if (alignp)
        *alignp = address.is_constant ? alignment_of((uint32)address.constant + (uint64)offset) : 1;
    LLVMValueRef at = LLVMBuildAdd(comp_ctx->builder, address.value, I32_CONST(offset), "at");
    return native_address(comp_ctx, func_ctx, at);
}

/* The native address of `bytes` bytes at `address`, for bulk memory: trap <=> bytes > size, or address > size - bytes. */
LLVMValueRef
check_bulk_memory_overflow(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, LLVMValueRef address, LLVMValueRef bytes)
{
    LLVMValueRef size = I32_CONST((uint32)memory_bytes(comp_ctx));
    if (!build_check(comp_ctx, func_ctx, bytes, size))
        return NULL;
    LLVMValueRef last = LLVMBuildSub(comp_ctx->builder, size, bytes, "last");
    if (!build_check(comp_ctx, func_ctx, address, last))
        return NULL;
    return native_address(comp_ctx, func_ctx, address);
}
