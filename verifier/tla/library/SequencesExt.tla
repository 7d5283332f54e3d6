---------------------------- MODULE SequencesExt ----------------------------
\* Operators on sequences. The names are those of the Community Modules.
EXTENDS _SequencesExt, Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC
ToSet(s) == {s[i] : i \in DOMAIN s}
ToBag(s) == [x \in Range(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]
SetToSortSeq(S, op(_,_)) == SortSeq(SetToSeq(S), op)
SetToAllKPermutations(S) == UNION {SetToSeqs(s) : s \in SUBSET S}
TupleOf(set, n) == [1..n -> set]
SeqOf(set, n) == UNION {[1..m -> set] : m \in 0..n}
Contains(s, e) == \E i \in 1..Len(s) : s[i] = e
IsSorted(s, op(_,_)) == \A i, j \in 1..Len(s) : i < j => op(s[i], s[j])
Remove(s, e) == SelectSeq(s, LAMBDA t : t # e)
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]
SelectInSeq(seq, Test(_)) ==
    LET I == {i \in 1..Len(seq) : Test(seq[i])} IN IF I = {} THEN 0 ELSE Min(I)
\* TLC counts places from the beginning of the whole sequence.
SelectInSubSeq(seq, from, to, Test(_)) ==
    LET I == {i \in from..to : Test(seq[i])} IN IF I = {} THEN 0 ELSE Min(I)
SelectLastInSeq(seq, Test(_)) ==
    LET I == {i \in 1..Len(seq) : Test(seq[i])} IN IF I = {} THEN 0 ELSE Max(I)
SelectLastInSubSeq(seq, from, to, Test(_)) ==
    LET I == {i \in from..to : Test(seq[i])} IN IF I = {} THEN 0 ELSE Max(I)
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirst(s, e) == IF Contains(s, e) THEN RemoveAt(s, SelectInSeq(s, LAMBDA v : v = e)) ELSE s
RemoveFirstMatch(s, Test(_)) ==
    LET i == SelectInSeq(s, Test) IN IF i = 0 THEN s ELSE RemoveAt(s, i)
Cons(elt, seq) == <<elt>> \o seq
Snoc(elt, seq) == Append(seq, elt)
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]
IsPrefix(s, t) == Len(s) <= Len(t) /\ SubSeq(s, 1, Len(s)) = SubSeq(t, 1, Len(s))
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == IsPrefix(Reverse(s), Reverse(t))
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, l) : l \in 0..Len(s)}
CommonPrefixes(S) == {p \in UNION {Prefixes(s) : s \in S} : \A t \in S : IsPrefix(p, t)}
LongestCommonPrefix(S) ==
    LET all == CommonPrefixes(S) IN CHOOSE p \in all : \A q \in all : Len(q) <= Len(p)
Suffixes(s) == {SubSeq(s, l, Len(s)) : l \in 1..Len(s)} \cup {<<>>}
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b
FoldSeq(op(_,_), base, seq) == FoldFunction(op, base, seq)
FoldLeftDomain(op(_,_), base, seq) == FoldLeft(op, base, [i \in DOMAIN seq |-> i])
FoldRightDomain(op(_,_), seq, base) == FoldRight(op, [i \in DOMAIN seq |-> i], base)
FlattenSeq(seqs) == FoldLeft(LAMBDA done, s : done \o s, <<>>, seqs)
Zip(s, t) ==
    [i \in 1..(IF Len(s) <= Len(t) THEN Len(s) ELSE Len(t)) |-> <<s[i], t[i]>>]
SubSeqs(s) == {SubSeq(s, i + 1, j) : i, j \in 0..Len(s)}
AllSubSeqs(s) == {FoldLeft(LAMBDA done, i : Append(done, s[i]), <<>>, SetToSortSeq(D, <)) : D \in SUBSET DOMAIN s}
IndexFirstSubSeq(s, t) ==
    Min({i \in 1..(Len(t) - Len(s) + 1) : SubSeq(t, i, i + Len(s) - 1) = s})
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
ReplaceFirstSubSeq(r, s, t) ==
    IF s \in SubSeqs(t) THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t) ELSE t
Interleave(s, t) ==
    CASE Len(s) = Len(t) /\ Len(s) > 0 -> FlattenSeq([i \in 1..Len(s) |-> << <<s[i]>>, <<t[i]>> >>])
      [] Len(s) = Len(t) /\ Len(s) = 0 -> << <<>>, <<>> >>
ReplaceAllSubSeqs(r, s, t) ==
    LET RECURSIVE from(_)
        from(i) ==
            CASE i > Len(t) -> <<>>
              [] i <= Len(t) /\ Len(s) = 0 -> r \o <<t[i]>> \o from(i + 1)
              [] i <= Len(t) /\ Len(s) > 0 ->
                    IF i + Len(s) - 1 <= Len(t) /\ SubSeq(t, i, i + Len(s) - 1) = s
                    THEN r \o from(i + Len(s)) ELSE <<t[i]>> \o from(i + 1)
    IN  CASE s = t -> r [] s # t /\ r = s -> t [] OTHER -> from(1)
=============================================================================
