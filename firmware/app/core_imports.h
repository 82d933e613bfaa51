/* Imports of the core (docs/abi.md): what it may ask of the board. */
#ifndef OFFLEAF_CORE_IMPORTS_H
#define OFFLEAF_CORE_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the imports known to the runtime. False without memory. */
bool core_imports_register(void);

typedef struct {
    uint32_t flash_words, flash_erases; /* that succeeded */
} core_imports_work;

/* Work since the last call. */
core_imports_work core_imports_take_work(void);

#endif
