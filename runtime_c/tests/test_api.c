/*
 * test_api.c - the interface of a net, messages and statistics.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "program_neuron.h"
#include "testnet.h"

enum { X, Y, R, SLOTS = 4 };

/* x ~ Add(r, y) */
static image sum_image(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, X);
    put_agent(&body, ADD);
    put_wire(&body, R);
    put_wire(&body, Y);
    return finish_for(&body, SLOTS, &neuron_program);
}

static testnet open_neuron(void *user)
{
    return open_net(&neuron_program, 300, 20, SLOTS, 1, user);
}

static void inputs_may_be_put_before_the_image_is_run(void)
{
    image sum = sum_image();
    testnet net = open_neuron(NULL);
    CHECK_INT(put_number(net.net, X, CONCRETE, 2.0f), INPLA_OK);
    CHECK_INT(put_number(net.net, Y, CONCRETE, 40.0f), INPLA_OK);
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_OK);
    CHECK(get_number(net.net, R, CONCRETE) == 42.0f);
    CHECK_INT(statistics_of(net.net).interactions, 2);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&sum);
}

static void inputs_may_be_put_after_the_image_is_run(void)
{
    image sum = sum_image();
    testnet net = open_neuron(NULL);
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_OK);
    CHECK_INT(put_number(net.net, Y, CONCRETE, 40.0f), INPLA_OK);
    CHECK_INT(put_number(net.net, X, CONCRETE, 2.0f), INPLA_OK);
    CHECK(get_number(net.net, R, CONCRETE) == 42.0f);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&sum);
}

static void a_result_of_one_image_is_the_input_of_the_next(void)
{
    image sum = sum_image();
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, R);
    put_agent(&body, TWICE);
    put_wire(&body, X);
    image twice = finish_for(&body, SLOTS, &neuron_program);
    testnet net = open_neuron(NULL);
    put_number(net.net, X, CONCRETE, 1.0f);
    put_number(net.net, Y, CONCRETE, 2.0f);
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_OK);
    CHECK_INT(inpla_run(net.net, twice.bytes, twice.size), INPLA_OK);
    CHECK(get_number(net.net, X, CONCRETE) == 6.0f);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&sum);
    drop_image(&twice);
}

/* x ~ y, both in the interface. */
static void an_input_connected_to_an_output_comes_out(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, X);
    put_wire(&body, Y);
    image wire = finish_for(&body, SLOTS, &neuron_program);
    for (unsigned to = X; to <= Y; to++) {
        testnet net = open_neuron(NULL);
        CHECK_INT(inpla_run(net.net, wire.bytes, wire.size), INPLA_OK);
        put_number(net.net, to, CONCRETE, 8.0f);
        CHECK(get_number(net.net, X + Y - to, CONCRETE) == 8.0f);
        CHECK_INT(statistics_of(net.net).live_cells, 0);
        close_net(&net);
    }
    drop_image(&wire);
}

static void rules_and_natives_see_the_user(void)
{
    float outputs[2] = {0.0f, 0.0f};
    neuron_user user = {NULL, 0, outputs, 2};
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_int_agent(&body, OUTPUT, 1);
    put_float_agent(&body, CONCRETE, 3.0f);
    image whole = finish_for(&body, 0, &neuron_program);
    testnet net = open_neuron(&user);
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
    CHECK(outputs[1] == 3.0f);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&whole);
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

static void refuse_get(testnet *net, uint32_t slot, unsigned agent, const char *message)
{
    inpla_word value;
    CHECK_INT(inpla_get(net->net, slot, (uint16_t)agent, &value), INPLA_ERROR_INTERFACE);
    check_message(net->net, message);
}

static void a_refusal_leaves_the_net_usable(void)
{
    image sum = sum_image();
    testnet net = open_neuron(NULL);
    refuse_get(&net, R, CONCRETE, "no such interface: nothing is connected at slot 2");
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_OK);
    refuse_get(&net, SLOTS, CONCRETE, "no such interface: the net has fewer slots at slot 4");
    refuse_get(&net, R, CONCRETE, "no such interface: nothing is connected at slot 2");
    refuse_get(&net, X, CONCRETE, "no such interface: Add is connected at slot 0");
    refuse_get(&net, X, ADD, "no such interface: the agent does not have one attribute port at slot 0");
    refuse_get(&net, X, INPLA_WIRE, "no such interface: the agent does not have one attribute port at slot 0");
    CHECK_INT(put_number(net.net, SLOTS, CONCRETE, 1.0f), INPLA_ERROR_INTERFACE);
    CHECK_INT(put_number(net.net, X, RELU, 1.0f), INPLA_ERROR_INTERFACE);
    CHECK_INT(put_number(net.net, X, INPLA_ERASER, 1.0f), INPLA_ERROR_INTERFACE);
    put_number(net.net, X, CONCRETE, 1.0f);
    put_number(net.net, Y, CONCRETE, 1.0f);
    CHECK(get_number(net.net, R, CONCRETE) == 2.0f);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&sum);
}

