/* Evaluation of compiled terms, and new states: see the package's docstring. Callers check all sizes. */
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;

enum { LANES = 16, BATCH = 128, NUMBER_BITS = 40 };
#define FREE (~(u64)0)
#define NUMBER ((((u64)1) << NUMBER_BITS) - 1)

int64_t kernel_version(void) { return 3; }

/* Transposes a matrix of 64 by 64 bits in each lane (Warren, Hacker's Delight, section 7-3). */
static void transpose(u64 m[64][LANES]) {
    u64 mask = 0xFFFFFFFFu;
    for (int d = 32; d; d >>= 1, mask ^= mask << d)
        for (int i = 0; i < 64; i = ((i | d) + 1) & ~d)
            for (int l = 0; l < LANES; l++) {
                u64 x = ((m[i][l] >> d) ^ m[i + d][l]) & mask;
                m[i + d][l] ^= x;
                m[i][l] ^= x << d;
            }
}

/* A statement: operation, target, up to three parts; all but the first are registers. */
static void run(const int32_t *statements, int64_t count, u64 (*r)[LANES]) {
    for (int64_t i = 0; i < count; i++) {
        const int32_t *s = statements + 5 * i;
        u64 *d = r[s[1]];
        const u64 *a = r[s[2]], *b = r[s[3]], *c = r[s[4]];
        switch (s[0]) {
        case 0: for (int l = 0; l < LANES; l++) d[l] = a[l] & b[l]; break;
        case 1: for (int l = 0; l < LANES; l++) d[l] = a[l] | b[l]; break;
        case 2: for (int l = 0; l < LANES; l++) d[l] = a[l] ^ b[l]; break;
        case 3: for (int l = 0; l < LANES; l++) d[l] = ~a[l]; break;
        default: for (int l = 0; l < LANES; l++) d[l] = ((b[l] ^ c[l]) & a[l]) ^ c[l];
        }
    }
}

/* Loads states from `first` on into registers, a register for each bit. */
static void load(u64 (*r)[LANES], const u64 *rows, int64_t first, int64_t states, int64_t words) {
    for (int64_t j = 0; j < words; j++) {
        u64 (*m)[LANES] = r + 64 * j;
        for (int l = 0; l < LANES; l++)
            for (int s = 0; s < 64; s++) {
                const int64_t state = first + l * 64 + s;
                m[s][l] = state < states ? rows[state * words + j] : 0;
            }
        transpose(m);
    }
}

/* Register 0 is false, 1 true, the state's bits follow, then the values of statements. masks has a row of
 * `width` words for each of mask_registers; the last `moves` of them are guards. starts[move * words + word]
 * is the first of the move's computed bits in a word; of move m they lie in values from starts[m * words] *
 * width on, one word of lanes after the other. They are not written where no state has the move. */
void kernel_evaluate(const int32_t *statements, int64_t count, u64 *registers,
                     const u64 *rows, int64_t states, int64_t words,
                     const int32_t *mask_registers, int64_t mask_count, u64 *masks, int64_t width,
                     const int32_t *value_registers, const int64_t *starts, int64_t moves, u64 *values) {
    u64 (*r)[LANES] = (u64 (*)[LANES])registers;
    const int32_t *guards = mask_registers + mask_count - moves;
    for (int l = 0; l < LANES; l++) { r[0][l] = 0; r[1][l] = ~(u64)0; }
    for (int64_t w = 0; w < width; w += LANES) {
        const int real = width - w < LANES ? (int)(width - w) : LANES;
        load(r + 2, rows, w * 64, states, words);
        run(statements, count, r);
        for (int64_t o = 0; o < mask_count; o++)
            memcpy(masks + o * width + w, r[mask_registers[o]], real * sizeof(u64));
        for (int64_t m = 0; m < moves; m++) {
            const int64_t base = starts[m * words], bits = starts[(m + 1) * words] - base;
            u64 any = 0;
            for (int l = 0; l < real; l++) any |= r[guards[m]][l];
            if (!any) continue;
            u64 *v = values + base * width + w * bits;
            for (int l = 0; l < real; l++)
                for (int64_t i = 0; i < bits; i++) v[l * bits + i] = r[value_registers[base + i]][l];
        }
    }
}

