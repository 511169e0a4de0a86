/*
 * bundle_unit.c - a translation unit as in a bundle: engine and rules static, one function visible, little of the
 * engine's interface used.
 */
#include "inpla_all.c"

#include "program_neuron.h"
#include "program_tile.h"

#ifdef __cplusplus
extern "C"
#endif
int bundle_entry(const uint8_t *image, size_t size, void *memory, int is_tiled);

static int run(const inpla_program *program, const uint8_t *image, size_t size, void *memory)
{
    const inpla_limits limits = {4096, 64, 16, 2};
    inpla_net *net;
    inpla_status status = inpla_open(&net, program, &limits, memory, INPLA_MEMORY_BYTES(4096, 64, 16, 2), NULL);
    if (status == INPLA_OK)
        status = inpla_run(net, image, size);
    return (int)status;
}

int bundle_entry(const uint8_t *image, size_t size, void *memory, int is_tiled)
{
    return run(is_tiled ? &tile_program : &neuron_program, image, size, memory);
}
