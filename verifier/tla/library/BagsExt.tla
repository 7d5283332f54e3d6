------------------------------- MODULE BagsExt -------------------------------
\* Operators on bags. The names are those of the Community Modules.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds
LOCAL INSTANCE _FiniteSetsExt
BagAdd(B, x) == [e \in DOMAIN B \cup {x} |->
    IF e = x THEN (IF x \in DOMAIN B THEN B[x] ELSE 0) + 1 ELSE B[e]]
BagRemove(B, x) ==
    IF x \notin DOMAIN B THEN B
    ELSE IF B[x] = 1 THEN [e \in DOMAIN B \ {x} |-> B[e]]
    ELSE [B EXCEPT ![x] = @ - 1]
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
MapThenFoldBag(op(_,_), base, f(_), choose(_), B) ==
    LET RECURSIVE times(_, _)
        times(n, x) == op(IF n = 1 THEN base ELSE times(n - 1, x), f(x))
    IN  MapThenFoldSet(op, base, LAMBDA x : times(B[x], x), LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)
\* What is folded comes first, the element second, as TLC has it: they need not be of one kind.
FoldBag(op(_,_), base, B) ==
    LET RECURSIVE often(_, _, _)
        often(n, x, made) == IF n = 0 THEN made ELSE often(n - 1, x, op(made, x))
    IN  FoldSet(LAMBDA x, made : often(B[x], x, made), base, DOMAIN B)
SumBag(B) == FoldBag(+, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
==============================================================================
