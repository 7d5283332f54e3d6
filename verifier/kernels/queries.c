/* Queries: the solver's search, with clauses of orbits that come only when a model violates them. */

static Solver *extend(Solver *s, u32 variables) {
    const u32 old = s->variables;
    s->variables = variables;
#define EXTEND(list, each) ((list) = grow((list), sizeof *(list) * (each) * variables))
    EXTEND(s->watches, 2); EXTEND(s->values, 2); EXTEND(s->phases, 1); EXTEND(s->seen, 1); EXTEND(s->occurs, 1);
    EXTEND(s->levels, 1); EXTEND(s->reasons, 1); EXTEND(s->trail, 1); EXTEND(s->scores, 1);
    EXTEND(s->heap, 1); EXTEND(s->places, 1);
    memset(s->watches + 2 * old, 0, sizeof *s->watches * 2 * (variables - old));
    memset(s->values + 2 * old, 0, 2 * (variables - old));
    for (u32 v = old; v < variables; v++) {
        s->phases[v] = 1; s->seen[v] = s->occurs[v] = 0; s->scores[v] = 0; s->levels[v] = 0;
        s->places[v] = NONE;
    }
    return s;
}

Solver *solver_new(u32 variables) {
    Solver *s = grow(0, sizeof *s);
    memset(s, 0, sizeof *s);
    s->step = 1; s->learnt_step = 1; s->most_learnt = 2000;
    return extend(s, variables + 1);
}

void solver_delete(Solver *s) {
    for (u32 l = 0; l < 2 * s->variables; l++) free(s->watches[l].items);
    free(s->clauses); free(s->watches); free(s->values); free(s->phases); free(s->seen); free(s->occurs);
    free(s->levels);
    free(s->reasons); free(s->trail); free(s->limits); free(s->scores); free(s->heap); free(s->places);
    free(s->learnt); free(s->built); free(s->cleared); free(s->core); free(s->support); free(s->stamps);
    free(s->roots); free(s);
}

/* A variable of a clause needs a value in each model. */
static void need(Solver *s, u32 v) {
    if (s->occurs[v]) return;
    s->occurs[v] = 1;
    if (!s->values[2 * v]) put(s, v);
}

/* How late a literal became false: later than any level if it is not. */
static u32 lateness(const Solver *s, u32 literal) {
    return s->values[literal] < 0 ? s->levels[literal >> 1] : NONE;
}

/* Adds a clause during a search, and goes back to where it has a literal that is not false. */
static void add_clause(Solver *s, u32 *l, u32 size, u32 note) {
    for (u32 i = 0; i < size; i++) need(s, l[i] >> 1);
    for (u32 i = 0; i < 2 && i < size; i++)
        for (u32 k = i + 1; k < size; k++)
            if (lateness(s, l[k]) > lateness(s, l[i])) { const u32 x = l[i]; l[i] = l[k]; l[k] = x; }
    if (size < 2) {
        cancel(s, 0);
        if (note) PUSH(s->roots, s->rooted, s->root_room, note - 1);
        if (!size || s->values[l[0]] < 0) s->refuted = 1;
        else if (!s->values[l[0]]) assign(s, l[0], NONE);
        return;
    }
    const u32 first = lateness(s, l[0]), second = lateness(s, l[1]);
    if (!first) { s->refuted = 1; return; }
    int implied = 0;
    if (first == second && first != NONE) cancel(s, first - 1);
    else if (second != NONE && !(s->values[l[0]] > 0 && s->levels[l[0] >> 1] <= second)) {
        cancel(s, second);
        implied = 1;
    }
    const u32 c = make_clause(s, l, size, 0, note);
    attach(s, c);
    if (implied) assign(s, l[0], c);
}

/* Clauses as literals, each ended by NONE. */
void solver_add(Solver *s, const u32 *clauses, u32 length) {
    u32 from = 0;
    cancel(s, 0);
    for (u32 at = 0; at < length; at++) {
        if (clauses[at] != NONE) continue;
        u32 size = 0;
        int satisfied = 0;
        s->build = 0;
        for (u32 i = from; i < at; i++) {
            u32 k = 0;
            while (k < size && s->built[k] != clauses[i]) k++;
            for (u32 j = 0; j < size; j++) satisfied |= s->built[j] == (clauses[i] ^ 1);
            if (k == size) { PUSH(s->built, s->build, s->build_room, clauses[i]); size = s->build; }
        }
        if (!satisfied) add_clause(s, s->built, size, 0);
        from = at + 1;
    }
}

/* Adds the clause of an orbit's representative. */
void solver_exclude(Solver *s, Orbits *o, u32 orbit) {
    u32 *literals = grow(0, sizeof(u32) * o->bits);
    cancel(s, 0);
    add_clause(s, literals, clause_of(o, o->orbits[orbit].first, literals), orbit + 1);
    free(literals);
}

