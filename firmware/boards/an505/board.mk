# The emulated board: QEMU's mps2-an505.
board_sources := $(addprefix boards/an505/,start.c uart.c time.c flash.c flash_faults.c entropy.c semihosting.c) boards/m33/m33.c
board_script := an505.ld
board_cpu := -mcpu=cortex-m33+nofp -mthumb -mfloat-abi=soft