/* As explicit.table.hashes_of. */
static inline u64 hash_of(const u64 *row, int64_t words) {
    const u64 factor = 0x9E3779B97F4A7C15u;
    u64 h = row[0] * factor;
    for (int64_t j = 1; j < words; j++) { h ^= h >> 29; h += row[j]; h *= factor; }
    if (words > 1) { h ^= h >> 32; h *= factor; }
    return h;
}

/* The bits of a hash below those that name the slot, where a slot keeps them: above the state's number. */
static inline u64 tag_of(u64 hash, int slot_bits) {
    return hash << slot_bits >> NUMBER_BITS << NUMBER_BITS;
}

/* Puts states, all of which differ, into free slots. */
void kernel_fill(const u64 *rows, int64_t count, int64_t words, u64 *slots, int64_t slot_bits) {
    const int shift = 64 - (int)slot_bits;
    const u64 last = (((u64)1) << slot_bits) - 1;
    u64 h[BATCH];
    for (int64_t i = 0; i < count; i += BATCH) {
        const int64_t n = count - i < BATCH ? count - i : BATCH;
        for (int64_t k = 0; k < n; k++) {
            h[k] = hash_of(rows + (i + k) * words, words);
            __builtin_prefetch(slots + (h[k] >> shift), 1);
        }
        for (int64_t k = 0; k < n; k++) {
            u64 s = h[k] >> shift;
            while (slots[s] != FREE) s = (s + 1) & last;
            slots[s] = tag_of(h[k], (int)slot_bits) | (u64)(i + k);
        }
    }
}

/* The state after a move from another, of which `bits` has the computed bits. */
static inline void make(u64 *row, const u64 *from, int64_t words, const u64 *kept, const u64 *ones,
                        const int64_t *starts, const u64 *bits, int lane, const u64 *positions) {
    for (int64_t j = 0; j < words; j++) {
        u64 v = (from[j] & kept[j]) | ones[j];
        for (int64_t i = starts[j]; i < starts[j + 1]; i++)
            v |= (bits[i - starts[0]] >> lane & 1) << positions[i];
        row[j] = v;
    }
}

typedef struct {
    u64 *rows, *slots;
    int64_t *predecessors;
    int64_t count, words;
    int slot_bits;
} Table;

typedef struct {
    int64_t count;
    u64 *rows;
    u64 hashes[BATCH];
    int64_t sources[BATCH];
} Batch;

/* The number of a state in the table; -1 if it is not there, and then the slot where it belongs. */
static inline int64_t seek(const Table *t, const u64 *row, u64 hash, u64 *slot) {
    const int64_t words = t->words;
    const u64 last = (((u64)1) << t->slot_bits) - 1, tag = tag_of(hash, t->slot_bits);
    for (u64 s = hash >> (64 - t->slot_bits);; s = (s + 1) & last) {
        const u64 v = t->slots[s];
        if (v == FREE) { *slot = s; return -1; }
        if ((v & ~NUMBER) != tag) continue;
        const u64 *other = t->rows + (v & NUMBER) * words;
        u64 differs = 0;
        for (int64_t j = 0; j < words; j++) differs |= other[j] ^ row[j];
        if (!differs) return (int64_t)(v & NUMBER);
    }
}

/* Brings to the cache what states with these hashes will be compared with. Their slots are there already. */
static inline void fetch(const Table *t, const u64 *hashes, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        const u64 v = t->slots[hashes[k] >> (64 - t->slot_bits)];
        if (v != FREE && (v & ~NUMBER) == tag_of(hashes[k], t->slot_bits))
            __builtin_prefetch(t->rows + (v & NUMBER) * t->words);
    }
}

/* Takes the states of a batch that are new, in their order; returns how many are. */
static int64_t insert(Table *t, Batch *batch) {
    const int64_t words = t->words, before = t->count;
    fetch(t, batch->hashes, batch->count);
    for (int64_t k = 0; k < batch->count; k++) {
        const u64 *row = batch->rows + k * words;
        u64 slot;
        if (seek(t, row, batch->hashes[k], &slot) >= 0) continue;
        t->slots[slot] = tag_of(batch->hashes[k], t->slot_bits) | (u64)t->count;
        memcpy(t->rows + t->count * words, row, words * sizeof(u64));
        t->predecessors[t->count++] = batch->sources[k];
    }
    batch->count = 0;
    return t->count - before;
}