/* Adds the clauses of the frame that the model violates. Returns their number. */
static u32 refine(Solver *s, Orbits *o, i32 frame) {
    memset(o->row, 0, sizeof(u64) * 4 * o->words);
    for (u32 v = 0; v < o->bits; v++) {
        const u32 literal = 2 * v + (s->values[2 * v] < 0);
        set_literal(o->row, o->words, literal);
        set_literal(o->row_classes, o->words, o->class_of[literal]);
    }
    const u32 count = find_containing(o, frame, NONE / 4);
    u32 *literals = grow(0, sizeof(u32) * o->bits);
    for (u32 i = 0; i < count && !s->refuted; i++)
        add_clause(s, literals, clause_of(o, o->found[2 * i + 1], literals), o->found[2 * i] + 1);
    free(literals);
    return count;
}

static _Thread_local const Solver *compared;  /* Python's other threads run meanwhile */
static int compare_activity(const void *one, const void *other) {
    const float a = *activity_of((Solver *)compared, *(const u32 *)one);
    const float b = *activity_of((Solver *)compared, *(const u32 *)other);
    return a < b ? -1 : a > b ? 1 : *(const u32 *)one < *(const u32 *)other ? -1 : 1;
}

/* Leaves out clauses that are satisfied, of subsumed orbits, or, if there are too many learnt ones, of little
 * use. Nothing may be decided. */
static void clean(Solver *s, const Orbits *o) {
    for (u32 i = 0; i < s->trailed; i++) s->reasons[s->trail[i] >> 1] = NONE;
    if (s->learnts > s->most_learnt) {
        compared = s;
        qsort(s->learnt, s->learnts, sizeof(u32), compare_activity);
        for (u32 i = 0; i < s->learnts / 2; i++)
            if (size_of(s, s->learnt[i]) > 2) s->clauses[s->learnt[i]] |= DEAD;
    }
    for (u32 l = 0; l < 2 * s->variables; l++) s->watches[l].count = 0;
    u32 to = 0;
    s->learnts = 0;
    for (u32 from = 0, next; from < s->used; from = next) {
        const u32 size = size_of(s, from), note = s->clauses[from + 1], flags = s->clauses[from];
        next = from + span_of(s, from);
        int gone = flags & DEAD || (!(flags & LEARNT) && note && o && o->orbits[note - 1].level < 0);
        for (u32 i = 0; i < size && !gone; i++) gone = s->values[literals_of(s, from)[i]] > 0;
        if (gone) continue;
        memmove(s->clauses + to, s->clauses + from, sizeof(u32) * (next - from));
        attach(s, to);
        if (flags & LEARNT) s->learnt[s->learnts++] = to;
        to = next - from + to;
    }
    s->used = to; s->wasted = 0;
}

static u64 luby(u64 i) {
    u64 size = 1, power = 1;
    while (size < i + 1) { size = 2 * size + 1; power *= 2; }
    while (size - 1 != i) { size = (size - 1) / 2; power /= 2; i %= size; }
    return power;
}

/* The next literal to decide: an assumption, or of a variable. NONE: all have values. `failed` becomes an
 * assumption that is false. */
static u32 choose(Solver *s, const u32 *assumptions, u32 count, u32 *failed) {
    while (s->depth < count) {
        const u32 literal = assumptions[s->depth];
        if (!s->values[literal]) return literal;
        if (s->values[literal] < 0) return *failed = literal;
        decide(s, NONE);
    }
    while (s->heaped) {
        const u32 v = take(s);
        if (!s->values[2 * v]) return 2 * v + s->phases[v];
    }
    return NONE;
}

/* 1: there is a model. 0: there is none, and `core` has assumptions that suffice. */
static int search(Solver *s, Orbits *o, i32 frame, const u32 *assumptions, u32 count) {
    u64 restarts = 0, left = 100;
    for (;;) {
        const u32 conflict = propagate(s);
        if (conflict != NONE) {
            if (!s->depth) { s->refuted = 1; s->cored = 0; return 0; }
            const u32 back = analyse(s, conflict);
            cancel(s, back);
            if (s->build == 1) { keep_roots(s); assign(s, s->built[0], NONE); }
            else {
                const u32 c = make_clause(s, s->built, s->build, LEARNT, 0);
                PUSH(s->learnt, s->learnts, s->learnt_room, c);
                attach(s, c); use(s, c); assign(s, s->built[0], c);
            }
            s->step /= 0.95; s->learnt_step /= 0.999f;
            if (left) left--;
            continue;
        }
        if (!left) { cancel(s, 0); left = 100 * luby(++restarts); continue; }
        u32 failed = NONE;
        const u32 next = choose(s, assumptions, count, &failed);
        if (failed != NONE) { find_core(s, failed); return 0; }
        if (next != NONE) decide(s, next);
        else if (!o || !refine(s, o, frame)) return 1;
        else if (s->refuted) { s->cored = 0; return 0; }
    }
}

