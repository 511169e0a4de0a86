/* Two networks in one program, each with its own regions. */
#include <stdio.h>
#include <stdlib.h>

#include "first/first.h"
#include "second/second.h"

GLOW_MEM_ALIGN(FIRST_MEM_ALIGN)
static uint8_t first_constant[FIRST_CONSTANT_MEM_SIZE] = {
#include "first/first.weights.txt"
};
GLOW_MEM_ALIGN(FIRST_MEM_ALIGN) static uint8_t first_mutable[FIRST_MUTABLE_MEM_SIZE];
GLOW_MEM_ALIGN(FIRST_MEM_ALIGN) static uint8_t first_activations[FIRST_ACTIVATIONS_MEM_SIZE];

GLOW_MEM_ALIGN(SECOND_MEM_ALIGN)
static uint8_t second_constant[SECOND_CONSTANT_MEM_SIZE] = {
#include "second/second.weights.txt"
};
GLOW_MEM_ALIGN(SECOND_MEM_ALIGN) static uint8_t second_mutable[SECOND_MUTABLE_MEM_SIZE];
GLOW_MEM_ALIGN(SECOND_MEM_ALIGN) static uint8_t second_activations[SECOND_ACTIVATIONS_MEM_SIZE];

static void print_scores(const uint8_t *scores)
{
    for (int i = 0; i < 10; i++)
        printf("%.9g\n", (double)((const float *)(const void *)scores)[i]);
}

int main(int argc, char **argv)
{
    float image[784];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(image, sizeof(float), 784, file) != 784)
        return EXIT_FAILURE;
    fclose(file);
    for (int i = 0; i < 784; i++) {
        ((float *)(void *)GLOW_GET_ADDR(first_mutable, FIRST_image))[i] = image[i];
        ((float *)(void *)GLOW_GET_ADDR(second_mutable, SECOND_image))[i] = image[i];
    }
    if (first(first_constant, first_mutable, first_activations) != GLOW_SUCCESS ||
        second(second_constant, second_mutable, second_activations) != GLOW_SUCCESS)
        return EXIT_FAILURE;
    print_scores(GLOW_GET_ADDR(first_mutable, FIRST_probabilities));
    print_scores(GLOW_GET_ADDR(second_mutable, SECOND_probabilities));
    return 0;
}
