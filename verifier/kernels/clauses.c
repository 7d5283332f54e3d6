/* A solver of clauses for many small queries (CDCL, as MiniSat 2.2: Een and Sorensson 2003,
 * doi:10.1007/978-3-540-24605-3_37). A query has assumptions and one clause of its own, which ends with it.
 * Literals are 2v for a variable v from 0 on, and 2v+1 for its negation. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef int32_t i32;

#define NONE 0xFFFFFFFFu
enum { LEARNT = 1, DEAD = 2, OWN = 4, SHIFT = 3, HEAD = 2 };
#define PAIR 0x80000000u  /* in a watch: the clause has two literals, so that it need not be read */

/* Memory that cannot be had ends the process, and its parent sees that. */
static void *grow(void *old, size_t bytes) {
    void *made = realloc(old, bytes ? bytes : 1);
    if (!made) abort();
    return made;
}

#define PUSH(list, count, room, item) do { \
    if ((count) == (room)) (list) = grow((list), sizeof *(list) * ((room) = (room) ? 2 * (room) : 4)); \
    (list)[(count)++] = (item); } while (0)

typedef struct { u32 clause, blocker; } Watch;
typedef struct { Watch *items; u32 count, room; } Watches;

typedef struct Solver {
    u32 variables;                        /* the last one, `own`, switches the clause of a query on */
    u32 *clauses, used, room, wasted;     /* each: size and flags, orbit and 1 or activity, literals */
    Watches *watches;                     /* by literal: the clauses that watch its negation */
    signed char *values;                  /* by literal: 1 true, -1 false */
    signed char *phases, *seen, *occurs;  /* by variable; `occurs`: in a clause, so that it needs a value */
    u32 *levels, *reasons, *trail, trailed, propagated;
    u32 *limits, depth;                   /* the length of the trail where each decision begins */
    double *scores, step; float learnt_step;
    u32 *heap, *places, heaped;           /* variables by score; the place of each, or NONE */
    u32 *learnt, learnts, learnt_room, most_learnt;
    u32 *built, build, build_room, *cleared, clear, clear_room;
    u32 *core, cored, core_room;
    u32 *support, supported, support_room;  /* the orbits from whose clauses something follows */
    u32 *stamps, stamp, stamp_room;       /* by orbit: equal to `stamp` if it is in `support` */
    u32 *roots, rooted, root_room, seen_roots;  /* the orbits from which values before each decision follow */
    i32 is_supported;                     /* `support` is that of the last answer */
    u32 queries; i32 refuted;             /* refuted: the permanent clauses have no model */
} Solver;

/* Codes literals that are numbered from 1 on, negative ones negated. Returns 0 if a variable is unknown. */
int encode_literals(i32 *literals, u32 size, u32 variables) {
    for (u32 i = 0; i < size; i++) {
        const u32 variable = literals[i] < 0 ? -(u32)literals[i] : (u32)literals[i];
        if (!variable || variable > variables) return 0;
        literals[i] = 2 * variable - 2 + (literals[i] < 0);
    }
    return 1;
}

static u32 size_of(const Solver *s, u32 c) { return s->clauses[c] >> SHIFT; }
static u32 *literals_of(Solver *s, u32 c) { return s->clauses + c + HEAD; }
typedef float __attribute__((may_alias)) Activity;  /* kept where other words are */
static Activity *activity_of(Solver *s, u32 c) { return (Activity *)(s->clauses + c + 1); }
/* The orbits that a learnt clause follows from, after its literals: their number, and each. */
static u32 *sources_of(Solver *s, u32 c) { return literals_of(s, c) + size_of(s, c); }
static u32 span_of(Solver *s, u32 c) {
    return size_of(s, c) + HEAD + (s->clauses[c] & LEARNT ? 1 + *sources_of(s, c) : 0);
}

static void begin_support(Solver *s) { s->supported = 0; s->stamp++; }

static void depend_on_orbit(Solver *s, u32 orbit) {
    if (orbit >= s->stamp_room) {
        const u32 old = s->stamp_room;
        s->stamps = grow(s->stamps, sizeof(u32) * (s->stamp_room = 2 * orbit + 64));
        memset(s->stamps + old, 0, sizeof(u32) * (s->stamp_room - old));
    }
    if (s->stamps[orbit] == s->stamp) return;
    s->stamps[orbit] = s->stamp;
    PUSH(s->support, s->supported, s->support_room, orbit);
}

/* What is derived follows from this clause, too. */
static void depend(Solver *s, u32 c) {
    if (s->clauses[c] & LEARNT)
        for (u32 *source = sources_of(s, c), left = *source; left--;) depend_on_orbit(s, *++source);
    else if (s->clauses[c + 1]) depend_on_orbit(s, s->clauses[c + 1] - 1);
}

/* The values before each decision follow from the support, too. */
static void keep_roots(Solver *s) {
    for (u32 i = 0; i < s->supported; i++) PUSH(s->roots, s->rooted, s->root_room, s->support[i]);
}