/* The numbers of states in the table, -1 for those that are not there. With `sources`, the predecessors, takes
 * the new ones, in their order, and counts them as there. Returns the number of states in the table, which has
 * room for all. */
int64_t kernel_number(u64 *rows, int64_t *predecessors, u64 *slots, int64_t count, int64_t words,
                      int64_t slot_bits, const u64 *states, const int64_t *sources, int64_t states_count,
                      int64_t *numbers) {
    Table t = {rows, slots, predecessors, count, words, (int)slot_bits};
    u64 hashes[BATCH];
    for (int64_t i = 0; i < states_count; i += BATCH) {
        const int64_t n = states_count - i < BATCH ? states_count - i : BATCH;
        for (int64_t k = 0; k < n; k++) {
            hashes[k] = hash_of(states + (i + k) * words, words);
            __builtin_prefetch(slots + (hashes[k] >> (64 - slot_bits)), 1);
        }
        fetch(&t, hashes, n);
        for (int64_t k = 0; k < n; k++) {
            const u64 *row = states + (i + k) * words;
            u64 slot;
            int64_t number = seek(&t, row, hashes[k], &slot);
            if (number < 0 && sources) {
                number = t.count++;
                slots[slot] = tag_of(hashes[k], (int)slot_bits) | (u64)number;
                memcpy(rows + number * words, row, words * sizeof(u64));
                predecessors[number] = sources[i + k];
            }
            numbers[i + k] = number;
        }
    }
    return t.count;
}

/* Makes the successors by some moves, in the order of moves and then of states, with the place of each
 * one's predecessor. */
void kernel_succeed(const u64 *rows, int64_t words, const u64 *enabled, int64_t width, const u64 *values,
                    int64_t move, int64_t end, const u64 *kept, const u64 *ones, const int64_t *starts,
                    const u64 *positions, u64 *successors, int64_t *sources) {
    for (; move < end; move++) {
        const u64 *guard = enabled + move * width;
        const int64_t *s = starts + move * words, base = s[0], count_of_bits = s[words] - base;
        for (int64_t w = 0; w < width; w++) {
            const u64 *bits = values + base * width + w * count_of_bits;
            for (u64 g = guard[w]; g; g &= g - 1) {
                const int lane = __builtin_ctzll(g);
                const int64_t source = w * 64 + lane;
                make(successors, rows + source * words, words, kept + move * words, ones + move * words, s,
                     bits, lane, positions);
                successors += words;
                *sources++ = source;
            }
        }
    }
}

/* Makes the successors by some moves, in the order of moves and then of states, and takes those that are
 * new. `first` is the number of the first state evaluated. space: BATCH rows. Adds to found; returns the number
 * of states in the table, which has room for all. */
int64_t kernel_expand(u64 *rows, int64_t *predecessors, u64 *slots, int64_t count, int64_t words,
                      int64_t slot_bits, int64_t first, const u64 *enabled, int64_t width, const u64 *values,
                      int64_t move, int64_t end, const u64 *kept, const u64 *ones, const int64_t *starts,
                      const u64 *positions, int64_t *found, u64 *space) {
    Table t = {rows, slots, predecessors, count, words, (int)slot_bits};
    Batch batch = {.count = 0, .rows = space};
    const int shift = 64 - (int)slot_bits;
    for (; move < end; move++) {
        const u64 *guard = enabled + move * width, *k = kept + move * words, *o = ones + move * words;
        const int64_t *s = starts + move * words, base = s[0], count_of_bits = s[words] - base;
        for (int64_t w = 0; w < width; w++) {
            const u64 *bits = values + base * width + w * count_of_bits;
            for (u64 g = guard[w]; g; g &= g - 1) {
                const int lane = __builtin_ctzll(g);
                const int64_t source = first + w * 64 + lane;
                u64 *row = batch.rows + batch.count * words;
                make(row, t.rows + source * words, words, k, o, s, bits, lane, positions);
                const u64 h = hash_of(row, words);
                batch.hashes[batch.count] = h;
                batch.sources[batch.count] = source;
                __builtin_prefetch(t.slots + (h >> shift), 1);
                if (++batch.count == BATCH) found[move] += insert(&t, &batch);
            }
        }
        found[move] += insert(&t, &batch);
    }
    return t.count;
}
