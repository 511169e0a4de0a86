/*
 * test_image.c - the format of inpla_image.h, element by element, and what is malformed.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "program_neuron.h"
#include "program_wide.h"
#include "testnet.h"

enum { SLOTS = 8 };

static inpla_status run_image(testnet *net, image *body, const inpla_program *program, void *user)
{
    image whole = finish_for(body, SLOTS, program);
    *net = open_net(program, 4000, 100, SLOTS, 1, user);
    const inpla_status status = inpla_run(net->net, whole.bytes, whole.size);
    drop_image(&whole);
    return status;
}

/* --- elements --------------------------------------------------------------------------------------------------- */

static void ints_of_every_size_come_through(void)
{
    static const int64_t values[] = {0,     1,      -1,       63,         -64,         64,       -65,       8191,
                                     -8192, 100000, -3000000, 2147483647, -2147483648LL, INTPTR_MAX, INTPTR_MIN};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        testnet net;
        image body = {NULL, 0, 0};
        put_connection(&body);
        put_wire(&body, 0);
        put_int_agent(&body, COUNT, values[i]);
        CHECK_INT(run_image(&net, &body, &wide_program, NULL), INPLA_OK);
        inpla_word word;
        word.i = 0;
        CHECK_INT(inpla_get(net.net, 0, COUNT, &word), INPLA_OK);
        CHECK_INT(word.i, values[i]);
        close_net(&net);
    }
}

static void floats_come_through_bit_by_bit(void)
{
    static const uint32_t patterns[] = {0, 0x80000000u, 0x3F800000u, 0x00000001u, 0x7F7FFFFFu, 0x7F800000u, 0xFF800000u,
                                        0x12345678u};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        testnet net;
        image body = {NULL, 0, 0};
        put_connection(&body);
        put_wire(&body, 0);
        put_agent(&body, NUMBER);
        put_varint(&body, 0);
        for (int byte = 0; byte < 4; byte++)
            put_byte(&body, patterns[i] >> 8 * byte & 0xFF);
        CHECK_INT(run_image(&net, &body, &wide_program, NULL), INPLA_OK);
        const float value = get_number(net.net, 0, NUMBER);
        CHECK(memcmp(&value, &patterns[i], 4) == 0);
        close_net(&net);
    }
}

static void native_functions_are_called_with_their_literals(void)
{
    static const float weights[] = {1.0f, 2.0f, 3.0f};
    neuron_user user = {weights, 3, NULL, 0};
    testnet net;
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, 0);
    put_agent(&body, CONCRETE);
    put_varint(&body, 1 + NATIVE_WEIGHT);
    put_int(&body, 2);
    put_connection(&body);
    put_wire(&body, 1);
    put_agent(&body, CONCRETE);
    put_varint(&body, 1 + NATIVE_SCALED);
    put_int(&body, 1);
    put_float(&body, 0.25f);
    CHECK_INT(run_image(&net, &body, &neuron_program, &user), INPLA_OK);
    CHECK(get_number(net.net, 0, CONCRETE) == 3.0f);
    CHECK(get_number(net.net, 1, CONCRETE) == 0.5f);
    close_net(&net);
}

static void a_native_function_that_fails_ends_the_run(void)
{
    testnet net;
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, 0);
    put_agent(&body, CONCRETE);
    put_varint(&body, 1 + NATIVE_SCALED);
    put_int(&body, -1);
    put_float(&body, 1.0f);
    CHECK_INT(run_image(&net, &body, &neuron_program, NULL), INPLA_ERROR_NATIVE);
    check_message(net.net, "native function failed: scaled at byte 18 of the image");
    close_net(&net);
}

/* --- terms and slots -------------------------------------------------------------------------------------------- */

