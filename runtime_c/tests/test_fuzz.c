/*
 * test_fuzz.c - images with random changes: whatever the bytes say, a status and no crash (run under sanitizers).
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "program_wide.h"
#include "randomnet.h"

enum { HEAP_WORDS = 3000, PAIRS = 200 };

static int seen[INPLA_STATUS_COUNT];

static void run_bytes(const inpla_program *program, const uint8_t *bytes, size_t size, unsigned slots)
{
    /* a copy that ends where its memory ends */
    uint8_t *copy = (uint8_t *)malloc(size + 1);
    memcpy(copy, bytes, size);
    testnet net = open_net(program, HEAP_WORDS, PAIRS, slots, 1, NULL);
    const inpla_status status = inpla_run(net.net, copy, size);
    CHECK((unsigned)status < INPLA_STATUS_COUNT);
    CHECK_INT(net.net->failure.status, status);
    seen[status]++;
    for (uint32_t slot = 0; slot < slots; slot++) {
        inpla_word value;
        inpla_get(net.net, slot, INPLA_BUILTIN_COUNT, &value);
    }
    close_net(&net);
    free(copy);
}

/* One to four changes: a byte replaced, a bit turned, a byte left out, a byte doubled. */
static size_t mutate(uint8_t *bytes, size_t size, size_t first, uint32_t *seed)
{
    for (unsigned changes = 1 + check_random(seed) % 4; changes > 0; changes--) {
        const size_t at = first + check_random(seed) % (size - first);
        switch (check_random(seed) % 4) {
        case 0:
            bytes[at] = (uint8_t)check_random(seed);
            break;
        case 1:
            bytes[at] ^= (uint8_t)(1u << check_random(seed) % 8);
            break;
        case 2:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            bytes[size - 1] = (uint8_t)check_random(seed);
            break;
        default:
            memmove(bytes + at + 1, bytes + at, size - at - 1);
        }
    }
    return check_random(seed) % 8 == 0 ? check_random(seed) % (size + 1) : size;
}

/* Leaves the header alone in most cases, so that most images are read beyond it. */
static void run_mutations(const inpla_program *program, const image *original, unsigned slots, uint32_t seed, int count)
{
    uint8_t *bytes = (uint8_t *)malloc(original->size);
    for (int i = 0; i < count; i++) {
        memcpy(bytes, original->bytes, original->size);
        const size_t size = mutate(bytes, original->size, i % 16 == 0 ? 0 : 10, &seed);
        run_bytes(program, bytes, size, slots);
    }
    free(bytes);
}

static void mutated_nets_of_the_neuron_program(void)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        random_net of = make_random_net(seed, 5 + seed * 2, seed % 3);
        run_mutations(&neuron_program, &of.whole, of.slots, seed + 1000, 150);
        drop_random_net(&of);
    }
}

static void put_random_attribute(image *to, char kind, uint32_t *seed)
{
    put_varint(to, 0);
    if (kind == INPLA_PORT_INT)
        put_int(to, (int)check_random(seed));
    else
        put_float(to, (float)check_random(seed));
}

/* A wire, or an agent with terms in its ports; more often Eraser or Dup than another. */
static void put_random_term(image *to, unsigned depth, uint32_t *seed)
{
    const uint32_t choice = check_random(seed);
    if (depth == 0 || choice % 4 == 0) {
        put_wire(to, choice / 4 % 4);
        return;
    }
    const unsigned agent = choice / 4 % 2 == 0 ? choice / 8 % INPLA_BUILTIN_COUNT : choice / 8 % (unsigned)WIDE_AGENTS;
    put_agent(to, agent);
    for (const char *kind = wide_agents[agent].ports; *kind != 0; kind++) {
        if (*kind == INPLA_PORT_WIRE)
            put_random_term(to, depth - 1, seed);
        else
            put_random_attribute(to, *kind, seed);
    }
}

/* --- tangles of the wide program -------------------------------------------------------------------------------- */

enum { MOST_STEPS = 20000 };

static int steps = 0;

/* The built-in rules as rules of a program that ends after so many steps: a tangle may go on for ever. */
static inpla_status rule_with_limit(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    return ++steps > MOST_STEPS ? INPLA_ERROR_NATIVE : inplaB_interact(worker, left, right);
}

enum { LIMITED_RULES = 2 * WIDE_AGENTS };

/* Fills the two tables, which have LIMITED_RULES and WIDE_AGENTS + 1 entries. */
static inpla_program limited_program(inpla_rule_entry *rules, uint16_t *first_rule)
{
    const inpla_program program = {"limited", wide_agents, rules, first_rule, NULL, WIDE_AGENTS, LIMITED_RULES, 0};
    for (unsigned i = 0; i < LIMITED_RULES; i++) {
        rules[i].left = i < WIDE_AGENTS ? INPLA_ERASER : INPLA_DUP;
        rules[i].right = (uint16_t)(i % WIDE_AGENTS);
        rules[i].call = rule_with_limit;
    }
    for (unsigned agent = 0; agent <= WIDE_AGENTS; agent++)
        first_rule[agent] = (uint16_t)(agent < 2 ? agent * WIDE_AGENTS : LIMITED_RULES);
    return program;
}

/* Dup and Eraser at work on every form of agent, in tangles of every kind. */
static void random_nets_of_the_wide_program(void)
{
    inpla_rule_entry rules[LIMITED_RULES];
    uint16_t first_rule[WIDE_AGENTS + 1];
    const inpla_program program = limited_program(rules, first_rule);
    uint32_t seed = 77;
    for (int i = 0; i < 3000; i++) {
        steps = 0;
        image body = {NULL, 0, 0};
        for (unsigned count = check_random(&seed) % 6; count > 0; count--) {
            put_connection(&body);
            put_random_term(&body, 3, &seed);
            put_random_term(&body, 3, &seed);
        }
        image whole = finish_for(&body, 4, &program);
        run_bytes(&program, whole.bytes, whole.size, 4);
        if (whole.size > 10)
            run_mutations(&program, &whole, 4, seed, 2);
        drop_image(&whole);
    }
}

/* The generators have to reach what they are for. */
static void every_kind_of_end_was_seen(void)
{
    CHECK(seen[INPLA_OK] > 1000);
    CHECK(seen[INPLA_ERROR_NO_RULE] > 1000);
    CHECK(seen[INPLA_ERROR_IMAGE] > 1000);
    CHECK(seen[INPLA_ERROR_HEAP] > 10);
}

int main(void)
{
    RUN(mutated_nets_of_the_neuron_program);
    RUN(random_nets_of_the_wide_program);
    RUN(every_kind_of_end_was_seen);
    return check_report();
}
