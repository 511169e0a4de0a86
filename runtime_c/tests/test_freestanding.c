/*
 * test_freestanding.c - a program without a C library: the engine needs memcpy and memset at most, which compilers call
 * for copies of structures. Reduces x ~ Add(r, y) and ends with status 0 if r is right.
 */
#define INPLA_API static
#include "inpla_all.c"

#include "program_neuron.h"

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
void _start(void);

/* volatile: the loop must not become a call of itself */
void *memcpy(void *to, const void *from, size_t size)
{
    for (volatile size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    for (volatile size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}

#define MEMORY_BYTES INPLA_MEMORY_BYTES(600, 10, 3, 1)

/* body: connect, wire 0, agent Add, wire 1, wire 2, end */
static const uint8_t sum_image[] = {'I', 'N', 'e', 't', 1, 3, NEURON_AGENTS, NEURON_NATIVES, 6, 2, 0, ADD * 2 + 1,
                                    2,   4,   0};

static int sum_is_right(void)
{
    static union {
        char bytes[MEMORY_BYTES + INPLA_ALIGN];
        void *align;
    } block;
    char *memory = block.bytes + (INPLA_ALIGN - (uintptr_t)block.bytes % INPLA_ALIGN);
    const inpla_limits limits = {600, 10, 3, 1};
    inpla_word word;
    inpla_net *net;
    if (inpla_open(&net, &neuron_program, &limits, memory, MEMORY_BYTES, NULL) != INPLA_OK)
        return 0;
    word.f = 20.5f;
    if (inpla_put(net, 0, CONCRETE, word) != INPLA_OK || inpla_put(net, 2, CONCRETE, word) != INPLA_OK)
        return 0;
    if (inpla_run(net, sum_image, sizeof sum_image) != INPLA_OK || inpla_get(net, 1, CONCRETE, &word) != INPLA_OK)
        return 0;
    return word.f == 41.0f;
}

/* Without a C library there is only the kernel to tell. */
static void end_process(long status)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(60L), "D"(status) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = 93;
    register long x0 __asm__("x0") = status;
    __asm__ volatile("svc 0" : : "r"(x8), "r"(x0) : "memory");
#else
    (void)status;
    __builtin_trap();
#endif
}

void _start(void)
{
#if defined(__x86_64__)
    __asm__ volatile("andq $-16, %rsp");
#endif
    end_process(sum_is_right() ? 0 : 1);
    for (;;)
        ;
}
