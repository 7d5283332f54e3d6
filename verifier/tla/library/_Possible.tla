---- MODULE _Possible ----
(* What TLC counts for _POSSIBLE of a configuration, by the names of TLC's own module. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Naturals

_Counts == TLCGetOrDefault("s:_possible", <<>>)

_Track(expr, name) ==
    LET known == IF name \in DOMAIN _Counts THEN _Counts[name] ELSE 0
    IN TLCSet("s:_possible", (name :> (IF expr THEN known + 1 ELSE known)) @@ _Counts)

_CheckName(name) ==
    (IF name \in DOMAIN _Counts THEN _Counts[name] = 0 ELSE TRUE) => (PrintT(_Counts) /\ FALSE)

_PrintCounts == PrintT(_Counts)
====
