/* A C caller of the static API that places the weights in a section of its own. */
#include <stdio.h>
#include <stdlib.h>

#include "mnist.h"

GLOW_MEM_ALIGN(MNIST_MEM_ALIGN)
static const uint8_t constantWeight[MNIST_CONSTANT_MEM_SIZE] __attribute__((section(".rodata.mnist"))) = {
#include "mnist.weights.txt"
};
GLOW_MEM_ALIGN(MNIST_MEM_ALIGN) static uint8_t mutableWeight[MNIST_MUTABLE_MEM_SIZE];
GLOW_MEM_ALIGN(MNIST_MEM_ALIGN) static uint8_t activations[MNIST_ACTIVATIONS_MEM_SIZE];

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(GLOW_GET_ADDR(mutableWeight, MNIST_image), 4, 784, file) != 784)
        return EXIT_FAILURE;
    fclose(file);
    int error = mnist((uint8_t *)constantWeight, mutableWeight, activations);
    if (error != GLOW_SUCCESS)
        return error;
    const float *scores = (const float *)(const void *)GLOW_GET_ADDR(mutableWeight, MNIST_probabilities);
    for (int i = 0; i < 10; i++)
        printf("%.9g\n", (double)scores[i]);
    return 0;
}