static void a_slot_serves_one_wire_after_another(void)
{
    testnet net;
    image body = {NULL, 0, 0};
    for (unsigned i = 0; i < 100; i++) {
        put_connection(&body);
        put_wire(&body, 3);
        put_float_agent(&body, NUMBER, 1.0f);
        put_connection(&body);
        put_agent(&body, INPLA_ERASER);
        put_wire(&body, 3);
    }
    CHECK_INT(run_image(&net, &body, &wide_program, NULL), INPLA_OK);
    CHECK_INT(statistics_of(net.net).interactions, 200);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}

static void a_wire_connected_with_itself_vanishes(void)
{
    testnet net;
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, 5);
    put_wire(&body, 5);
    CHECK_INT(run_image(&net, &body, &wide_program, NULL), INPLA_OK);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}

static void a_section_is_reduced_before_the_next_is_loaded(void)
{
    image body = {NULL, 0, 0};
    for (unsigned i = 0; i < 50; i++) {
        put_connection(&body);
        put_agent(&body, INPLA_ERASER);
        put_float_agent(&body, NUMBER, 1.0f);
        put_byte(&body, INPLA_IMAGE_SECTION);
    }
    image whole = finish_for(&body, 0, &wide_program);
    testnet net = open_net(&wide_program, 6, 1, 0, 1, NULL);
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
    CHECK_INT(statistics_of(net.net).heap_bytes, 6 * sizeof(void *));
    close_net(&net);
    drop_image(&whole);
}

/* A million agents inside each other, in the second or in the first port. */
static void terms_nest_without_limit(void)
{
    enum { DEPTH = 1000000 };
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_agent(&body, INPLA_ERASER);
    for (unsigned i = 0; i < DEPTH; i++) {
        put_agent(&body, PAIR);
        if (i % 3 == 0)
            put_agent(&body, NIL);
    }
    put_agent(&body, NIL);
    for (unsigned i = DEPTH; i-- > 0;)
        if (i % 3 != 0)
            put_agent(&body, NIL);
    image whole = finish_for(&body, 0, &wide_program);
    testnet net = open_net(&wide_program, 3 * 3 * DEPTH, 3 * DEPTH, 0, 1, NULL);
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
    CHECK_INT(statistics_of(net.net).interactions, 2 * DEPTH + 1);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&whole);
}

static void an_agent_of_many_ports_has_each_in_its_place(void)
{
    testnet net;
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, 0);
    put_agent(&body, TWENTY);
    put_varint(&body, 0);
    put_int(&body, 4711);
    for (unsigned i = 1; i < 19; i++)
        put_int_agent(&body, COUNT, (int)i);
    put_varint(&body, 0);
    put_float(&body, 0.5f);
    CHECK_INT(run_image(&net, &body, &wide_program, NULL), INPLA_OK);
    inpla_cell *cell = inpla_ports(net.net->slots[0])[0].cell;
    CHECK_INT(cell->head, TWENTY | 20 << 16);
    CHECK_INT(inpla_ports(cell)[0].i, 4711);
    for (unsigned i = 1; i < 19; i++)
        CHECK_INT(inpla_ports(inpla_ports(cell)[i].cell)[0].i, i);
    CHECK(inpla_ports(cell)[19].f == 0.5f);
    close_net(&net);
}

/* --- malformed -------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *message; /* "STATUS: " before it and " of the image" behind it are left out */
    unsigned size;
    uint8_t bytes[28];
} malformed_image;

/* The body's length is byte 8; agents 11, natives 2: program_neuron.h. */
#define HEAD(body) 'I', 'N', 'e', 't', 1, 8, 11, 2, body
#define MANY_BYTES 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80

