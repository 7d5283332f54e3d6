/* States in columns, for the tasks of a level. This continues kernel.c: see the package's docstring. */

/* As explicit.scattering._mix, and the hash that scatter puts for the first word. */
static inline u64 mix(u64 v, u64 factor) {
    v ^= v >> 32; v *= factor;
    v ^= v >> 29; v *= factor;
    return v ^ v >> 32;
}

static inline u64 scattered(const u64 *row, int64_t words) {
    u64 h = mix(row[0], 0x9E3779B97F4A7C15u);
    for (int64_t j = 1; j < words; j++) h = mix(h + row[j], 0xD1B54A32D192ED03u);
    return h;
}

static inline u64 unmix(u64 v, u64 inverse) {
    v ^= v >> 32; v *= inverse;
    v ^= v >> 29 ^ v >> 58; v *= inverse;
    return v ^ v >> 32;
}

/* The states at some places, of states given as scattered columns. inverses: of the factors. */
void kernel_gather(const u64 *columns, int64_t total, int64_t words, const int64_t *places, int64_t count,
                   const u64 *inverses, u64 *rows) {
    for (int64_t i = 0; i < count; i++) {
        if (i + 16 < count)
            for (int64_t j = 0; j < words; j++) __builtin_prefetch(columns + j * total + places[i + 16]);
        u64 h = columns[places[i]], *row = rows + i * words;
        for (int64_t j = words - 1; j; j--) {
            row[j] = columns[j * total + places[i]];
            h = unmix(h, inverses[1]) - row[j];
        }
        row[0] = unmix(h, inverses[0]);
    }
}

enum { PLACE_BITS = 32 };
#define PLACE ((((u64)1) << PLACE_BITS) - 1)

/* Takes those states from `count` to `end` whose like is not among those before, and returns how many there
 * are then. A state has words + 1 words: the scattered ones, and its key. A slot has a state's place below, and
 * above it the lowest bits of the hash. */
static int64_t collect(u64 *states, int64_t count, int64_t end, int64_t words, u64 *slots, int slot_bits) {
    const int shift = 64 - slot_bits;
    const u64 last = (((u64)1) << slot_bits) - 1;
    const int64_t width = words + 1;
    for (int64_t k = count; k < end; k++) {
        const u64 h = states[k * width], v = slots[h >> shift];
        if (v != FREE && v >> PLACE_BITS == (h & PLACE)) __builtin_prefetch(states + (v & PLACE) * width);
    }
    for (int64_t k = count; k < end; k++) {
        const u64 *row = states + k * width, tag = row[0] << PLACE_BITS;
        for (u64 s = row[0] >> shift;; s = (s + 1) & last) {
            const u64 v = slots[s];
            if (v == FREE) {
                slots[s] = tag | (u64)count;
                if (count != k) memmove(states + count * width, row, width * sizeof(u64));
                count++;
                break;
            }
            if ((v ^ tag) >> PLACE_BITS) continue;
            const u64 *other = states + (v & PLACE) * width;
            u64 differs = 0;
            for (int64_t j = 0; j < words; j++) differs |= other[j] ^ row[j];
            if (!differs) break;
        }
    }
    return count;
}

/* Collects the successors of states that were evaluated, in the order of moves and then of states, from a move
 * on until there are `most` or more. chunk_key: the key of a move's first state, but for the move. Sets the
 * move with which to go on; returns how many states are collected. There is room for `most` states, those of a
 * move, and a batch. */
int64_t kernel_collect(const u64 *rows, int64_t words, const u64 *enabled, int64_t width, const u64 *values,
                       int64_t *move, int64_t end, const u64 *kept, const u64 *ones, const int64_t *starts,
                       const u64 *positions, u64 chunk_key, int64_t move_shift, u64 *states, int64_t count,
                       int64_t most, u64 *slots, int64_t slot_bits) {
    const int shift = 64 - (int)slot_bits;
    int64_t m = *move;
    for (; m < end && count < most; m++) {
        const u64 *guard = enabled + m * width, *k = kept + m * words, *o = ones + m * words;
        const int64_t *s = starts + m * words, bits_of_move = s[words] - s[0];
        const u64 key = chunk_key | (u64)m << move_shift;
        int64_t now = count;
        for (int64_t w = 0; w < width; w++) {
            const u64 *bits = values + s[0] * width + w * bits_of_move;
            for (u64 g = guard[w]; g; g &= g - 1) {
                const int lane = __builtin_ctzll(g);
                const int64_t source = w * 64 + lane;
                u64 *row = states + now * (words + 1);
                make(row, rows + source * words, words, k, o, s, bits, lane, positions);
                row[0] = scattered(row, words);
                row[words] = key | (u64)source;
                __builtin_prefetch(slots + (row[0] >> shift), 1);
                if (++now - count == BATCH)
                    now = count = collect(states, count, now, words, slots, (int)slot_bits);
            }
        }
        count = collect(states, count, now, words, slots, (int)slot_bits);
    }
    *move = m;
    return count;
}

