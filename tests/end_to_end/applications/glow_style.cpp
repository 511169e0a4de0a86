// An application as users of Glow write it: static API, weights included as text.
#include <cstdio>
#include <cstdlib>

#include "mnist.h"

GLOW_MEM_ALIGN(MNIST_MEM_ALIGN)
uint8_t constantWeight[MNIST_CONSTANT_MEM_SIZE] = {
#include "mnist.weights.txt"
};

GLOW_MEM_ALIGN(MNIST_MEM_ALIGN)
uint8_t mutableWeight[MNIST_MUTABLE_MEM_SIZE];

GLOW_MEM_ALIGN(MNIST_MEM_ALIGN)
uint8_t activations[MNIST_ACTIVATIONS_MEM_SIZE];

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? std::fopen(argv[1], "rb") : nullptr;
    if (!file || std::fread(GLOW_GET_ADDR(mutableWeight, MNIST_image), 4, 784, file) != 784)
        return EXIT_FAILURE;
    std::fclose(file);
    int errCode = mnist(constantWeight, mutableWeight, activations);
    if (errCode != GLOW_SUCCESS)
        return errCode;
    const float *scores = reinterpret_cast<const float *>(GLOW_GET_ADDR(mutableWeight, MNIST_probabilities));
    for (int i = 0; i < 10; i++)
        std::printf("%.9g\n", static_cast<double>(scores[i]));
    return 0;
}
