---- MODULE Lock ----
EXTENDS Naturals, FiniteSets
CONSTANT Node, Nil
VARIABLES holder, asked, sent, phase

TypeOK ==
    /\ holder \in Node \cup {Nil}
    /\ asked \in SUBSET Node
    /\ sent \in SUBSET ([type : {"grant"}, to : Node] \cup [type : {"free"}])
    /\ phase \in [Node -> {"idle", "busy", "done"}]

Init ==
    /\ holder = Nil
    /\ asked = {}
    /\ sent = {[type |-> "free"]}
    /\ phase = [n \in Node |-> "idle"]

Ask(n) ==
    /\ n \notin asked
    /\ IF phase[n] # "idle" THEN asked' = {} ELSE asked' = asked \cup {n}
    /\ UNCHANGED <<holder, sent, phase>>

Grant(n) ==
    /\ holder = Nil
    /\ n \in asked
    /\ [type |-> "free"] \in sent
    /\ holder' = n
    /\ sent' = (sent \ {[type |-> "free"]}) \cup {[type |-> "grant", to |-> n]}
    /\ asked' = {m \in asked : m # n}
    /\ UNCHANGED phase

Enter(n) ==
    /\ \E m \in sent : m.type = "grant" /\ m.to = n
    /\ phase[n] = "idle"
    /\ phase' = [phase EXCEPT ![n] = "busy"]
    /\ UNCHANGED <<holder, asked, sent>>

Leave(n) ==
    /\ phase[n] = "busy"
    /\ phase' = [phase EXCEPT ![n] = "done"]
    /\ UNCHANGED <<holder, asked, sent>>

Next == \E n \in Node : Ask(n) \/ Grant(n) \/ Enter(n) \/ Leave(n)

Mutex == \A m, n \in Node : phase[m] = "busy" /\ phase[n] = "busy" => m = n
OneHolder == \A n \in Node : [type |-> "grant", to |-> n] \in sent => holder = n
BusyHolds == \A n \in Node : phase[n] = "busy" => holder = n
Counted == Cardinality({n \in Node : phase[n] = "busy"}) <= 1 /\ asked \subseteq Node
====