/* Divides collected states into sections by the upper `part_bits` bits of their first words: a section has all
 * first words of its states, then all second ones, and so on. The last are keys, unless `used` is not 0: then
 * the key, less that of the first state, is in the word before, from this bit on. limits: where sections begin
 * and end, in states. space: a number for each section. */
void kernel_divide(const u64 *states, int64_t count, int64_t words, int64_t part_bits, int64_t used,
                   int64_t *limits, int64_t *space, u64 *content) {
    const int64_t width = words + 1, columns = used ? words : width, parts = (int64_t)1 << part_bits;
    const int shift = 63 - (int)part_bits;
    const u64 least = count ? states[words] : 0;
    memset(limits, 0, (parts + 1) * sizeof(int64_t));
    for (int64_t i = 0; i < count; i++) limits[1 + (states[i * width] >> 1 >> shift)]++;
    for (int64_t p = 0; p < parts; p++) {
        space[p] = 0;
        limits[p + 1] += limits[p];
    }
    for (int64_t i = 0; i < count; i++) {
        const u64 *row = states + i * width;
        const u64 p = row[0] >> 1 >> shift;
        const int64_t size = limits[p + 1] - limits[p];
        u64 *to = content + limits[p] * columns + space[p]++;
        for (int64_t j = 0; j < columns; j++) to[j * size] = row[j];
        if (used) to[(columns - 1) * size] |= (row[words] - least) << used;
    }
}

static inline int before(const u64 *content, int64_t count, int64_t words, u64 h, int64_t i, u64 g, int64_t k) {
    if (h != g) return h < g;
    for (int64_t j = 1; j < words; j++) {
        const u64 a = content[j * count + i], b = content[j * count + k];
        if (a != b) return a < b;
    }
    return 0;
}

/* Finds different states among those in `content`, given as columns: their first words in ascending order, and
 * for each the place of its first one. Equal first words are in the order of the others. A slot is as in
 * kernel_collect; the order of slots is that of first words, which are spread from `low` on. Returns how many
 * states there are; -1 if there are not enough slots. */
int64_t kernel_distinct(const u64 *content, int64_t count, int64_t words, u64 low, int64_t shift, u64 *slots,
                        int64_t slot_count, u64 *firsts, int64_t *places) {
    memset(slots, 0xFF, slot_count * sizeof(u64));
    for (int64_t i = 0; i < count; i++) {
        if (i + 16 < count) __builtin_prefetch(slots + ((content[i + 16] - low) >> shift), 1);
        const u64 h = content[i], tag = h << PLACE_BITS;
        for (int64_t s = (int64_t)((h - low) >> shift);; s++) {
            if (s >= slot_count) return -1;
            const u64 v = slots[s];
            if (v == FREE) { slots[s] = tag | (u64)i; break; }
            if ((v ^ tag) >> PLACE_BITS) continue;
            const u64 *one = content + i, *other = content + (v & PLACE);
            u64 differs = 0;
            for (int64_t j = 0; j < words; j++) differs |= one[j * count] ^ other[j * count];
            if (!differs) break;
        }
    }
    int64_t found = 0;
    for (int64_t s = 0; s < slot_count; s++)
        if (slots[s] != FREE) places[found++] = (int64_t)(slots[s] & PLACE);
    for (int64_t i = 0; i < found; i++) {
        const int64_t place = places[i];
        const u64 h = content[place];
        int64_t k = i;
        for (; k && before(content, count, words, h, place, firsts[k - 1], places[k - 1]); k--) {
            firsts[k] = firsts[k - 1];
            places[k] = places[k - 1];
        }
        firsts[k] = h;
        places[k] = place;
    }
    return found;
}

/* Marks those of states, ascending, that are in a run, which ascends. They are given as columns, with so many
 * values from one column to the next; those of the run but the first begin at `others`. */
void kernel_contains(const u64 *states, int64_t count, int64_t words, const u64 *run, int64_t size,
                     const u64 *others, int64_t stride, uint8_t *known) {
    int64_t at = 0;
    for (int64_t i = 0; i < count && at < size; i++) {
        if (known[i]) continue;
        const u64 h = states[i];
        if (run[at] < h) {
            int64_t low = at, step = 1;
            while (low + step < size && run[low + step] < h) { low += step; step *= 2; }
            int64_t high = low + step < size ? low + step : size;
            while (high - low > 1) {
                const int64_t middle = low + (high - low) / 2;
                if (run[middle] < h) low = middle; else high = middle;
            }
            at = high;
        }
        for (int64_t k = at; k < size && run[k] == h; k++) {
            u64 differs = 0;
            for (int64_t j = 1; j < words; j++) differs |= others[(j - 1) * stride + k] ^ states[j * count + i];
            if (!differs) { known[i] = 1; break; }
        }
    }
}

/* Moves those values of each column to its beginning that are wanted. */
void kernel_keep(u64 *content, int64_t count, int64_t columns, const uint8_t *wanted) {
    for (int64_t j = 0; j < columns; j++) {
        u64 *column = content + j * count;
        int64_t k = 0;
        for (int64_t i = 0; i < count; i++) { column[k] = column[i]; k += wanted[i]; }
    }
}
