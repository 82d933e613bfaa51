/* The core as it lies in its flash region: this header, then the file (written by wamr/pack-core.ts). */
#ifndef OFFLEAF_CORE_IMAGE_H
#define OFFLEAF_CORE_IMAGE_H

#include <stdint.h>

#include "core.h"
#include "wasm_export.h"

#define CORE_IMAGE_MAGIC 0x4c4c464fu /* "OFLL" */

typedef struct {
    uint32_t magic;
    uint32_t file_bytes;
    uint32_t memory_bytes; /* linear memory that the code is compiled for */
    uint32_t abi;
    uint8_t sha256[CORE_SHA256_BYTES]; /* of the WebAssembly module */
    uint8_t file[];                    /* 8-aligned */
} core_image;

/* Where the image is (images/core.S). */
extern const core_image core_in_flash;

/* The file where the runtime may read it: in flash, or, for the interpreter, which rewrites it, a fresh copy in RAM. */
const uint8_t *core_file(void);

/* Gives the instance the words for the trap that its code calls `udf #id`. */
void core_set_exception(wasm_module_inst_t instance, uint32_t id);

#endif
