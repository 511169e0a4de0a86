/*
 * cells.c - the two cells of a pair become agents of the branch. Marks are honoured where the sizes allow it; then what
 * leaves the most words as they are is chosen, above all the agent whose pair is reduced next.
 */
#include "rules/cells.h"

#include "table/agents.h"

enum { WORTH_NOTHING = 0, WORTH_CELL = 1, WORTH_PORT = 2, WORTH_AGENT = 4, WORTH_LAST = 8, WORTH_MARK = 1 << 20 };

static uint32_t head_at(const compiler *to, uint32_t place)
{
    return place == CODE_LEFT ? to->rule->left : to->rule->right;
}

int cells_is_owned(const compiler *to, uint32_t place)
{
    return head_is_agent(head_at(to, place));
}

uint32_t cells_port_count(const compiler *to, uint32_t place)
{
    return cells_is_owned(to, place) ? agents_get(to->run, head_at(to, place))->arity : 0;
}

static uint32_t first_port(const compiler *to, uint32_t place)
{
    return CODE_FIRST_PORT + (place == CODE_LEFT ? 0 : cells_port_count(to, CODE_LEFT));
}

/* The register that a port's term is in before anything is computed, NO_REGISTER if it is not. */
static uint32_t register_of_port(const compiler *to, uint32_t number)
{
    const term *at = &to->branch.terms[number];
    if (at->kind == TERM_NAME)
        return to->scope.all[at->variable].place;
    if (at->kind != TERM_NUMBER || at->nodes.end - at->nodes.begin != 1)
        return NO_REGISTER;
    const syntax_node *node = &to->source->nodes[at->nodes.begin];
    const variable *found = node->kind == SYNTAX_NAME ? scope_find(to->run, &to->scope, node->symbol) : NULL;
    return found == NULL ? NO_REGISTER : found->place;
}

int cells_keeps_port(const compiler *to, const term *built, uint32_t port)
{
    const uint32_t place = built->cell - 1u;
    if (place == CODE_LEFT && to->may_loop)
        return 0;
    return port < cells_port_count(to, place) &&
           register_of_port(to, to->branch.ports[built->first + port]) == first_port(to, place) + port;
}

static int has_same_size(uint32_t ports, uint32_t other)
{
    return INPLA_CLASS(ports) == INPLA_CLASS(other);
}

static int is_marked(const compiler *to, const term *asked, uint32_t place)
{
    const int is_left = (place == CODE_LEFT) != to->is_exchanged;
    return (asked->flags & (is_left ? SYNTAX_REUSE_LEFT : SYNTAX_REUSE_RIGHT)) != 0;
}

static uint32_t worth(const compiler *to, uint32_t number, uint32_t place, uint32_t last)
{
    term asked = to->branch.terms[number];
    const uint32_t *sides = to->branch.sides;
    const int is_last = last != NO_TERM && (sides[last] == number || sides[last + 1] == number);
    if (asked.kind != TERM_AGENT || asked.cell != 0 || asked.is_sent ||
        !has_same_size(asked.count, cells_port_count(to, place)))
        return WORTH_NOTHING;
    if (is_marked(to, &asked, CODE_LEFT + CODE_RIGHT - place))
        return WORTH_NOTHING;
    asked.cell = (uint8_t)(place + 1);
    uint32_t sum = WORTH_CELL + (is_marked(to, &asked, place) ? WORTH_MARK : 0);
    if (asked.agent == head_at(to, place))
        sum += WORTH_AGENT + (is_last ? WORTH_LAST : 0);
    for (uint32_t i = 0; i < asked.count && sum < WORTH_MARK / 2; i++)
        sum += cells_keeps_port(to, &asked, i) ? WORTH_PORT : 0;
    return sum;
}

typedef struct {
    uint32_t worth;
    uint32_t number; /* of the term */
    uint32_t place;
} choice;

/* The better one of `best` and what is best for one cell of the pair. */
static choice choose_for(const compiler *to, const uint32_t *order, uint32_t count, uint32_t place, uint32_t last,
                         choice best)
{
    for (uint32_t i = 0; i < count; i++) {
        const choice other = {worth(to, order[i], place, last), order[i], place};
        if (other.worth > best.worth)
            best = other;
    }
    return best;
}

/* The best choice for either cell first: what is in a cell as it is stays where it is, so that lists keep their order in
 * memory. */
void cells_choose(compiler *to, const uint32_t *order, uint32_t count, uint32_t last)
{
    uint32_t open = 1u << CODE_LEFT | 1u << CODE_RIGHT;
    while (open != 0) {
        choice best = {WORTH_NOTHING, NO_TERM, CODE_LEFT};
        for (uint32_t place = CODE_LEFT; place <= CODE_RIGHT; place++)
            if ((open & 1u << place) != 0 && cells_is_owned(to, place))
                best = choose_for(to, order, count, place, last, best);
        if (best.number == NO_TERM)
            return;
        to->branch.terms[best.number].cell = (uint8_t)(best.place + 1);
        open &= ~(1u << best.place);
    }
}
