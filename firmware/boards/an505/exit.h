/* Exit codes of the emulator (docs/link.md). */
#ifndef AN505_EXIT_H
#define AN505_EXIT_H

enum {
    EXIT_POWER_LOST = 81,
    EXIT_FAULT = 82,
    EXIT_FLASH_FILE = 83,
};

#endif
