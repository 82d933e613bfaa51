/* Which functions are compiled for size. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aot_llvm.h"

static void
add_attribute(AOTCompContext *context, LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context->context, kind, 0));
}

/* Marks the functions that the file lists. Indices count imports first, as in the module. */
static bool
read_hot(FILE *file, const AOTCompContext *context, bool *is_hot)
{
    unsigned imports = context->comp_data->import_func_count, index;
    int read;
    while ((read = fscanf(file, "%u", &index)) == 1) {
        if (index < imports || index - imports >= context->func_ctx_count) {
            fprintf(stderr, "error: hot function %u is none of this module\n", index);
            return false;
        }
        is_hot[index - imports] = true;
    }
    return read == EOF;
}

bool
optimize_for_size(AOTCompContext *context, const char *hot_path)
{
    FILE *file = fopen(hot_path, "r");
    bool *is_hot = calloc(context->func_ctx_count + 1, sizeof *is_hot);
    bool read = file && is_hot && read_hot(file, context, is_hot);
    if (file)
        fclose(file);
    else
        perror(hot_path);
    for (uint32 i = 0; read && i < context->func_ctx_count; i++) {
        if (is_hot[i])
            continue;
        add_attribute(context, context->func_ctxes[i]->func, "minsize");
        add_attribute(context, context->func_ctxes[i]->func, "optsize");
    }
    free(is_hot);
    return read;
}
