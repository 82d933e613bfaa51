# The AOT compiler of the core: WAMR's compiler library, LLVM, and the driver in this folder.
# Built once per pair of WAMR and LLVM version; $(AOTC) is the program.

LLVM_CONFIG ?= $(firstword $(foreach v,14 19,$(shell command -v llvm-config-$(v) 2>/dev/null)))
ifeq ($(LLVM_CONFIG),)
$(error LLVM is missing; next: apt-get install llvm-14-dev)
endif
LLVM_VERSION := $(shell $(LLVM_CONFIG) --version)

aotc_dir := $(BUILD)/firmware/aotc/$(WAMR_VERSION)-llvm-$(LLVM_VERSION)
AOTC := $(aotc_dir)/aotc

iwasm := $(WAMR)/core/iwasm
shared := $(WAMR)/core/shared

aotc_arch := $(shell uname -m)
aotc_invoke_x86_64 := em64
aotc_invoke_aarch64 := aarch64
aotc_invoke := $(aotc_invoke_$(aotc_arch))
ifeq ($(aotc_invoke),)
$(error aotc runs on x86_64 and aarch64, not on $(aotc_arch))
endif

aotc_sources := \
  $(wildcard $(iwasm)/compilation/*.c $(iwasm)/compilation/*.cpp $(iwasm)/compilation/simd/*.c) \
  $(filter-out %/wasm_application.c,$(wildcard $(iwasm)/common/*.c)) \
  $(iwasm)/common/arch/invokeNative_$(aotc_invoke).s \
  $(addprefix $(iwasm)/interpreter/,wasm_loader.c wasm_runtime.c wasm_interp_classic.c) \
  $(addprefix $(iwasm)/aot/,aot_loader.c aot_runtime.c aot_intrinsic.c arch/aot_reloc_dummy.c) \
  $(filter-out %/bh_log.c %/runtime_timer.c %/bh_queue.c,$(wildcard $(shared)/utils/*.c)) \
  $(shared)/utils/uncommon/bh_read_file.c \
  $(shared)/mem-alloc/mem_alloc.c $(wildcard $(shared)/mem-alloc/ems/*.c) \
  $(wildcard $(shared)/platform/common/posix/*.c $(shared)/platform/common/libc-util/*.c $(shared)/platform/common/memory/*.c) \
  $(addprefix $(FIRMWARE)/wamr/aot/,main.c size.c symbols.c bounds.c traps.c calls.c platform.c)

aotc_includes := $(addprefix -I,$(iwasm)/include $(iwasm)/common $(iwasm)/interpreter $(iwasm)/aot $(iwasm)/compilation \
  $(shared)/include $(shared)/utils $(shared)/utils/uncommon $(shared)/mem-alloc \
  $(shared)/platform/include $(shared)/platform/linux $(shared)/platform/common/libc-util \
  $(WAMR)/core $(shell $(LLVM_CONFIG) --includedir))

aotc_flags := -O1 -fno-strict-aliasing -ffile-prefix-map=$(WAMR)=wamr -w $(aotc_includes) \
  -D_GNU_SOURCE -D__STDC_LIMIT_MACROS -D__STDC_CONSTANT_MACROS \
  -DBH_PLATFORM_LINUX -DBH_MALLOC=wasm_runtime_malloc -DBH_FREE=wasm_runtime_free \
  -DWASM_ENABLE_WAMR_COMPILER=1 -DWASM_ENABLE_INTERP=1 -DWASM_ENABLE_AOT=1 \
  -DWASM_ENABLE_BULK_MEMORY=1 -DWASM_ENABLE_BULK_MEMORY_OPT=1 -DWASM_ENABLE_SHRUNK_MEMORY=1 \
  -DWASM_DISABLE_HW_BOUND_CHECK=1 -DWASM_DISABLE_STACK_HW_BOUND_CHECK=1

# Three functions of WAMR are made weak, as bounds.c and traps.c have the ones that are used. Their files are compiled so that
# calls within the file go to the replacement too.
aotc_replaced := $(addprefix --weaken-symbol=,aot_check_memory_overflow check_bulk_memory_overflow aot_emit_exception)

# Two more are wrapped by the linker (calls.c).
aotc_wrapped := $(addprefix -Wl$(comma)--wrap=,aot_compile_op_call aot_apply_llvm_new_pass_manager)

aotc_objects := $(addprefix $(aotc_dir)/,$(addsuffix .o,$(notdir $(aotc_sources))))
vpath %.c $(sort $(dir $(filter %.c,$(aotc_sources))))
vpath %.cpp $(sort $(dir $(filter %.cpp,$(aotc_sources))))
vpath %.s $(sort $(dir $(filter %.s,$(aotc_sources))))

$(AOTC): $(aotc_objects)
	@$(SAY) "link   aotc (WAMR $(WAMR_VERSION), LLVM $(LLVM_VERSION))"
	$(Q)g++ -o $@ $(aotc_wrapped) $(sort $(aotc_objects)) $$($(LLVM_CONFIG) --ldflags --libs) -lpthread -lm -ldl

$(aotc_dir)/symbols.c.o: $(FIRMWARE)/wamr/port/xip_symbols.h
$(aotc_dir)/%.c.o: %.c $(FIRMWARE)/wamr/aot/driver.h $(FIRMWARE)/wamr/aot/aotc.mk | $(aotc_dir)
	$(Q)gcc $(aotc_flags) -c $< -o $@

$(addprefix $(aotc_dir)/,aot_emit_memory.c.o aot_emit_exception.c.o): $(aotc_dir)/%.c.o: $(iwasm)/compilation/%.c $(FIRMWARE)/wamr/aot/aotc.mk | $(aotc_dir)
	$(Q)gcc $(aotc_flags) -fPIC -fsemantic-interposition -fno-inline -c $< -o $@
	$(Q)objcopy $(aotc_replaced) $@

$(aotc_dir)/%.cpp.o: %.cpp $(FIRMWARE)/wamr/aot/aotc.mk | $(aotc_dir)
	$(Q)g++ $$($(LLVM_CONFIG) --cxxflags) $(aotc_flags) -fno-rtti -c $< -o $@

$(aotc_dir)/%.s.o: %.s | $(aotc_dir)
	$(Q)gcc -c $< -o $@

$(aotc_dir):
	@$(SAY) "build  aotc, the AOT compiler of the core (once, about 30 s)"
	$(Q)mkdir -p $@
