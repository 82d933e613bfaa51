# What each image is made of. $(1)_stack: bytes of stack; _pool: bytes of the runtime's pool; _operands: bytes of the
# interpreter's operand stack; each measured on the emulated board with a margin (README.md).
IMAGES := baseline leaf leaf-interp

app_sources := app/main.c app/link.c app/crc32.c app/requests.c
core_sources := app/core.c app/core_imports.c

baseline_sources := $(app_sources) app/core_none.c
baseline_image := IMAGE_BASELINE
baseline_stack := 512

leaf_sources := $(app_sources) $(core_sources) images/core_in_place.c
leaf_image := IMAGE_LEAF
leaf_wamr := aot
leaf_stack := 4096
leaf_pool := 45056
leaf_operands := 1024

leaf-interp_sources := $(app_sources) $(core_sources) images/core_copied.c
leaf-interp_image := IMAGE_LEAF_INTERP
leaf-interp_wamr := interp
leaf-interp_stack := 4096
leaf-interp_pool := 94208
leaf-interp_operands := 8192

# Not shipped: what the tests break (test/drill.c).
TEST_IMAGES := drill

drill_sources := test/drill.c app/link.c app/crc32.c
drill_image := IMAGE_BASELINE
drill_stack := 2048
