/* embed.c - a program that embeds the engine: it multiplies two numbers by a net,  x ~ Mul(z, y).
 * Build it with  cc -Iinclude -Isrc examples/embed.c  and see include/inpla.h for what the functions promise. */
#include <stdio.h>
#include <stdlib.h>
#include "inpla_all.c" /* the engine as one translation unit; or compile src/inpla_all.c and include inpla_rule.h */

enum { NUMBER = INPLA_BUILTIN_COUNT, MUL, MUL_BY, AGENTS };
enum { X, Y, Z, SLOTS }; /* the interface: wires of the net with one end left to the host */

/* Mul(out, b) >< Number(float k) => b ~ MulBy(out, k); */
static inpla_status mul(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *b = inpla_ports(left)[1].cell;
    inpla_ports(left)[1].f = inpla_ports(right)[0].f;
    inpla_free(worker, right, 1);
    return inpla_connect(worker, b, inpla_reuse(left, MUL_BY, 2));
}
/* MulBy(out, float k) >< Number(float j) => out ~ Number(j * k); */
static inpla_status mul_by(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    inpla_ports(right)[0].f *= inpla_ports(left)[1].f;
    inpla_free(worker, left, 2);
    return inpla_connect(worker, out, right);
}
static const inpla_agent agents[AGENTS] = {{"Eraser", ""}, {"Dup", "ww"}, {"Number", "f"}, {"Mul", "ww"}, {"MulBy", "wf"}};
static const inpla_rule_entry rules[] = {{MUL, NUMBER, mul}, {MUL_BY, NUMBER, mul_by}};
static const uint16_t first_rule[AGENTS + 1] = {0, 0, 0, 0, 1, 2};
static const inpla_program program = {"product", agents, rules, first_rule, NULL, AGENTS, 2, 0};
/* The net (inpla_image.h): slots, agents, natives, bytes of the body; connect, wire x, agent Mul, wires z and y; end. */
static const uint8_t image[] = {'I', 'N', 'e', 't', 1, SLOTS, AGENTS, 0, 6, 2, 2 * X, 2 * MUL + 1, 2 * Z, 2 * Y, 0};

int main(int argc, char **argv)
{
    static _Alignas(INPLA_ALIGN) char memory[INPLA_MEMORY_BYTES(1024, 16, SLOTS, 1)];
    const inpla_limits limits = {1024, 16, SLOTS, 1};
    inpla_word x, y, z = {NULL};
    inpla_net *net;
    inpla_status status = inpla_open(&net, &program, &limits, memory, sizeof memory, NULL);
    x.f = argc > 1 ? strtof(argv[1], NULL) : 6;
    y.f = argc > 2 ? strtof(argv[2], NULL) : 7;
    if (status || (status = inpla_put(net, X, NUMBER, x)) || (status = inpla_put(net, Y, NUMBER, y)) ||
        (status = inpla_run(net, image, sizeof image)) || (status = inpla_get(net, Z, NUMBER, &z)))
        return fprintf(stderr, "embed: %s\n", inpla_status_text(status)), 1;
    printf("%g\n", (double)z.f);
    return 0;
}
