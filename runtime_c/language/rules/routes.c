/*
 * routes.c - connections of a branch that need no wire.
 *
 * In `x ~ t` what is on the other side of x goes where the other end of x is: into a port, as a direct pointer, or to a
 * side of another connection. A number or %f is not put into a port that way: behind a wire it costs built-in agents
 * other interactions than in a port, and these are counted.
 */
#include "rules/compiler.h"

/* The wire that a side is an end of, or NULL. */
static variable *wire_at(compiler *to, uint32_t side)
{
    const term *at = &to->branch.terms[to->branch.sides[side]];
    if (at->kind != TERM_NAME || to->scope.all[at->variable].kind != VARIABLE_WIRE)
        return NULL;
    return &to->scope.all[at->variable];
}

static int may_go_to(const compiler *to, uint32_t number, uint32_t place)
{
    const uint8_t kind = to->branch.terms[number].kind;
    return place & PLACE_IS_SIDE || (kind != TERM_NUMBER && kind != TERM_PERCENT);
}

/* If the side is a wire: what is on the other side goes to the wire's other end. 0: it is none, or stays. */
static int route(compiler *to, uint32_t side)
{
    const uint32_t place = side | PLACE_IS_SIDE, other_side = side ^ 1, moved = to->branch.sides[other_side];
    const variable *wire = wire_at(to, side);
    if (wire == NULL)
        return 0;
    const uint32_t end = wire->ends[wire->ends[0] == place];
    if (end == (other_side | PLACE_IS_SIDE))
        return 1; /* x ~ x: nothing is left of it */
    if (!may_go_to(to, moved, end))
        return 0;
    variable *other = wire_at(to, other_side);
    if (other != NULL)
        other->ends[other->ends[1] == (other_side | PLACE_IS_SIDE)] = end;
    *branch_at(&to->branch, end) = moved;
    return 1;
}

void branch_route(compiler *to)
{
    for (uint32_t side = 0; side < to->branch.side_count; side += 2)
        if (route(to, side) || route(to, side + 1))
            to->branch.sides[side] = to->branch.sides[side + 1] = NO_TERM;
}