/* Keeps the support of the first values on the trail, which no decision precedes. */
static void see_roots(Solver *s, u32 trailed) {
    begin_support(s);
    for (u32 i = 0; i < s->rooted; i++) depend_on_orbit(s, s->roots[i]);
    for (; s->seen_roots < trailed; s->seen_roots++) {
        const u32 c = s->reasons[s->trail[s->seen_roots] >> 1];
        if (c != NONE) depend(s, c);
    }
    s->rooted = 0;
    keep_roots(s);
}

/* The heap of variables without a value, the highest score first. */
static void sift_up(Solver *s, u32 at) {
    const u32 v = s->heap[at];
    for (u32 up; at && s->scores[s->heap[up = (at - 1) / 2]] < s->scores[v]; at = up)
        s->places[s->heap[at] = s->heap[up]] = at;
    s->places[s->heap[at] = v] = at;
}

static void sift_down(Solver *s, u32 at) {
    const u32 v = s->heap[at];
    for (u32 child; (child = 2 * at + 1) < s->heaped; at = child) {
        if (child + 1 < s->heaped && s->scores[s->heap[child + 1]] > s->scores[s->heap[child]]) child++;
        if (s->scores[s->heap[child]] <= s->scores[v]) break;
        s->places[s->heap[at] = s->heap[child]] = at;
    }
    s->places[s->heap[at] = v] = at;
}

static void put(Solver *s, u32 v) {
    if (s->places[v] != NONE) return;
    s->heap[s->places[v] = s->heaped++] = v;
    sift_up(s, s->places[v]);
}

static u32 take(Solver *s) {
    const u32 v = s->heap[0], last = s->heap[--s->heaped];
    s->places[v] = NONE;
    if (s->heaped) { s->places[s->heap[0] = last] = 0; sift_down(s, 0); }
    return v;
}

static void raise_score(Solver *s, u32 v) {
    if ((s->scores[v] += s->step) > 1e100) {
        for (u32 i = 0; i < s->variables; i++) s->scores[i] *= 1e-100;
        s->step *= 1e-100;
    }
    if (s->places[v] != NONE) sift_up(s, s->places[v]);
}

static void assign(Solver *s, u32 literal, u32 reason) {
    s->values[literal] = 1; s->values[literal ^ 1] = -1;
    s->levels[literal >> 1] = s->depth; s->reasons[literal >> 1] = reason;
    s->trail[s->trailed++] = literal;
}

static void decide(Solver *s, u32 literal) {
    s->limits[s->depth++] = s->trailed;
    if (literal != NONE) assign(s, literal, NONE);
}

static void cancel(Solver *s, u32 depth) {
    if (s->depth <= depth) return;
    const u32 limit = s->limits[depth];
    while (s->trailed > limit) {
        const u32 literal = s->trail[--s->trailed], v = literal >> 1;
        s->values[literal] = s->values[literal ^ 1] = 0;
        s->phases[v] = literal & 1;
        put(s, v);
    }
    s->propagated = limit; s->depth = depth;
}

static u32 make_clause(Solver *s, const u32 *literals, u32 size, u32 flags, u32 note) {
    const u32 sources = flags & LEARNT ? 1 + s->supported : 0, span = size + HEAD + sources;
    if ((u64)s->used + span > PAIR) abort();  /* a watch has no bit left for a place beyond 8 GiB */
    if (s->used + span > s->room) {
        const u64 wanted = (u64)2 * s->room + span;
        s->clauses = grow(s->clauses, sizeof(u32) * (s->room = wanted < PAIR ? wanted : PAIR));
    }
    const u32 c = s->used;
    s->clauses[c] = size << SHIFT | flags; s->clauses[c + 1] = note;
    memcpy(literals_of(s, c), literals, sizeof(u32) * size);
    if (sources) {
        *sources_of(s, c) = s->supported;
        if (s->supported) memcpy(sources_of(s, c) + 1, s->support, sizeof(u32) * s->supported);
    }
    s->used += span;
    return c;
}

static void attach(Solver *s, u32 c) {
    const u32 *l = literals_of(s, c);
    for (int i = 0; i < 2; i++) {
        Watches *w = s->watches + (l[i] ^ 1);
        PUSH(w->items, w->count, w->room, ((Watch){size_of(s, c) == 2 ? c | PAIR : c, l[1 - i]}));
    }
}

static void detach(Solver *s, u32 c) {
    const u32 *l = literals_of(s, c);
    for (int i = 0; i < 2; i++) {
        Watches *w = s->watches + (l[i] ^ 1);
        u32 at = w->count;  /* the newest are last */
        while ((w->items[--at].clause & ~PAIR) != c) {}
        memmove(w->items + at, w->items + at + 1, sizeof(Watch) * (--w->count - at));
    }
    s->clauses[c] |= DEAD; s->wasted += span_of(s, c);
}