/* --- failures --------------------------------------------------------------------------------------------------- */

static void a_pair_without_a_rule_is_named(void)
{
    image sum = sum_image();
    testnet net = open_neuron(NULL);
    inpla_word word;
    word.i = 3;
    CHECK_INT(inpla_put(net.net, X, OUTPUT, word), INPLA_OK);
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_ERROR_NO_RULE);
    check_message(net.net, "no rule for Output >< Add");
    CHECK_INT(put_number(net.net, Y, CONCRETE, 1.0f), INPLA_ERROR_NO_RULE);
    CHECK_INT(inpla_get(net.net, R, CONCRETE, &word), INPLA_ERROR_NO_RULE);
    close_net(&net);
    drop_image(&sum);
}

static void memory_can_be_opened_again_after_a_failure(void)
{
    const inpla_limits limits = {300 * sizeof(void *), 20, SLOTS, 1};
    image sum = sum_image();
    testnet net = open_neuron(NULL);
    CHECK_INT(inpla_run(net.net, sum.bytes, 3), INPLA_ERROR_IMAGE);
    CHECK_INT(inpla_open(&net.net, &neuron_program, &limits, net.memory, inpla_memory_bytes(&limits), NULL), INPLA_OK);
    check_message(net.net, "no failure");
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_OK);
    put_number(net.net, X, CONCRETE, 1.0f);
    put_number(net.net, Y, CONCRETE, 1.0f);
    CHECK(get_number(net.net, R, CONCRETE) == 2.0f);
    close_net(&net);
    drop_image(&sum);
}

static void a_heap_that_is_too_small_is_named_with_the_place(void)
{
    image sum = sum_image();
    testnet net = open_net(&neuron_program, 3 * 3, 20, SLOTS, 1, NULL);
    CHECK_INT(inpla_run(net.net, sum.bytes, sum.size), INPLA_ERROR_HEAP);
    check_message(net.net, "heap exhausted at byte 14 of the image");
    close_net(&net);
    net = open_net(&neuron_program, 3 * 3, 20, SLOTS, 1, NULL);
    CHECK_INT(put_number(net.net, X, CONCRETE, 1.0f), INPLA_OK);
    CHECK_INT(put_number(net.net, Y, CONCRETE, 1.0f), INPLA_ERROR_HEAP);
    check_message(net.net, "heap exhausted at slot 1");
    close_net(&net);
    drop_image(&sum);
}

static void a_heap_that_is_too_small_for_a_rule_is_named_with_the_pair(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_float_agent(&body, CONCRETE, 1.0f);
    put_agent(&body, TWICE);
    put_agent(&body, INPLA_ERASER);
    image whole = finish_for(&body, 0, &neuron_program);
    testnet net = open_net(&neuron_program, 3 * 3, 20, 0, 1, NULL);
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_ERROR_HEAP);
    check_message(net.net, "heap exhausted in Concrete >< Twice");
    close_net(&net);
    drop_image(&whole);
}

static void a_message_fits_into_every_size(void)
{
    image sum = sum_image();
    testnet net = open_neuron(NULL);
    inpla_word word;
    word.i = 0;
    inpla_put(net.net, X, OUTPUT, word);
    inpla_run(net.net, sum.bytes, sum.size);
    const char *whole = "no rule for Output >< Add";
    for (size_t size = 0; size < 30; size++) {
        char text[32];
        memset(text, '#', sizeof text);
        inpla_message(net.net, text, size);
        CHECK(text[size] == '#');
        if (size != 0)
            CHECK(strncmp(text, whole, size - 1) == 0 && strlen(text) == (size <= 25 ? size - 1 : 25));
    }
    close_net(&net);
    drop_image(&sum);
}

static void every_status_has_a_text(void)
{
    for (int status = 0; status < INPLA_STATUS_COUNT; status++)
        CHECK(strlen(inpla_status_text((inpla_status)status)) > 5);
    CHECK_TEXT(inpla_status_text(INPLA_STATUS_COUNT), "unknown status");
    check_message(NULL, "no net");
}

int main(void)
{
    RUN(inputs_may_be_put_before_the_image_is_run);
    RUN(inputs_may_be_put_after_the_image_is_run);
    RUN(a_result_of_one_image_is_the_input_of_the_next);
    RUN(an_input_connected_to_an_output_comes_out);
    RUN(rules_and_natives_see_the_user);
    RUN(a_refusal_leaves_the_net_usable);
    RUN(a_pair_without_a_rule_is_named);
    RUN(memory_can_be_opened_again_after_a_failure);
    RUN(a_heap_that_is_too_small_is_named_with_the_place);
    RUN(a_heap_that_is_too_small_for_a_rule_is_named_with_the_pair);
    RUN(a_message_fits_into_every_size);
    RUN(every_status_has_a_text);
    return check_report();
}
