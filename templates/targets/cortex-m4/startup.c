/*
 * startup.c - from reset to main on a Cortex-M4F: vector table, floating-point unit, .data and .bss.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* From the linker script. */
extern uint32_t stack_top[];
extern uint8_t data_start[], data_end[], data_in_flash[], bss_start[], bss_end[];

int main(void);
void reset_handler(void);

enum { FAULT_STATUS = 125 };

/* Coprocessor access control: full access to CP10 and CP11, the floating-point unit. */
#define CPACR (*(volatile uint32_t *)0xE000ED88u)
#define CPACR_FPU (0xFu << 20)

void reset_handler(void)
{
    CPACR |= CPACR_FPU;
    __asm volatile("dsb\n\tisb" ::: "memory");
    memcpy(data_start, data_in_flash, (size_t)(data_end - data_start));
    memset(bss_start, 0, (size_t)(bss_end - bss_start));
    exit(main());
}

static void fault_handler(void)
{
    _Exit(FAULT_STATUS);
}

typedef union {
    uint32_t *stack;
    void (*handler)(void);
} vector;

/* Stack, reset, NMI, hard fault, memory, bus, usage fault; the rest stays unused. */
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    {.stack = stack_top},         {.handler = reset_handler}, {.handler = fault_handler}, {.handler = fault_handler},
    {.handler = fault_handler},   {.handler = fault_handler}, {.handler = fault_handler},
};