/* Returns a clause that is false, or NONE. */
static u32 propagate(Solver *s) {
    const signed char *const values = s->values;
    u32 conflict = NONE;
    while (conflict == NONE && s->propagated < s->trailed) {
        const u32 literal = s->trail[s->propagated++], falsified = literal ^ 1;
        Watches *const own = s->watches + literal;
        Watch *from = own->items, *to = from, *const end = from + own->count;
        while (from < end) {
            const Watch w = *from++;
            const signed char blocker = values[w.blocker];
            if (blocker > 0) { *to++ = w; continue; }
            if (w.clause & PAIR) {
                *to++ = w;
                if (!blocker) { assign(s, w.blocker, w.clause & ~PAIR); continue; }
                conflict = w.clause & ~PAIR; s->propagated = s->trailed;
                while (from < end) *to++ = *from++;
                continue;
            }
            u32 *const l = s->clauses + w.clause + HEAD;
            const u32 size = size_of(s, w.clause), other = l[0] ^ l[1] ^ falsified;
            const Watch renewed = {w.clause, other};
            if (other != w.blocker && values[other] > 0) { *to++ = renewed; continue; }
            u32 k = 2;
            while (k < size && values[l[k]] < 0) k++;
            if (k < size) {
                l[0] = other; l[1] = l[k]; l[k] = falsified;
                Watches *const next = s->watches + (l[1] ^ 1);
                PUSH(next->items, next->count, next->room, renewed);
                continue;
            }
            *to++ = renewed;
            if (values[other] < 0) {
                conflict = w.clause; s->propagated = s->trailed;
                while (from < end) *to++ = *from++;
            } else assign(s, other, w.clause);
        }
        own->count = to - own->items;
    }
    return conflict;
}

static void use(Solver *s, u32 c) {
    if (!(s->clauses[c] & LEARNT)) return;
    if ((*activity_of(s, c) += s->learnt_step) > 1e20f) {
        for (u32 i = 0; i < s->learnts; i++) *activity_of(s, s->learnt[i]) *= 1e-20f;
        s->learnt_step *= 1e-20f;
    }
}

static int is_implied(Solver *s, u32 literal) {
    const u32 c = s->reasons[literal >> 1];
    if (c == NONE) return 0;
    const u32 *l = literals_of(s, c);
    for (u32 i = 0; i < size_of(s, c); i++)
        if (l[i] >> 1 != literal >> 1 && !s->seen[l[i] >> 1] && s->levels[l[i] >> 1]) return 0;
    depend(s, c);
    return 1;
}

/* Builds the clause of the first unique implication point, that literal first. Returns the level to go to. */
static u32 analyse(Solver *s, u32 conflict) {
    u32 open = 0, at = s->trailed, literal = NONE, kept = 1, back = 0;
    s->build = s->clear = 0;
    begin_support(s);
    PUSH(s->built, s->build, s->build_room, 0);
    do {
        use(s, conflict); depend(s, conflict);
        const u32 *l = literals_of(s, conflict), size = size_of(s, conflict);
        for (u32 i = 0; i < size; i++) {
            const u32 v = l[i] >> 1;
            if (l[i] == literal || s->seen[v] || !s->levels[v]) continue;
            s->seen[v] = 1; raise_score(s, v);
            PUSH(s->cleared, s->clear, s->clear_room, v);
            if (s->levels[v] >= s->depth) open++;
            else PUSH(s->built, s->build, s->build_room, l[i]);
        }
        while (!s->seen[s->trail[--at] >> 1]) {}
        literal = s->trail[at]; conflict = s->reasons[literal >> 1]; s->seen[literal >> 1] = 0;
    } while (--open);
    s->built[0] = literal ^ 1;
    for (u32 i = 1; i < s->build; i++)
        if (!is_implied(s, s->built[i])) s->built[kept++] = s->built[i];
    s->build = kept;
    for (u32 i = 1; i < kept; i++)
        if (s->levels[s->built[i] >> 1] > back) {
            const u32 l = s->built[i];
            back = s->levels[l >> 1]; s->built[i] = s->built[1]; s->built[1] = l;
        }
    while (s->clear) s->seen[s->cleared[--s->clear]] = 0;
    return back;
}

/* The assumptions that make a literal false, and the support. */
static void find_core(Solver *s, u32 literal) {
    s->cored = 0;
    see_roots(s, s->depth ? s->limits[0] : s->trailed);
    s->is_supported = 1;
    PUSH(s->core, s->cored, s->core_room, literal);
    if (!s->levels[literal >> 1]) return;
    s->seen[literal >> 1] = 1;
    for (u32 at = s->trailed; at > s->limits[0];) {
        const u32 l = s->trail[--at], v = l >> 1, c = s->reasons[v];
        if (!s->seen[v]) continue;
        s->seen[v] = 0;
        if (c == NONE) { if (l != literal) PUSH(s->core, s->cored, s->core_room, l); continue; }
        depend(s, c);
        for (u32 i = 0; i < size_of(s, c); i++)
            if (literals_of(s, c)[i] != l && s->levels[literals_of(s, c)[i] >> 1])
                s->seen[literals_of(s, c)[i] >> 1] = 1;
    }
}
