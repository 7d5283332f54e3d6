/* Classes of states by exchanges of elements. This continues kernel.c: see the package's docstring. */

/* The reverse of `load`. The registers are of no use afterwards. */
static void store(u64 (*r)[LANES], u64 *rows, int64_t first, int64_t states, int64_t words) {
    for (int64_t j = 0; j < words; j++) {
        u64 (*m)[LANES] = r + 64 * j;
        transpose(m);
        for (int l = 0; l < LANES; l++)
            for (int s = 0; s < 64 && first + l * 64 + s < states; s++)
                rows[(first + l * 64 + s) * words + j] = m[s][l];
    }
}

/* Exchanges of elements, as changes of states: for each the statements to run, and then the registers that
 * take the values of others, all at once. */
typedef struct {
    const int32_t *statements, *moves; /* moves: target, source */
    const int64_t *statement_starts, *move_starts;
    u64 (*r)[LANES], (*space)[LANES];
} Exchanges;

/* Exchanges elements in the states of a mask; NULL: in all. */
static void exchange(const Exchanges *e, int64_t number, const u64 *where) {
    const int64_t s = e->statement_starts[number];
    run(e->statements + 5 * s, e->statement_starts[number + 1] - s, e->r);
    const int32_t *moves = e->moves + 2 * e->move_starts[number];
    const int64_t count = e->move_starts[number + 1] - e->move_starts[number];
    for (int64_t i = 0; i < count; i++) memcpy(e->space[i], e->r[moves[2 * i + 1]], sizeof *e->space);
    for (int64_t i = 0; i < count; i++) {
        u64 *d = e->r[moves[2 * i]], *v = e->space[i];
        if (where) for (int l = 0; l < LANES; l++) d[l] ^= (d[l] ^ v[l]) & where[l];
        else memcpy(d, v, sizeof *e->space);
    }
}

static inline int any(const u64 *mask) {
    u64 result = 0;
    for (int l = 0; l < LANES; l++) result |= mask[l];
    return result != 0;
}

/* Where the one is less than the other; the first bit is the most significant. */
static void find_less(u64 (*one)[LANES], u64 (*other)[LANES], int64_t bits, u64 *less) {
    u64 undecided[LANES];
    for (int l = 0; l < LANES; l++) { less[l] = 0; undecided[l] = ~(u64)0; }
    for (int64_t i = 0; i < bits; i++) {
        for (int l = 0; l < LANES; l++) {
            const u64 differs = (one[i][l] ^ other[i][l]) & undecided[l];
            less[l] |= differs & other[i][l];
            undecided[l] ^= differs;
        }
        if (i % 8 == 7 && !any(undecided)) return;
    }
}

static void find_equal(u64 (*one)[LANES], u64 (*other)[LANES], int64_t bits, u64 *equal) {
    for (int l = 0; l < LANES; l++) equal[l] = ~(u64)0;
    for (int64_t i = 0; i < bits; i++) {
        for (int l = 0; l < LANES; l++) equal[l] &= ~(one[i][l] ^ other[i][l]);
        if (i % 8 == 7 && !any(equal)) return;
    }
}

/* Puts in the place of each state the least that exchanges lead to. steps: the exchange, and 1 if the
 * arrangement of elements is new, else 0. Adds to fixed, unless it is NULL, how many new arrangements give
 * the state itself. Registers have room for the constants, a state's bits and the values of statements; space
 * for three times a state's bits. */
void kernel_least(u64 *rows, int64_t states, int64_t words, const int32_t *statements,
                  const int64_t *statement_starts, const int32_t *moves, const int64_t *move_starts,
                  const int32_t *steps, int64_t step_count, u64 *registers, u64 *space, int64_t *fixed) {
    u64 (*r)[LANES] = (u64 (*)[LANES])registers, (*current)[LANES] = r + 2;
    const int64_t bits = 64 * words;
    u64 (*best)[LANES] = (u64 (*)[LANES])space, (*start)[LANES] = best + bits;
    const Exchanges e = {statements, moves, statement_starts, move_starts, r, start + bits};
    for (int l = 0; l < LANES; l++) { r[0][l] = 0; r[1][l] = ~(u64)0; }
    for (int64_t first = 0; first < states; first += 64 * LANES) {
        u64 mask[LANES];
        load(current, rows, first, states, words);
        memcpy(best, current, bits * sizeof *best);
        if (fixed) memcpy(start, current, bits * sizeof *start);
        for (int64_t i = 0; i < step_count; i++) {
            exchange(&e, steps[2 * i], NULL);
            if (!steps[2 * i + 1]) continue;
            find_less(current, best, bits, mask);
            if (any(mask))
                for (int64_t b = 0; b < bits; b++)
                    for (int l = 0; l < LANES; l++) best[b][l] ^= (current[b][l] ^ best[b][l]) & mask[l];
            if (!fixed) continue;
            find_equal(current, start, bits, mask);
            for (int l = 0; l < LANES; l++)
                for (u64 g = mask[l]; g; g &= g - 1) {
                    const int64_t state = first + l * 64 + __builtin_ctzll(g);
                    if (state < states) fixed[state]++;
                }
        }
        store(best, rows, first, states, words);
    }
}

