/*
 * machine.c - what one core of this machine can do: multiply-adds per second, and bytes per second that it reads.
 *
 * Prints a line `multiply_add GFLOPS 0`, then one line `LEVEL GB/s BYTES` per level of memory: BYTES is how much that
 * level holds, for DRAM 0. Each figure is the best of many short measurements. Compile with -O3 -march=native.
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
#define LANES (WIDTH / 4)
#define CHAINS 12
#define MEASUREMENTS 30
#define BLOCK (8 * WIDTH)

typedef float vector __attribute__((vector_size(WIDTH)));

static volatile float sink;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Independent chains of multiply-adds, as many as hide their latency. */
static double gflops_once(void)
{
    const long steps = 400000;
    vector sums[CHAINS], factor, term;
    memset(sums, 0, sizeof sums);
    memset(&factor, 0, sizeof factor);
    memset(&term, 0, sizeof term);
    factor += sink + 0.5f;
    term += 1.0f;
    for (int chain = 0; chain < CHAINS; chain++)
        __asm__ volatile("" : "+m"(sums[chain])); /* equal chains would be computed once */
    __asm__ volatile("" : "+m"(factor), "+m"(term));
    const double start = seconds();
    for (long step = 0; step < steps; step++) {
#pragma GCC unroll 12
        for (int chain = 0; chain < CHAINS; chain++)
            sums[chain] = sums[chain] * factor + term;
    }
    const double took = seconds() - start;
    for (int chain = 1; chain < CHAINS; chain++)
        sums[0] += sums[chain];
    sink = sums[0][0] * 0.0f;
    return 2.0 * LANES * CHAINS * (double)steps / took * 1e-9;
}

/* Reads `bytes` bytes, a multiple of BLOCK, `repeats` times. */
static double gigabytes_once(const vector *memory, size_t bytes, long repeats)
{
    vector sums[8];
    memset(sums, 0, sizeof sums);
    const double start = seconds();
    for (long repeat = 0; repeat < repeats; repeat++) {
        for (size_t i = 0; i < bytes / WIDTH; i += 8) {
#pragma GCC unroll 8
            for (int lane = 0; lane < 8; lane++)
                sums[lane] += memory[i + (size_t)lane];
        }
        __asm__ volatile("" : : : "memory");
    }
    const double took = seconds() - start;
    for (int lane = 1; lane < 8; lane++)
        sums[0] += sums[lane];
    sink = sums[0][0] * 0.0f;
    return (double)bytes * (double)repeats / took * 1e-9;
}

static double gigabytes(const vector *memory, size_t bytes)
{
    double best = 0;
    for (int i = 0; i < MEASUREMENTS; i++) {
        const double found = gigabytes_once(memory, bytes / BLOCK * BLOCK, 1 + (long)((4 << 20) / bytes));
        best = found > best ? found : best;
    }
    return best;
}

/* What the system says of a cache, or a usual size. */
static size_t cache_bytes(int name, size_t usual)
{
    const long found = sysconf(name);
    return found > 0 ? (size_t)found : usual;
}

int main(void)
{
    const size_t l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
    const size_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
    const size_t l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 << 20);
    const size_t all = 3 * l3;
    vector *memory = aligned_alloc(WIDTH, all / BLOCK * BLOCK);
    double peak = 0;
    if (memory == NULL)
        return 1;
    memset(memory, 0, all / BLOCK * BLOCK);
    for (int i = 0; i < MEASUREMENTS; i++) {
        const double found = gflops_once();
        peak = found > peak ? found : peak;
    }
    printf("multiply_add %.1f 0\n", peak);
    printf("L1 %.1f %zu\n", gigabytes(memory, l1 / 2), l1);
    printf("L2 %.1f %zu\n", gigabytes(memory, l2 / 2), l2);
    printf("L3 %.1f %zu\n", gigabytes(memory, 2 * l2 < l3 / 2 ? 2 * l2 : l3 / 2), l3);
    printf("DRAM %.1f 0\n", gigabytes(memory, all));
    free(memory);
    return 0;
}
