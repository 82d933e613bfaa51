/* The target of the AOT loader, in place of WAMR's aot_reloc_thumb.c: code that runs in place needs no relocation, and a
 * short list of symbols. */
#include "aot_reloc.h"
#include "board.h"

/* The compiled code does not look whether an import trapped: the call ends here. */
static bool
xip_invoke_native(WASMExecEnv *env, uint32 function, uint32 cells, uint32 *values)
{
    if (!aot_invoke_native(env, function, cells, values))
        board_unwind();
    return true;
}

static SymbolMap symbols[] = {
#define XIP_SYMBOL(name, function) { name, (void *)function },
#include "xip_symbols.h"
};

SymbolMap *
get_target_symbol_map(uint32 *sym_num)
{
    *sym_num = sizeof symbols / sizeof symbols[0];
    return symbols;
}

void
get_current_target(char *target_buf, uint32 target_buf_size)
{
    strncpy(target_buf, BUILD_TARGET, target_buf_size - 1);
}

/* No table of long jumps: calls of the runtime go through the symbol table of the module. */
uint32
get_plt_table_size(void)
{
    return 0;
}

void
init_plt_table(uint8 *plt)
{
    (void)plt;
}

/* aotc refuses code with relocations; so does the board. */
bool
apply_relocation(AOTModule *module, uint8 *target_section_addr, uint32 target_section_size, uint64 reloc_offset,
                 int64 reloc_addend, uint32 reloc_type, void *symbol_addr, int32 symbol_index, char *error_buf,
                 uint32 error_buf_size)
{
    (void)module;
    (void)target_section_addr;
    (void)target_section_size;
    (void)reloc_offset;
    (void)reloc_addend;
    (void)reloc_type;
    (void)symbol_addr;
    (void)symbol_index;
    snprintf(error_buf, error_buf_size, "the code wants relocation");
    return false;
}