/* The keys of elements in the states that are loaded: single bits, and of each class whether one of its bits
 * is set, whether all are, and their parity. */
static void find_keys(u64 (*current)[LANES], int64_t elements, const int32_t *single, int64_t singles,
                      const int32_t *larger, const int64_t *sizes, int64_t classes, u64 (*keys)[LANES]) {
    const int64_t key_bits = singles + 3 * classes;
    for (int64_t e = 0; e < elements; e++)
        for (int64_t i = 0; i < singles; i++)
            memcpy(keys[e * key_bits + i], current[single[e * singles + i]], sizeof *keys);
    for (int64_t c = 0; c < classes; c++)
        for (int64_t e = 0; e < elements; e++) {
            u64 (*k)[LANES] = keys + e * key_bits + singles + 3 * c;
            for (int l = 0; l < LANES; l++) { k[0][l] = 0; k[1][l] = ~(u64)0; k[2][l] = 0; }
            for (int64_t i = 0; i < sizes[c]; i++, larger++)
                for (int l = 0; l < LANES; l++) {
                    const u64 v = current[*larger][l];
                    k[0][l] |= v; k[1][l] &= v; k[2][l] ^= v;
                }
        }
}

/* Sorts the elements of an index set in each state by their keys. exchange_numbers: of neighbours. ties: a row
 * of masks for each two neighbours, where their keys are equal then. larger: for each class, for each element
 * the bits. keys: space for those of all elements. */
void kernel_sort(u64 *rows, int64_t states, int64_t words, const int32_t *statements,
                 const int64_t *statement_starts, const int32_t *moves, const int64_t *move_starts,
                 int64_t elements, const int32_t *exchange_numbers, const int32_t *single, int64_t singles,
                 const int32_t *larger, const int64_t *sizes, int64_t classes, u64 *registers, u64 *space,
                 u64 *key_space, u64 *ties, int64_t width) {
    u64 (*r)[LANES] = (u64 (*)[LANES])registers, (*current)[LANES] = r + 2;
    u64 (*keys)[LANES] = (u64 (*)[LANES])key_space;
    const Exchanges x = {statements, moves, statement_starts, move_starts, r, (u64 (*)[LANES])space};
    const int64_t key_bits = singles + 3 * classes;
    for (int l = 0; l < LANES; l++) { r[0][l] = 0; r[1][l] = ~(u64)0; }
    for (int64_t w = 0; w < width; w += LANES) {
        u64 mask[LANES];
        load(current, rows, w * 64, states, words);
        find_keys(current, elements, single, singles, larger, sizes, classes, keys);
        for (int64_t end = elements - 1; end > 0; end--)
            for (int64_t one = 0; one < end; one++) {
                u64 (*a)[LANES] = keys + one * key_bits, (*b)[LANES] = a + key_bits;
                find_less(b, a, key_bits, mask);
                if (!any(mask)) continue;
                exchange(&x, exchange_numbers[one], mask);
                for (int64_t i = 0; i < key_bits; i++)
                    for (int l = 0; l < LANES; l++) {
                        const u64 differs = (a[i][l] ^ b[i][l]) & mask[l];
                        a[i][l] ^= differs;
                        b[i][l] ^= differs;
                    }
            }
        for (int64_t one = 0; one + 1 < elements; one++) {
            find_equal(keys + one * key_bits, keys + (one + 1) * key_bits, key_bits, mask);
            for (int64_t l = 0; l < LANES && w + l < width; l++) ties[one * width + w + l] = mask[l];
        }
        store(current, rows, w * 64, states, words);
    }
}

/* Where exchanges change states: a row of masks for each. */
void kernel_changes(const u64 *rows, int64_t states, int64_t words, const int32_t *statements,
                    const int64_t *statement_starts, const int32_t *moves, const int64_t *move_starts,
                    const int32_t *numbers, int64_t count, u64 *registers, u64 *masks, int64_t width) {
    u64 (*r)[LANES] = (u64 (*)[LANES])registers;
    for (int l = 0; l < LANES; l++) { r[0][l] = 0; r[1][l] = ~(u64)0; }
    for (int64_t w = 0; w < width; w += LANES) {
        load(r + 2, rows, w * 64, states, words);
        for (int64_t i = 0; i < count; i++) {
            const int64_t number = numbers[i], s = statement_starts[number];
            u64 changed[LANES] = {0};
            run(statements + 5 * s, statement_starts[number + 1] - s, r);
            for (int64_t m = move_starts[number]; m < move_starts[number + 1]; m++)
                for (int l = 0; l < LANES; l++) changed[l] |= r[moves[2 * m]][l] ^ r[moves[2 * m + 1]][l];
            for (int64_t l = 0; l < LANES && w + l < width; l++) masks[i * width + w + l] = changed[l];
        }
    }
}
