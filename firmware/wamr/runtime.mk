# WAMR for a board: which of its sources, with which features. Two kinds: aot and interp.

wamr_core := $(WAMR)/core
wamr_sources := \
  $(addprefix iwasm/common/,wasm_exec_env.c wasm_loader_common.c wasm_memory.c wasm_native.c wasm_runtime_common.c \
    wasm_blocking_op.c wasm_c_api.c arch/invokeNative_thumb.s) \
  shared/mem-alloc/mem_alloc.c $(addprefix shared/mem-alloc/ems/,ems_alloc.c ems_hmu.c ems_kfc.c ems_gc.c) \
  $(addprefix shared/utils/,bh_assert.c bh_common.c bh_hashmap.c bh_leb128.c bh_list.c bh_log.c bh_vector.c bh_bitmap.c)
wamr_sources_aot := $(addprefix iwasm/aot/,aot_loader.c aot_runtime.c aot_intrinsic.c)
wamr_sources_interp := $(addprefix iwasm/interpreter/,wasm_mini_loader.c wasm_interp_classic.c wasm_runtime.c)
wamr_port := $(addprefix $(FIRMWARE)/wamr/port/,platform.c snprintf.c sort.c)
wamr_port_aot := $(FIRMWARE)/wamr/port/xip.c

wamr_includes := -I$(FIRMWARE)/wamr/port $(addprefix -I$(wamr_core)/,iwasm/include iwasm/common iwasm/interpreter iwasm/aot \
  shared/include shared/utils shared/mem-alloc shared/platform/include .)

# 2.4.3 has more features than these; all of them are off.
wamr_defines := -DBUILD_TARGET_THUMB -DBUILD_TARGET='"thumbv8m.main"' -DBH_MALLOC=wasm_runtime_malloc -DBH_FREE=wasm_runtime_free \
  -DWASM_DISABLE_HW_BOUND_CHECK=1 -DWASM_DISABLE_STACK_HW_BOUND_CHECK=1 -DWASM_DISABLE_WAKEUP_BLOCKING_OP=1 \
  -DWASM_ENABLE_BULK_MEMORY=1 -DWASM_ENABLE_BULK_MEMORY_OPT=1 -DWASM_ENABLE_SHRUNK_MEMORY=1 -DWASM_ENABLE_QUICK_AOT_ENTRY=0 \
  -DWASM_STACK_GUARD_SIZE=1024 -DBH_ENABLE_GC_CORRUPTION_CHECK=0 -DWASM_ENABLE_LOG=0 \
  -DWASM_ENABLE_LIBC_BUILTIN=0 -DWASM_ENABLE_LIBC_WASI=0 -DWASM_ENABLE_GLOBAL_HEAP_POOL=0
wamr_defines_aot := -DWASM_ENABLE_AOT=1 -DWASM_ENABLE_INTERP=0
wamr_defines_interp := -DWASM_ENABLE_AOT=0 -DWASM_ENABLE_INTERP=1 -DWASM_ENABLE_MINI_LOADER=1