static void malformed_images_are_refused_with_a_reason(void)
{
    static const malformed_image images[] = {
        {"it ends too early at byte 0", 0, {0}},
        {"it ends too early at byte 2", 2, {'I', 'N'}},
        {"this is no net image at byte 1", 5, {'x', 'N', 'e', 't', 1}},
        {"another version of the format at byte 5", 9, {'I', 'N', 'e', 't', 2, 8, 11, 2, 1}},
        {"it belongs to another program at byte 9", 10, {'I', 'N', 'e', 't', 1, 8, 12, 2, 1}},
        {"it belongs to another program at byte 9", 10, {'I', 'N', 'e', 't', 1, 8, 11, 1, 1}},
        {"more wire slots than the net has at byte 9", 10, {'I', 'N', 'e', 't', 1, 9, 11, 2, 1}},
        {"it is cut off at byte 9", 10, {HEAD(2), 0}},
        {"it ends too early at byte 9", 9, {HEAD(0)}},
        {"bytes behind its end at byte 10", 11, {HEAD(2), 0, 0}},
        {"unknown operation at byte 10", 10, {HEAD(1), 3}},
        {"it ends too early at byte 10", 10, {HEAD(1), 1}},
        {"it ends too early at byte 10", 10, {HEAD(1), 2}},
        {"no such agent at byte 11", 11, {HEAD(2), 2, 23}},
        {"no such wire slot at byte 11", 11, {HEAD(2), 2, 16}},
        {"no such native function at byte 12", 12, {HEAD(3), 2, 5, 3}},
        {"native function with another type of result than the port at byte 12", 12, {HEAD(3), 2, 19, 1}},
        {"it ends too early at byte 12", 14, {HEAD(5), 2, 5, 0, 1, 2}},
        {"number too large at byte 20", 21, {HEAD(12), 2, MANY_BYTES, 2, 0}},
    };
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        /* the bytes end where their memory ends, for the sanitizer */
        uint8_t *bytes = (uint8_t *)malloc(images[i].size + 1) + 1;
        memcpy(bytes, images[i].bytes, images[i].size);
        testnet net = open_net(&neuron_program, 100, 10, 8, 1, NULL);
        const inpla_status status = inpla_run(net.net, bytes, images[i].size);
        CHECK_INT(status, strstr(images[i].message, "slots") ? INPLA_ERROR_MEMORY : INPLA_ERROR_IMAGE);
        char expected[160];
        snprintf(expected, sizeof expected, "%s: %s of the image", inpla_status_text(status), images[i].message);
        check_message(net.net, expected);
        close_net(&net);
        free(bytes - 1);
    }
}

static void an_image_cut_off_anywhere_is_refused(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, 0);
    put_agent(&body, MIXED);
    put_wire(&body, 1);
    put_varint(&body, 0);
    put_float(&body, 1.0f);
    put_agent(&body, NIL);
    put_varint(&body, 0);
    put_int(&body, 123456);
    image whole = finish_for(&body, SLOTS, &wide_program);
    for (size_t size = 0; size <= whole.size; size++) {
        testnet net = open_net(&wide_program, 100, 10, SLOTS, 1, NULL);
        CHECK_INT(inpla_run(net.net, whole.bytes, size), size == whole.size ? INPLA_OK : INPLA_ERROR_IMAGE);
        close_net(&net);
    }
    drop_image(&whole);
}

static void bytes_behind_the_image_are_ignored(void)
{
    image body = {NULL, 0, 0};
    image whole = finish_for(&body, 0, &wide_program);
    for (int i = 0; i < 10; i++)
        put_byte(&whole, 0xFF);
    testnet net = open_net(&wide_program, 0, 0, 0, 1, NULL);
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
    close_net(&net);
    drop_image(&whole);
}

int main(void)
{
    RUN(ints_of_every_size_come_through);
    RUN(floats_come_through_bit_by_bit);
    RUN(native_functions_are_called_with_their_literals);
    RUN(a_native_function_that_fails_ends_the_run);
    RUN(a_slot_serves_one_wire_after_another);
    RUN(a_wire_connected_with_itself_vanishes);
    RUN(a_section_is_reduced_before_the_next_is_loaded);
    RUN(terms_nest_without_limit);
    RUN(an_agent_of_many_ports_has_each_in_its_place);
    RUN(malformed_images_are_refused_with_a_reason);
    RUN(an_image_cut_off_anywhere_is_refused);
    RUN(bytes_behind_the_image_are_ignored);
    return check_report();
}
