/* What a bundle needs of <string.h>, for compilers that come without the target's C library. */
#ifndef INBUNDLE_STRING_H
#define INBUNDLE_STRING_H

#include <stddef.h>

void *memcpy(void *destination, const void *source, size_t size);
void *memmove(void *destination, const void *source, size_t size);
void *memset(void *destination, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);
size_t strlen(const char *text);

#endif
