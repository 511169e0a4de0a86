/*
 * calls.c - calls a function of three addresses, as the entry of a bundle is one, and takes the time of each call.
 */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>

typedef int (*calls_entry)(void *, void *, void *);

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * Calls the entry for so many seconds, `fewest` times at least and `most` times at most, and stores what each call took
 * in microseconds. Returns the number of calls, or 0 as soon as the entry reports an error.
 */
int calls_time(calls_entry entry, void *const regions[3], double duration, int fewest, int most, double *microseconds)
{
    double start = seconds();
    const double end = start + duration;
    for (int count = 0; count < most; count++) {
        if (count >= fewest && start >= end)
            return count;
        if (entry(regions[0], regions[1], regions[2]) != 0)
            return 0;
        const double now = seconds();
        microseconds[count] = (now - start) * 1e6;
        start = now;
    }
    return most;
}
