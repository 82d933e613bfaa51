/* Whether a board can give the code what it calls. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "aot_llvm.h"

static const char *const OFFERED[] = {
#define XIP_SYMBOL(name, function) name,
#include "../port/xip_symbols.h"
};

/* Constants that are kept in the table of symbols, and padding. */
static const char *const CONSTANTS[] = { "i32#", "i64#", "__ignore" };

static bool
is_offered(const char *symbol)
{
    for (size_t i = 0; i < sizeof CONSTANTS / sizeof *CONSTANTS; i++)
        if (strncmp(symbol, CONSTANTS[i], strlen(CONSTANTS[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof OFFERED / sizeof *OFFERED; i++)
        if (strcmp(symbol, OFFERED[i]) == 0)
            return true;
    return false;
}

bool
needs_only_offered_symbols(struct AOTCompContext *context)
{
    bool all = true;
    AOTNativeSymbol *symbol = bh_list_first_elem(&context->native_symbols);
    for (; symbol; symbol = bh_list_elem_next(symbol)) {
        if (is_offered(symbol->symbol))
            continue;
        fprintf(stderr, "aotc: the code calls %s, which the images do not have (wamr/port/xip_symbols.h)\n", symbol->symbol);
        all = false;
    }
    return all;
}
