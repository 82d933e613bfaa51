/* The core's region: CORE_IMAGE is what wamr/pack-core.ts wrote. */
    .section .core, "a"
    .balign 8
    .global core_in_flash
core_in_flash:
    .incbin CORE_IMAGE
