/* Blocked cubes with all their images, and known steps. Cubes and states are two rows of words: the bits that
 * are set, and those that are not. See verifier.engines.ic3. */

#define BLOCK 8  /* words of marks that are looked at together */

typedef struct {
    i32 level;                  /* the highest frame that excludes it; negative: another one subsumes it */
    u32 size, first, images;    /* the places of its images; the first represents it */
    u32 *support, supports;     /* the orbits that keep its clause, with itself; NONE if they are not known */
    u32 by;                     /* the orbit that subsumes it, if one does */
} Orbit;

typedef struct Orbits {
    u32 bits, words, permutations;
    u32 *moved, *class_of;      /* by permutation and literal the image; by literal the least image */
    Orbit *orbits; u32 count, room;
    u32 *living, lives, living_room;  /* the orbits that no other one subsumes, in order */
    u64 *classes;               /* for each orbit two rows: the classes of its literals */
    u64 *images; u32 imaged, image_room;
    u64 *row, *row_classes;     /* of the cube or state that is asked about */
    u32 *found, found_count, found_room;
    /* Steps, as columns: for each bit a row of marks, one for each step that is kept. */
    u32 marks;                  /* words of a row */
    u64 *before, *after, *begin; u32 frames;
    u64 number;                 /* of all steps so far; step n has place n modulo their most */
} Orbits;

static void set_literal(u64 *row, u32 words, u32 literal) {
    row[(literal & 1) * words + (literal >> 7)] |= (u64)1 << (literal >> 1 & 63);
}

static void describe(Orbits *o, const u32 *literals, u32 size) {
    memset(o->row, 0, sizeof(u64) * 4 * o->words);
    for (u32 i = 0; i < size; i++) {
        set_literal(o->row, o->words, literals[i]);
        set_literal(o->row_classes, o->words, o->class_of[literals[i]]);
    }
}

/* Whether all literals of one row are in another. */
static int is_within(const u64 *part, const u64 *row, u32 words) {
    for (u32 i = 0; i < 2 * words; i++)
        if (part[i] & ~row[i]) return 0;
    return 1;
}

static u64 *image_at(Orbits *o, u32 place) { return o->images + (size_t)place * 2 * o->words; }
static u64 *classes_at(Orbits *o, u32 orbit) { return o->classes + (size_t)orbit * 2 * o->words; }

/* Finds the images, excluded from the frame, that contain the described cube or state; at most `most`. */
static u32 find_containing(Orbits *o, i32 frame, u32 most) {
    o->found_count = 0;
    for (u32 k = 0; k < o->lives; k++) {
        const u32 i = o->living[k];
        const Orbit *orbit = o->orbits + i;
        if (orbit->level < frame || !is_within(classes_at(o, i), o->row_classes, o->words)) continue;
        for (u32 j = 0; j < orbit->images; j++)
            if (is_within(image_at(o, orbit->first + j), o->row, o->words)) {
                PUSH(o->found, o->found_count, o->found_room, i);
                PUSH(o->found, o->found_count, o->found_room, orbit->first + j);
                if (o->found_count == 2 * most) return most;
            }
    }
    return o->found_count / 2;
}

/* The literals of the clause that excludes an image. */
static u32 clause_of(Orbits *o, u32 image, u32 *literals) {
    const u64 *row = image_at(o, image);
    u32 size = 0;
    for (u32 i = 0; i < 2 * o->words; i++)
        for (u64 left = row[i]; left; left &= left - 1) {
            const u32 negated = i >= o->words, word = negated ? i - o->words : i;
            literals[size++] = (word * 64 + __builtin_ctzll(left)) * 2 + !negated;
        }
    return size;
}

Orbits *orbits_new(u32 bits, u32 permutations, const u32 *moved, const u32 *class_of, u32 marks) {
    Orbits *o = grow(0, sizeof *o);
    memset(o, 0, sizeof *o);
    o->bits = bits; o->words = (bits + 63) / 64; o->permutations = permutations; o->marks = marks;
    o->moved = grow(0, sizeof(u32) * 2 * bits * permutations);
    memcpy(o->moved, moved, sizeof(u32) * 2 * bits * permutations);
    o->class_of = grow(0, sizeof(u32) * 2 * bits);
    memcpy(o->class_of, class_of, sizeof(u32) * 2 * bits);
    o->row = grow(0, sizeof(u64) * 4 * o->words); o->row_classes = o->row + 2 * o->words;
    /* The last word may begin a block. */
    const size_t columns = sizeof(u64) * ((size_t)marks * bits + BLOCK);
    o->before = grow(0, columns); memset(o->before, 0, columns);
    o->after = grow(0, columns); memset(o->after, 0, columns);
    return o;
}

