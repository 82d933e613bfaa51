/* The bound check of a memory access, in place of WAMR's (aotc.mk makes that one weak).
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
 * of the size that is written in its header (app/core.c). firmware/test/bounds.test.ts holds that every access outside
 * traps. */
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

/* Traps unless `address` is at most `last`, or always. Leaves the builder where the access is inside. */
static bool
build_check(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, LLVMValueRef address, bool always, uint32 last)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(comp_ctx->builder);
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(comp_ctx->context, func_ctx->func, "inside");
    LLVMMoveBasicBlockAfter(inside, here);
    LLVMValueRef outside = always ? LLVMConstInt(INT1_TYPE, 1, false)
                                  : LLVMBuildICmp(comp_ctx->builder, LLVMIntUGT, address, I32_CONST(last), "outside");
    if (!aot_emit_exception(comp_ctx, func_ctx, EXCE_OUT_OF_BOUNDS_MEMORY_ACCESS, true, outside, inside))
        return false;
    LLVMPositionBuilderAtEnd(comp_ctx->builder, inside);
    return true;
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
        if (!build_check(comp_ctx, func_ctx, address.value, always, (uint32)(size - reach)))
            return NULL;
        if (address.is_local && !aot_checked_addr_list_add(func_ctx, address.local_index, offset, bytes))
            return NULL;
    }
    if (alignp)
        *alignp = address.is_constant ? alignment_of((uint32)address.constant + (uint64)offset) : 1;
    LLVMValueRef at = LLVMBuildAdd(comp_ctx->builder, address.value, I32_CONST(offset), "at");
    LLVMValueRef base = func_ctx->mem_info[0].mem_base_addr;
    if (!func_ctx->mem_space_unchanged)
        base = LLVMBuildLoad2(comp_ctx->builder, OPQ_PTR_TYPE, base, "mem_base");
    return LLVMBuildInBoundsGEP2(comp_ctx->builder, INT8_TYPE, base, &at, 1, "native");
}
