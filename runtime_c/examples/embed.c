/* embed.c - a program that embeds the engine: it squares a number by a net,  x ~ Square(z).
 * Build it with  cc -Iinclude -Isrc examples/embed.c  and see include/inpla.h for what the functions promise. */
#include <stdio.h>
#include <stdlib.h>
#include "inpla_all.c" /* the engine as one translation unit; or compile src/inpla_all.c and include inpla_rule.h */

enum { NUMBER = INPLA_BUILTIN_COUNT, SQUARE, AGENTS };
enum { X, Z, SLOTS }; /* the interface: wires of the net with one end left to the host */

/* Square(out) >< Number(float k) => out ~ Number(k * k); */
static inpla_status square(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    inpla_ports(right)[0].f *= inpla_ports(right)[0].f;
    inpla_free(worker, left, 1);
    return inpla_connect(worker, out, right); /* the cell of the number that came is that of the result */
}

static const inpla_agent agents[AGENTS] = {{"Eraser", ""}, {"Dup", "ww"}, {"Number", "f"}, {"Square", "w"}};
static const inpla_rule_entry rules[] = {{SQUARE, NUMBER, square}};
static const uint16_t first_rule[AGENTS + 1] = {0, 0, 0, 0, 1};
static const inpla_program program = {"square", agents, rules, first_rule, NULL, AGENTS, 1, 0};
/* The net (inpla_image.h): slots, agents, natives, bytes of the body; connect, wire x, agent Square, wire z; end. */
static const uint8_t image[] = {'I', 'N', 'e', 't', 1, SLOTS, AGENTS, 0, 5, 2, 2 * X, 2 * SQUARE + 1, 2 * Z, 0};

int main(int argc, char **argv)
{
    static _Alignas(INPLA_ALIGN) char memory[INPLA_MEMORY_BYTES(1024, 16, SLOTS, 1)];
    const inpla_limits limits = {1024, 16, SLOTS, 1};
    inpla_word x, z = {NULL};
    x.f = argc > 1 ? strtof(argv[1], NULL) : 6;
    inpla_net *net;
    inpla_status status = inpla_open(&net, &program, &limits, memory, sizeof memory, NULL);
    if (status || (status = inpla_put(net, X, NUMBER, x)) || (status = inpla_run(net, image, sizeof image)) ||
        (status = inpla_get(net, Z, NUMBER, &z)))
        return fprintf(stderr, "embed: %s\n", inpla_status_text(status)), 1;
    printf("%g\n", (double)z.f);
    return 0;
}
