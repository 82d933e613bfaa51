/* The one planned fault of the flash: when it strikes, and which bits it leaves. */
#ifndef AN505_FLASH_FAULTS_H
#define AN505_FLASH_FAULTS_H

#include "board.h"

/* Called once an operation: the fault that strikes this one, mostly FLASH_FAULT_NONE. */
flash_fault_kind flash_fault_strikes(void);

/* Which bits of the next word of the struck operation change. */
uint32_t flash_fault_mask(void);

#endif
