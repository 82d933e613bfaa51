/* WAMR's platform functions for a board (wamr.md of its own documentation: platform_api_vmcore.h). */
#include "board.h"
#include "platform_api_extension.h"
#include "platform_api_vmcore.h"

int
bh_platform_init(void)
{
    return 0;
}

void
bh_platform_destroy(void)
{}

/* The runtime lives in its pool. */
void *
os_malloc(unsigned size)
{
    (void)size;
    return NULL;
}

void *
os_realloc(void *ptr, unsigned size)
{
    (void)ptr;
    (void)size;
    return NULL;
}

void
os_free(void *ptr)
{
    (void)ptr;
}

/* Linear memory comes through here. */
void *
os_mmap(void *hint, size_t size, int prot, int flags, os_file_handle file)
{
    (void)hint;
    (void)prot;
    (void)flags;
    (void)file;
    void *memory = wasm_runtime_malloc(size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

void
os_munmap(void *addr, size_t size)
{
    (void)size;
    wasm_runtime_free(addr);
}

/* Memory of the core never grows. */
void *
os_mremap(void *old_addr, size_t old_size, size_t new_size)
{
    (void)old_addr;
    (void)old_size;
    (void)new_size;
    return NULL;
}

int
os_mprotect(void *addr, size_t size, int prot)
{
    (void)addr;
    (void)size;
    (void)prot;
    return 0;
}

/* Code runs from flash and is never written. */
void
os_dcache_flush(void)
{}

void
os_icache_flush(void *start, size_t len)
{
    (void)start;
    (void)len;
}

korp_tid
os_self_thread(void)
{
    return 0;
}

uint8 *
os_thread_get_stack_boundary(void)
{
    return board_stack_limit();
}

void
os_thread_jit_write_protect_np(bool enabled)
{
    (void)enabled;
}

/* One thread: nothing to exclude. */
int
os_mutex_init(korp_mutex *mutex)
{
    (void)mutex;
    return 0;
}

int
os_mutex_destroy(korp_mutex *mutex)
{
    (void)mutex;
    return 0;
}

int
os_mutex_lock(korp_mutex *mutex)
{
    (void)mutex;
    return 0;
}

int
os_mutex_unlock(korp_mutex *mutex)
{
    (void)mutex;
    return 0;
}

/* Nobody reads what the runtime prints; errors come as texts of its functions. */
int
os_printf(const char *format, ...)
{
    (void)format;
    return 0;
}

int
os_vprintf(const char *format, va_list ap)
{
    (void)format;
    (void)ap;
    return 0;
}

uint64
os_time_get_boot_us(void)
{
    return 0;
}
