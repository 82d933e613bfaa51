/* Code compiled ahead of time runs where it lies. */
#include "core_image.h"

/* Of WAMR (aot_runtime.h, which needs more headers than this file wants). */
void aot_set_exception_with_id(wasm_module_inst_t instance, uint32_t id);

const uint8_t *
core_file(void)
{
    return core_in_flash.file;
}

void
core_set_exception(wasm_module_inst_t instance, uint32_t id)
{
    aot_set_exception_with_id(instance, id);
}
