/* The remainder of x / y towards zero, exactly: y times powers of 2 is subtracted as long as there is room. */
static double math_fmod(double x, double y)
{
    double size = x < 0.0 ? -x : x, unit = y < 0.0 ? -y : y, part;
    int32_t of_size, of_unit, k;

    if (x != x || y != y || unit == 0.0 || size == __builtin_inf())
        return __builtin_nan("");
    while (size >= unit && unit != __builtin_inf()) {
        (void)math_split(size, &of_size);
        (void)math_split(unit, &of_unit);
        k = of_size > of_unit ? of_size - of_unit - 1 : 0;
        part = unit * math_power_of_2(k / 3) * math_power_of_2(k / 3) * math_power_of_2(k - k / 3 * 2);
        while (part + part <= size)
            part += part;
        size -= part; /* more than half of it, so exact */
    }
    return x < 0.0 ? -size : x == 0.0 ? x : size;
}
