/* One bundle called from eight threads at once, each with its own mutable and activations regions.
 * Arguments: the image, the weights. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mnist.h"

enum { CALLERS = 8, CALLS = 3 };

GLOW_MEM_ALIGN(MNIST_MEM_ALIGN)
static uint8_t constant[MNIST_CONSTANT_MEM_SIZE];
typedef struct {
    GLOW_MEM_ALIGN(MNIST_MEM_ALIGN) uint8_t mutable_weight[MNIST_MUTABLE_MEM_SIZE];
    GLOW_MEM_ALIGN(MNIST_MEM_ALIGN) uint8_t activations[MNIST_ACTIVATIONS_MEM_SIZE];
    int error;
} caller;
static caller callers[CALLERS];

static void *call(void *argument)
{
    caller *c = (caller *)argument;
    for (int i = 0; i < CALLS && !c->error; i++)
        c->error = mnist(constant, c->mutable_weight, c->activations);
    return NULL;
}

static void read_file(const char *path, void *content, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file || fread(content, 1, bytes, file) != bytes)
        exit(EXIT_FAILURE);
    fclose(file);
}

int main(int argc, char **argv)
{
    float image[784];
    pthread_t threads[CALLERS];
    if (argc != 3)
        return EXIT_FAILURE;
    read_file(argv[1], image, sizeof image);
    read_file(argv[2], constant, sizeof constant);
    for (int t = 0; t < CALLERS; t++) {
        for (int i = 0; i < 784; i++)
            ((float *)(void *)GLOW_GET_ADDR(callers[t].mutable_weight, MNIST_image))[i] = image[i];
        if (pthread_create(&threads[t], NULL, call, &callers[t]))
            return EXIT_FAILURE;
    }
    for (int t = 0; t < CALLERS; t++) {
        pthread_join(threads[t], NULL);
        if (callers[t].error)
            return callers[t].error;
        const float *scores = (const float *)(const void *)GLOW_GET_ADDR(callers[t].mutable_weight, MNIST_probabilities);
        for (int i = 0; i < 10; i++)
            printf("%.9g\n", (double)scores[i]);
    }
    return 0;
}
