/* A caller of the dynamic API: sizes and offsets come from the configuration; compiles as C and as C++. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mnist.h"

static uint8_t *region(uint64_t size)
{
    uint8_t *memory = (uint8_t *)aligned_alloc((size_t)mnist_config.alignment, (size_t)size);
    if (!memory)
        exit(EXIT_FAILURE);
    memset(memory, 0, (size_t)size);
    return memory;
}

static const SymbolTableEntry *symbol(const char *name)
{
    for (uint64_t i = 0; i < mnist_config.numSymbols; i++)
        if (strcmp(mnist_config.symbolTable[i].name, name) == 0)
            return &mnist_config.symbolTable[i];
    exit(EXIT_FAILURE);
}

static void read_file(const char *path, void *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fread(data, 1, size, file) != size)
        exit(EXIT_FAILURE);
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return EXIT_FAILURE;
    uint8_t *constant = region(mnist_config.constantWeightVarsMemSize);
    uint8_t *variable = region(mnist_config.mutableWeightVarsMemSize);
    uint8_t *activations = region(mnist_config.activationsMemSize);
    const SymbolTableEntry *image = symbol("image"), *scores = symbol("probabilities");
    read_file(argv[1], variable + image->offset, (size_t)image->size * sizeof(float));
    read_file(argv[2], constant, (size_t)mnist_config.constantWeightVarsMemSize);
    int error = mnist(constant, variable, activations);
    if (error != GLOW_SUCCESS)
        return error;
    for (uint64_t i = 0; i < scores->size; i++)
        printf("%.9g\n", (double)((const float *)(const void *)(variable + scores->offset))[i]);
    free(constant);
    free(variable);
    free(activations);
    return 0;
}
