/* Logarithm, exponential and digamma function from additions, multiplications and divisions of doubles alone, which give the same bits on
 * every machine; those of a C library need not. Errors are below 1e-13. */

static const double LN_2 = 0.693147180559945309417;

/* Return 2^n, for n from -1022 to 1023. */
static inline double power_of_two(int n) {
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Return the natural logarithm of x, a normal number above 0: x is a power of two times a number from 0.71 to 1.42, whose logarithm is a
 * series of odd powers. */
static double logarithm(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xFFFFFFFFFFFFFu) | (uint64_t)1023 << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    double z = (m - 1) / (m + 1), square = z * z, sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return exponent * LN_2 + 2 * z * sum;
}

/* Return e to the power of x; 0 where that is below 1e-300. x is at most 700. */
static double exponential(double x) {
    if (x < -690) return 0;
    int n = (int)(x / LN_2 + (x < 0 ? -0.5 : 0.5));
    double rest = x - n * LN_2, sum = 1;
    for (int k = 14; k >= 1; k--) sum = 1 + sum * rest / k;
    return sum * power_of_two(n);
}

/* Return the digamma function of x > 0: the asymptotic series from 8 on, and the recurrence below. */
static double digamma(double x) {
    double below = 0;
    for (; x < 8; x++) below += 1 / x;
    double y = 1 / (x * x);
    double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y / 12))))));
    return logarithm(x) - 0.5 / x - series - below;
}