void orbits_delete(Orbits *o) {
    for (u32 i = 0; i < o->count; i++) free(o->orbits[i].support);
    free(o->moved); free(o->class_of); free(o->orbits); free(o->classes); free(o->images); free(o->row);
    free(o->living); free(o->found); free(o->before); free(o->after); free(o->begin); free(o);
}

/* Adds a cube with its images, each once. */
u32 orbits_add(Orbits *o, const u32 *cube, u32 size, i32 level) {
    Orbit orbit = {level, size, o->imaged, 0, 0, NONE, NONE};
    const u32 width = 2 * o->words;
    if (o->imaged + o->permutations > o->image_room) {
        o->image_room = 2 * o->image_room + o->permutations;
        o->images = grow(o->images, sizeof(u64) * width * o->image_room);
    }
    for (u32 p = 0; p < o->permutations; p++) {
        u64 *image = image_at(o, orbit.first + orbit.images);
        memset(image, 0, sizeof(u64) * width);
        for (u32 i = 0; i < size; i++) set_literal(image, o->words, o->moved[p * 2 * o->bits + cube[i]]);
        u32 j = 0;
        while (memcmp(image_at(o, orbit.first + j), image, sizeof(u64) * width)) j++;
        if (j == orbit.images) orbit.images++;
    }
    o->imaged += orbit.images;
    if (o->count == o->room) {
        o->room = o->room ? 2 * o->room : 64;
        o->orbits = grow(o->orbits, sizeof(Orbit) * o->room);
        o->classes = grow(o->classes, sizeof(u64) * width * o->room);
    }
    describe(o, cube, size);
    memcpy(classes_at(o, o->count), o->row_classes, sizeof(u64) * width);
    o->orbits[o->count] = orbit;
    PUSH(o->living, o->lives, o->living_room, o->count);
    return o->count++;
}

void orbits_set_level(Orbits *o, u32 orbit, i32 level) { o->orbits[orbit].level = level; }

/* Whether the frame has all clauses from which, with its own, an orbit's clause follows after each step. */
int orbits_is_supported(Orbits *o, u32 orbit, i32 frame) {
    const Orbit *own = o->orbits + orbit;
    if (own->supports == NONE) return 0;
    for (u32 i = 0; i < own->supports; i++) {
        u32 other = own->support[i];
        while (o->orbits[other].level < 0) other = o->orbits[other].by;
        if (o->orbits[other].level < frame) return 0;
    }
    return 1;
}

/* Whether an image of an orbit excludes what the representative of another one does, at its level or above. */
static int subsumes(Orbits *o, const Orbit *own, u32 orbit, u32 i) {
    const Orbit *other = o->orbits + i;
    if (i == orbit || other->level > own->level || other->size < own->size
        || !is_within(classes_at(o, orbit), classes_at(o, i), o->words)) return 0;
    for (u32 j = 0; j < own->images; j++)
        if (is_within(image_at(o, own->first + j), image_at(o, other->first), o->words)) return 1;
    return 0;
}

/* Drops the orbits, besides itself, of which an orbit subsumes the representative at their level or above it.
 * By symmetry its images then exclude all that their images exclude. */
u32 orbits_find_subsumed(Orbits *o, u32 orbit, u32 *places) {
    const Orbit *own = o->orbits + orbit;
    u32 count = 0, lives = 0;
    for (u32 k = 0; k < o->lives; k++) {
        const u32 i = o->living[k];
        if (subsumes(o, own, orbit, i)) {
            places[count++] = i;
            o->orbits[i].level = -1; o->orbits[i].by = orbit;
        } else o->living[lives++] = i;
    }
    o->lives = lives;
    return count;
}

u32 orbits_images(const Orbits *o, u32 orbit) { return o->orbits[orbit].images; }

int orbits_excludes(Orbits *o, const u32 *cube, u32 size, i32 level) {
    describe(o, cube, size);
    return find_containing(o, level, 1) > 0;
}

/* Known steps */

static u64 *begin_at(Orbits *o, u32 frame) { return o->begin + (size_t)frame * o->marks; }

/* Adds a frame, which all states are in. */
void orbits_open_frame(Orbits *o) {
    o->begin = grow(o->begin, sizeof(u64) * o->marks * (o->frames + 1));
    for (u32 i = 0; i < o->marks; i++) {
        const u64 first = (u64)i * 64;
        const u64 left = o->number > first ? o->number - first : 0;
        begin_at(o, o->frames)[i] = left >= 64 ? ~(u64)0 : ((u64)1 << left) - 1;
    }
    o->frames++;
}

