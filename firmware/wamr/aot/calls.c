/* Calls between functions of the core. In indirect mode WAMR takes every function's address from a table at run time, since
 * code in flash cannot be relocated. All functions of the core lie in one section, so a direct `bl` needs neither, as long as
 * their symbols are local: the assembler then knows the distance. The linker sends the calls of both functions here
 * (--wrap, aotc.mk). */
#include <stdio.h>

#include "aot_llvm.h"

bool
__real_aot_compile_op_call(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, uint32 func_idx, bool tail_call);

void
__real_aot_apply_llvm_new_pass_manager(AOTCompContext *comp_ctx, LLVMModuleRef module);

/* A call of a function of the core is direct, one of an import goes through the runtime. */
bool
__wrap_aot_compile_op_call(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, uint32 func_idx, bool tail_call)
{
    bool is_import = func_idx < comp_ctx->comp_data->import_func_count;
    comp_ctx->is_indirect_mode = is_import;
    bool compiled = __real_aot_compile_op_call(comp_ctx, func_ctx, func_idx, tail_call);
    comp_ctx->is_indirect_mode = true;
    return compiled;
}

/* Most calls of one symbol in one block. With more, and for size, LLVM loads its address once, which is a relocation. */
enum { MAX_CALLS_IN_BLOCK = 2 };

static LLVMValueRef
make_alias(LLVMModuleRef module, LLVMValueRef function, unsigned number)
{
    char name[64];
    snprintf(name, sizeof name, "again.%s.%u", LLVMGetValueName(function), number);
    LLVMValueRef alias = LLVMAddAlias2(module, LLVMGlobalGetValueType(function), 0, function, name);
    LLVMSetLinkage(alias, LLVMInternalLinkage);
    return alias;
}

/* The block of the call that is this use; 0 when the use is an alias. */
static LLVMBasicBlockRef
calling_block(LLVMUseRef use)
{
    LLVMValueRef user = LLVMGetUser(use);
    return LLVMIsACallInst(user) ? LLVMGetInstructionParent(user) : NULL;
}

/* The first use from `use` on that is a call in `block`. */
static LLVMUseRef
next_in_block(LLVMUseRef use, LLVMBasicBlockRef block)
{
    while (use && calling_block(use) != block)
        use = LLVMGetNextUse(use);
    return use;
}

/* A call of `function` beyond the most that its block may have; 0 when there is none. */
static LLVMValueRef
excess_call(LLVMValueRef function)
{
    for (LLVMUseRef first = LLVMGetFirstUse(function); first; first = LLVMGetNextUse(first)) {
        LLVMBasicBlockRef block = calling_block(first);
        if (!block)
            continue;
        LLVMUseRef use = first;
        for (unsigned calls = 0; use && calls < MAX_CALLS_IN_BLOCK; calls++)
            use = next_in_block(LLVMGetNextUse(use), block);
        if (use)
            return LLVMGetUser(use);
    }
    return NULL;
}

/* Spreads calls over aliases of `function`, so that no symbol is called too often in a block. */
static void
spread_calls(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMValueRef symbol = function, call;
    for (unsigned number = 1; (call = excess_call(symbol)); number++) {
        LLVMValueRef alias = make_alias(module, function, number);
        do
            LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, alias); /* the callee comes last */
        while ((call = excess_call(symbol)));
        symbol = alias;
    }
}

/* Makes the functions local once the passes are done, which would otherwise drop or rewrite them. The loader finds them by
 * their offsets. */
void
__wrap_aot_apply_llvm_new_pass_manager(AOTCompContext *comp_ctx, LLVMModuleRef module)
{
    __real_aot_apply_llvm_new_pass_manager(comp_ctx, module);
    for (uint32 i = 0; i < comp_ctx->func_ctx_count; i++) {
        LLVMValueRef function = comp_ctx->func_ctxes[i]->func;
        LLVMSetLinkage(function, LLVMInternalLinkage);
        spread_calls(module, function);
    }
}
