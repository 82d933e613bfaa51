/* aotc: compiles the core to code that a Cortex-M33 runs in place (XIP), with WAMR's compiler library.
 *
 *   aotc CORE.wasm CORE.aot HOT
 *
 * HOT is a text file of function indices, one a line: those are compiled for speed, all others for size.
 * Exit code: 0 done, 1 the module cannot be compiled for execution in place, 2 usage or file trouble. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aot_export.h"
#include "bh_read_file.h"
#include "wasm_runtime.h"

#include <llvm-c/Target.h>

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* Operations that become calls of the runtime. WAMR's own list for thumb has 64-bit multiply and shifts too,
 * which the M33 does well in line. */
static const char INTRINSICS[] = "i64.div_s,i64.div_u,i64.rem_s,i64.rem_u,fp.common,fpxint";

/* The core has no floating-point instruction; without the register file LLVM cannot spill into it either. */
static const char CPU_FEATURES[] = "-fpregs";

static AOTCompOption
xip_options(void)
{
    AOTCompOption option = { 0 };
    option.is_indirect_mode = true;
    option.target_arch = "thumbv8m.main";
    option.target_cpu = "cortex-m33";
    option.cpu_features = (char *)CPU_FEATURES;
    option.opt_level = 3;
    option.size_level = 3; /* small code model; 2 aborts LLVM for this target */
    option.output_format = AOT_FORMAT_FILE;
    option.bounds_checks = 0; /* no looking for exceptions after calls (traps.c); bounds.c checks all the same */
    option.stack_bounds_checks = 0; /* the board's stack limit register stands in (docs/porting.md) */
    option.disable_llvm_intrinsics = true;
    option.enable_bulk_memory = true;
    option.enable_bulk_memory_opt = true;
    option.builtin_intrinsics = INTRINSICS;
    return option;
}

static int
refuse(const char *step, const char *why)
{
    fprintf(stderr, "error: aotc cannot %s\n  why   %s\n", step, why);
    return EXIT_REFUSED;
}

static int
write_file(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, count, file) == count;
    if (file && fclose(file) != 0)
        written = false;
    if (!written) {
        perror(path);
        return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

/* What bounds.c rests on: one memory of the module's own, which never grows. */
static bool
has_fixed_memory(const WASMModule *module)
{
    return module->memory_count == 1 && module->import_memory_count == 0 && !module->possible_memory_grow;
}

/* Compiles `module`, which the runtime has loaded, and writes the file. */
static int
compile(wasm_module_t module, const char *hot_path, const char *out_path)
{
    if (!has_fixed_memory((const WASMModule *)module))
        return refuse("compile the module", "its memory may grow, or it has not exactly one of its own");
    AOTCompOption option = xip_options();
    aot_comp_data_t data = aot_create_comp_data(module, option.target_arch, false);
    if (!data)
        return refuse("read the module", aot_get_last_error());
    aot_comp_context_t context = aot_create_comp_context(data, &option);
    if (!context)
        return refuse("set up LLVM", aot_get_last_error());
    if (!optimize_for_size(context, hot_path))
        return EXIT_USAGE;
    if (!aot_compile_wasm(context))
        return refuse("compile the module", aot_get_last_error());
    uint32_t count = 0;
    uint8_t *file = aot_emit_aot_file_buf(context, data, &count);
    if (!file)
        return refuse("write the code", aot_get_last_error());
    /* A text relocation is only a warning of the compiler, but no loader can apply it to flash. */
    if (warnings() > 0 || !needs_only_offered_symbols(context))
        return refuse("make code for execution in place", "see above");
    return write_file(out_path, file, count);
}

int
main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: aotc CORE.wasm CORE.aot HOT\n");
        return EXIT_USAGE;
    }
    RuntimeInitArgs init = { .mem_alloc_type = Alloc_With_System_Allocator };
    if (!wasm_runtime_full_init(&init) || !aot_compiler_init())
        return refuse("start", "no memory");
    LLVMInitializeAllAsmParsers(); /* traps.c has a line of assembly */
    uint32_t count = 0;
    char *wasm = bh_read_file_to_buffer(argv[1], &count);
    if (!wasm) {
        fprintf(stderr, "error: aotc cannot read %s\n", argv[1]);
        return EXIT_USAGE;
    }
    char why[128];
    wasm_module_t module = wasm_runtime_load((uint8_t *)wasm, count, why, sizeof why);
    if (!module)
        return refuse("load the module", why);
    return compile(module, argv[3], argv[2]); /* the process ends: nothing is torn down */
}
