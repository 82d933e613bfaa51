/* A trap of the core, in place of WAMR's aot_emit_exception (aotc.mk makes that one weak).
 *
 * WAMR calls the runtime, returns from the function, and has every caller look for an exception. Here a trap is the
 * permanently undefined instruction `udf #id`, which the board's guard around the call turns into the end of the call
 * (board.h: board_guard; app/core.c). So no caller looks (bounds_checks = 0 in main.c says that), no register is kept for the
 * runtime's sake, and a check costs a comparison and a branch. */
#include <stdio.h>

#include "aot_compiler.h"
#include "aot_emit_exception.h"
#include "aot_runtime.h"

/* The blocks of the function that is being compiled, one for each kind of trap. */
static struct {
    AOTFuncContext *function;
    LLVMBasicBlockRef blocks[EXCE_NUM];
} traps;

static void
build_udf(AOTCompContext *comp_ctx, int32 exception_id)
{
    LLVMTypeRef type = LLVMFunctionType(VOID_TYPE, NULL, 0, false);
    char code[16];
    int length = snprintf(code, sizeof code, "udf #%d", (int)exception_id);
    LLVMValueRef udf =
        LLVMGetInlineAsm(type, code, (size_t)length, "", 0, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(comp_ctx->builder, type, udf, NULL, 0, "");
    LLVMBuildUnreachable(comp_ctx->builder);
}

static LLVMBasicBlockRef
trap_block(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, int32 exception_id)
{
    if (traps.function != func_ctx) {
        memset(&traps, 0, sizeof traps);
        traps.function = func_ctx;
    }
    LLVMBasicBlockRef *block = &traps.blocks[exception_id];
    if (!*block) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(comp_ctx->builder);
        *block = LLVMAppendBasicBlockInContext(comp_ctx->context, func_ctx->func, "trap");
        LLVMPositionBuilderAtEnd(comp_ctx->builder, *block);
        build_udf(comp_ctx, exception_id);
        LLVMPositionBuilderAtEnd(comp_ctx->builder, here);
    }
    return *block;
}

/* Ends the block with a trap: always, or when `cond_br_if`, and goes on in `cond_br_else_block`. */
bool
aot_emit_exception(AOTCompContext *comp_ctx, AOTFuncContext *func_ctx, int32 exception_id, bool is_cond_br,
                   LLVMValueRef cond_br_if, LLVMBasicBlockRef cond_br_else_block)
{
    LLVMBasicBlockRef trap = trap_block(comp_ctx, func_ctx, exception_id);
    if (!is_cond_br)
        return LLVMBuildBr(comp_ctx->builder, trap);
    if (!LLVMBuildCondBr(comp_ctx->builder, cond_br_if, trap, cond_br_else_block))
        return false;
    LLVMPositionBuilderAtEnd(comp_ctx->builder, cond_br_else_block);
    return true;
}
