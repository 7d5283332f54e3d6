---- MODULE ReplicatedLogTrace ----
(* What docs/examples/replicated_log/log.toml says, as a trace module for TLC. *)
EXTENDS ReplicatedLog, TLC, Json, IOUtils

VARIABLE l

Log == ndJsonDeserialize(IOEnv.LOG)
Event == Log[l]
Is(name) == l <= Len(Log) /\ Event.event = name /\ l' = l + 1
(* A field that an event lacks is open. *)
Agrees(field, value) == field \in DOMAIN Event => Event[field] = value

TraceInit == Init /\ l = 1

TraceNext ==
    \/ Is("write") /\ \E v \in Values : Agrees("value", v) /\ Write(v)
    \/ /\ Is("replicated")
       /\ \E f \in Followers : Agrees("follower", f) /\ Replicate(f) /\ Agrees("copy", copies'[f])
    \/ Is("timeout") /\ \E f \in Followers : Agrees("follower", f) /\ LoseAck(f)
    \/ Is("commit") /\ Commit /\ Agrees("commit", commit')

Whole == TLCGet("stats").diameter - 1 = Len(Log)
====