/* Forgets the oldest step if there is no room. A state and its successor have a value for each bit. */
static u64 add_step(Orbits *o, const signed char *before, const signed char *after, u32 frame) {
    const u64 place = o->number % ((u64)o->marks * 64), mark = (u64)1 << (place & 63), word = place >> 6;
    for (u32 b = 0; b < o->bits; b++) {
        u64 *row = o->before + (size_t)b * o->marks + word, *next = o->after + (size_t)b * o->marks + word;
        *row = before[2 * b] > 0 ? *row | mark : *row & ~mark;
        *next = after[2 * b] > 0 ? *next | mark : *next & ~mark;
    }
    for (u32 f = 0; f < o->frames; f++) {
        u64 *row = begin_at(o, f) + word;
        *row = f >= frame ? *row | mark : *row & ~mark;
    }
    return o->number++;
}

/* Of the steps of BLOCK words, keeps those whose state is in an image of a cube. Returns 0 if none is. */
static int marks_within(const Orbits *o, const u64 *columns, u64 *among, u32 word,
                        const u32 *moved, const u32 *cube, u32 size) {
    u64 any = 0;
    for (u32 k = 0; k < BLOCK; k++) any |= among[k];
    for (u32 i = 0; i < size && any; i++) {
        const u32 literal = moved[cube[i]];
        const u64 *marks = columns + (size_t)(literal >> 1) * o->marks + word, flip = -(u64)(literal & 1);
        any = 0;
        for (u32 k = 0; k < BLOCK; k++) any |= among[k] &= marks[k] ^ flip;
    }
    return any != 0;
}

/* The words in use of the row of steps that begin in a frame, from `word` on; others are 0. */
static void begin_block(Orbits *o, u32 frame, u32 word, u32 known, u64 *block) {
    for (u32 k = 0; k < BLOCK; k++) block[k] = word + k < known ? begin_at(o, frame)[word + k] : 0;
}

/* Notes that no state of the first `images` images of a cube is in the frames from `first` to `last`. */
void orbits_leave(Orbits *o, const u32 *cube, u32 size, u32 first, u32 last) {
    const u64 known = o->number < (u64)o->marks * 64 ? (o->number + 63) / 64 : o->marks;
    for (u32 word = 0; word < known; word += BLOCK) {
        u64 outside[BLOCK], inside[BLOCK];
        begin_block(o, last, word, known, outside);  /* lower frames have no other states */
        for (u32 p = 0; p < o->permutations; p++) {
            memcpy(inside, outside, sizeof inside);
            if (!marks_within(o, o->before, inside, word, o->moved + p * 2 * o->bits, cube, size)) continue;
            for (u32 k = 0; k < BLOCK; k++) outside[k] &= ~inside[k];
            for (u32 f = first; f <= last; f++)
                for (u32 k = 0; k < BLOCK && word + k < known; k++) begin_at(o, f)[word + k] &= ~inside[k];
        }
    }
}

/* The number of a step from the frame, outside an image of the cube, into it; -1 if none is known. The first
 * `most` permutations are tried; `permutation` becomes the one that fits. */
int64_t orbits_known_step(Orbits *o, const u32 *cube, u32 size, u32 frame, u32 most, u32 *permutation) {
    const u64 room = (u64)o->marks * 64, known = o->number < room ? (o->number + 63) / 64 : o->marks;
    for (u32 p = 0; p < most && p < o->permutations; p++) {
        const u32 *moved = o->moved + p * 2 * o->bits;
        for (u32 word = (known + BLOCK - 1) / BLOCK * BLOCK; word > 0;) {
            u64 inside[BLOCK], stay[BLOCK];
            begin_block(o, frame, word -= BLOCK, known, inside);
            if (!marks_within(o, o->after, inside, word, moved, cube, size)) continue;
            memcpy(stay, inside, sizeof stay);
            marks_within(o, o->before, stay, word, moved, cube, size);
            for (u32 k = BLOCK; k-- > 0;) {
                const u64 found = inside[k] & ~stay[k];
                if (!found) continue;
                const u64 place = (u64)(word + k) * 64 + 63 - __builtin_clzll(found), newest = o->number - 1;
                *permutation = p;
                return newest - (newest % room + room - place) % room;
            }
        }
    }
    return -1;
}