/* Ends the clause of a query, and all that was learnt with it. */
static void end_query(Solver *s, u32 own, u32 first_learnt) {
    const u32 off = 2 * (s->variables - 1) + 1;  /* the negation of the last variable */
    cancel(s, 0);
    u32 kept = first_learnt;
    for (u32 i = s->learnts; i-- > first_learnt;) {
        const u32 c = s->learnt[i], *l = literals_of(s, c);
        for (u32 k = 0; k < size_of(s, c); k++)
            if (l[k] == off) { detach(s, c); break; }
    }
    for (u32 i = first_learnt; i < s->learnts; i++)
        if (!(s->clauses[s->learnt[i]] & DEAD)) s->learnt[kept++] = s->learnt[i];
    s->learnts = kept;
    if (own != NONE) detach(s, own);
    for (u32 i = 0; i < s->trailed; i++)
        if (s->trail[i] == off) {  /* nothing follows from it: it satisfies every clause that it is in */
            memmove(s->trail + i, s->trail + i + 1, sizeof(u32) * (--s->trailed - i));
            if (s->propagated > i) s->propagated--;
            if (s->seen_roots > i) s->seen_roots--;
            s->values[off] = s->values[off ^ 1] = 0;
            put(s, s->variables - 1);
            break;
        }
}

/* Adds a clause that ends with the query. Returns 0 if its literals are all false. */
static int add_own(Solver *s, const u32 *own, u32 size, u32 *clause) {
    u32 kept = 0, satisfied = 0, *literals = grow(0, sizeof(u32) * (size + 1));
    for (u32 i = 0; i < size; i++) {
        need(s, own[i] >> 1);
        satisfied |= s->values[own[i]] > 0;
        if (!s->values[own[i]]) literals[kept++] = own[i];
    }
    if (kept && !satisfied) {
        literals[kept++] = 2 * (s->variables - 1) + 1;
        attach(s, *clause = make_clause(s, literals, kept, OWN, 0));
    }
    free(literals);
    return kept || satisfied;
}

/* Whether the clauses, those of the frame, and one for this query, unless it is empty, have a model under the
 * assumptions. The model is left in `model`: for each literal 1, or -1. */
int solver_solve(Solver *s, Orbits *o, i32 frame, const u32 *own, u32 size, const u32 *assumptions, u32 count,
                 signed char *model) {
    u32 clause = NONE;
    s->cored = s->is_supported = 0;
    cancel(s, 0);
    if (!s->refuted && propagate(s) != NONE) s->refuted = 1;
    if (s->refuted) return 0;
    see_roots(s, s->trailed);
    for (u32 v = 0; o && v < o->bits; v++) need(s, v);  /* a model is compared with cubes by its state */
    s->limits = grow(s->limits, sizeof(u32) * (s->variables + count + 2));
    if (++s->queries % 1000 == 0 || s->wasted > s->used / 2 || s->learnts > s->most_learnt) clean(s, o);
    const u32 first_learnt = s->learnts;
    if (size && !add_own(s, own, size, &clause)) return 0;
    u32 *assumed = grow(0, sizeof(u32) * (count + 1));
    assumed[0] = 2 * (s->variables - 1);
    if (count) memcpy(assumed + 1, assumptions, sizeof(u32) * count);
    const int answer = search(s, o, frame, assumed, count + 1);
    if (answer) memcpy(model, s->values, 2 * (s->variables - 1));
    end_query(s, clause, first_learnt);
    free(assumed);
    return answer;
}

/* Copies the assumptions of the core, numbered from 1 on, negative ones negated. Returns their number. */
u32 solver_core(const Solver *s, i32 *core) {
    u32 count = 0;
    for (u32 i = 0; i < s->cored; i++) {
        const i32 variable = (s->core[i] >> 1) + 1;
        if (variable != (i32)s->variables) core[count++] = s->core[i] & 1 ? -variable : variable;
    }
    return count;
}

/* Notes that an orbit's clause holds after each step from where the support of the last answer holds. */
void orbits_keep_support(Orbits *o, u32 orbit, const Solver *s) {
    Orbit *own = o->orbits + orbit;
    own->supports = s->is_supported ? s->supported : NONE;
    if (!s->is_supported || !s->supported) return;
    own->support = grow(own->support, sizeof(u32) * s->supported);
    memcpy(own->support, s->support, sizeof(u32) * s->supported);
}

int64_t orbits_add_step(Orbits *o, const signed char *model, u32 stride, u32 frame) {
    return add_step(o, model, model + 2 * stride, frame);
}
