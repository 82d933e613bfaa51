/* Virtual time for one process: an LD_PRELOAD library that adds an offset to what the clock calls return.
 *
 * OFFLEAF_CLOCK_OFFSET (whole seconds, may be negative) is the offset of the wall clock at start.
 * offleaf_clock_set_offset() changes it at run time. A step forward moves the wall clock and the monotonic clocks, as if
 * that time had passed; a step back moves the wall clock only, as if somebody had corrected it, because a monotonic
 * clock never runs backwards. CPU-time clocks are left alone. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic long long wall_offset_s;
static _Atomic long long monotonic_offset_s;

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("OFFLEAF_CLOCK_OFFSET");
  if (text) atomic_store(&wall_offset_s, strtoll(text, NULL, 10));
}

void offleaf_clock_set_offset(long long seconds) {
  long long step_s = seconds - atomic_exchange(&wall_offset_s, seconds);
  if (step_s > 0) atomic_fetch_add(&monotonic_offset_s, step_s);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  /* The system call itself: the C library's function is this one now. */
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result != 0) return result;
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      now->tv_sec += (time_t)atomic_load(&wall_offset_s);
      break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      now->tv_sec += (time_t)atomic_load(&monotonic_offset_s);
      break;
    default:
      break;
  }
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = (suseconds_t)(precise.tv_nsec / 1000);
  return 0;
}
