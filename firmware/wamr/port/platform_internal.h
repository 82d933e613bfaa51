/* WAMR's platform: bare metal, one thread, no files. The functions are in platform.c. */
#ifndef _PLATFORM_INTERNAL_H
#define _PLATFORM_INTERNAL_H

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int korp_tid, korp_mutex, korp_thread, korp_cond, korp_rwlock, korp_sem;
typedef int os_file_handle, os_raw_file_handle, os_dir_stream, bh_socket_t, os_poll_file_handle, os_nfds_t, os_timespec;

#define BH_APPLET_PRESERVED_STACK_SIZE 1024
#define BH_THREAD_DEFAULT_PRIORITY 0
#define OS_THREAD_MUTEX_INITIALIZER 0
#define os_thread_local_attribute

static inline os_file_handle
os_get_invalid_handle(void)
{
    return -1;
}

static inline int
os_getpagesize(void)
{
    return 8;
}

#endif
