/* The interpreter rewrites the module while it loads: each start gets a fresh copy. */
#include <string.h>

#include "core_image.h"

/* As large as the core's region (boards/m33/sections.ld). */
extern uint8_t core_copy[];

const uint8_t *
core_file(void)
{
    memcpy(core_copy, core_in_flash.file, core_in_flash.file_bytes);
    return core_copy;
}

/* The interpreter has no such code: whatever executed one was not the core. */
void
core_set_exception(wasm_module_inst_t instance, uint32_t id)
{
    (void)id;
    wasm_runtime_set_exception(instance, "undefined instruction");
}
