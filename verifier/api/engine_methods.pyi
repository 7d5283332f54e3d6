"""The engines as methods of a specification. Made by `make docs` from what each engine declares."""

from collections.abc import Sequence
from typing import Literal

from verifier.api.result import Result

class EngineMethods:
    def check(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        first: bool = False,
        deadlock: bool = False,
        by: Literal["auto", "interpreter", "translation"] = "auto",
        find_bugs: bool = False,
        seed: int = 0,
        keep_going: bool = False,
        explore: bool = False,
        coverage: bool = False,
        workers: int | None = None,
        memory: int | str | None = None,
    ) -> Result:
        """Decide every property, by all engines.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - first: End at the first violation. [default: each property gets its verdict]
        - deadlock: Look for a reachable state in which no action is enabled (NoDeadlock; exit code 13).
          [default: only for TLA+ modules, without --property, unless the configuration says
          CHECK_DEADLOCK FALSE]
        - by: TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the
          translation into formulas. auto chooses the one that seems faster. check runs both side by side.
        - find_bugs: Look for violations of invariants and step properties by bounded searches with
          several seeds, guided walks and exploration, without provers. Temporal properties are decided as
          usual. Give --timeout too.
        - seed: With --find-bugs: vary the searches.
        - keep_going: Continue after a violation even if a variable of the module seems unbounded.
        - explore: Explore beside the other engines. Exploration gives no certificate, so --certificate
          switches exploration off.
        - coverage: Count how often each formula of guards and properties was evaluated, and how often it
          was true. Formulas that were never true are listed first. Exploration then continues even if
          every property is decided; --timeout ends it.
        - workers: Divide large levels of the exploration among this many processes. [default: the number
          of cores, at most 8, if the interpreter explores a module; else 1]
        - memory: End at this much memory: 512MiB, 2GiB.
        """

    def bmc(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        first: bool = False,
        deadlock: bool = False,
        validate: float | str | None = None,
        by: Literal["auto", "interpreter", "translation"] = "auto",
        depth: int | None = None,
        steps: Literal["auto", "parallel", "serial"] = "auto",
        solver: Literal["z3", "cadical", "cvc5", "bitwuzla"] | None = None,
        symmetry: bool = True,
        shortest: bool = False,
        seed: int = 0,
        memory: int | str | None = None,
    ) -> Result:
        """Check properties in every execution up to a depth.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - first: End at the first violation. [default: each property gets its verdict]
        - deadlock: Look for a reachable state in which no action is enabled (NoDeadlock; exit code 13).
          [default: only for TLA+ modules, without --property, unless the configuration says
          CHECK_DEADLOCK FALSE]
        - validate: TLA+ modules: take this long to compare the translation with the interpreter.
          [default: 0.2 s, or 5 % of the run]
        - by: TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the
          translation into formulas. auto chooses the one that seems faster. check runs both side by side.
        - depth: The largest number of actions in an execution. [default: the spec's default_depth, or 10]
        - steps: serial takes one action in each step of the search, and closes a depth fast. parallel
          takes several, and finds violations fast. auto runs both, and explores while the states are few.
        - solver: The solver. [default: cadical]
        - symmetry: If executions differ only in the names of interchangeable elements, search one of
          them.
        - shortest: Find a counterexample with the fewest actions, and prove that none has fewer.
        - seed: Vary the search. Verdicts do not depend on it.
        - memory: End at this much memory: 512MiB, 2GiB.
        """

    def explore(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        first: bool = False,
        deadlock: bool = False,
        validate: float | str | None = None,
        by: Literal["auto", "interpreter", "translation"] = "auto",
        keep_going: bool = False,
        symmetry: bool | None = None,
        max_states: int | None = None,
        depth: int | None = None,
        workers: int | None = None,
        master: str | None = None,
        work: str | None = None,
        resume: bool = False,
        archive: str | None = None,
        conf: str | Sequence[str] = (),
        memory: int | str | None = None,
        kernels: Literal["auto", "off"] = "auto",
        coverage: bool = False,
    ) -> Result:
        """Look at every reachable state, without a solver.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - first: End at the first violation. [default: each property gets its verdict]
        - deadlock: Look for a reachable state in which no action is enabled (NoDeadlock; exit code 13).
          [default: only for TLA+ modules, without --property, unless the configuration says
          CHECK_DEADLOCK FALSE]
        - validate: TLA+ modules: take this long to compare the translation with the interpreter.
          [default: 0.2 s, or 5 % of the run]
        - by: TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the
          translation into formulas. auto chooses the one that seems faster. check runs both side by side.
        - keep_going: Count all states, even after every property has its verdict.
        - symmetry: Python protocols: count states as one if they differ only in the names of
          interchangeable elements. Off by default, because it changes the counts. TLA+ modules: --no-
          symmetry ignores the SYMMETRY of the configuration, which is used by default.
        - max_states: End when there are more states than this.
        - depth: The largest number of actions in an execution. [default: no limit]
        - workers: Divide large levels among this many processes. [default: 1]
        - master: Run large levels on Spark: local[2] is this machine; spark://HOST:PORT, k8s://... and
          yarn are clusters. Needs Java 17. For a Python protocol, every executor must see the --work
          folder.
        - work: Keep the states in this folder, for --resume. [default: a temporary folder]
        - resume: Continue from the last complete level in the --work folder.
        - archive: With --master: a packed environment with this package, for the executors.
        - conf: With --master: a setting of Spark; may be repeated.
        - memory: Stay within this much memory: 512MiB, 2GiB. States that do not fit go to files. With
          --master: the memory of each task. [default: most of the free memory; with --master, 1GiB]
        - kernels: auto uses a small library in C for long searches; the answer is the same. If there is a
          C compiler, verify compiles the library once, and keeps it in the user's cache folder.
        - coverage: Count how often each formula of guards and properties was evaluated, and how often it
          was true. Formulas that were never true are listed first.
        """

    def simulate(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        first: bool = False,
        deadlock: bool = False,
        by: Literal["auto", "interpreter", "translation"] = "auto",
        walks: int = 10000,
        depth: int = 100,
        seed: int = 0,
        guided: bool = False,
        coverage: bool = False,
        histogram: str | Sequence[str] = (),
        count_action: str | Sequence[str] = (),
    ) -> Result:
        """Run random executions and count.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - first: End at the first violation. [default: each property gets its verdict]
        - deadlock: Look for a reachable state in which no action is enabled (NoDeadlock; exit code 13).
          [default: only for TLA+ modules, without --property, unless the configuration says
          CHECK_DEADLOCK FALSE]
        - by: TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the
          translation into formulas. auto chooses the one that seems faster. check runs both side by side.
        - walks: The number of executions.
        - depth: The largest number of actions in an execution.
        - seed: Vary the executions. The same seed gives the same ones.
        - guided: Search for violations: prefer rare actions, restart from states with new values, and let
          a solver search a few steps beyond these states. The counts are then not a sample of all
          executions.
        - coverage: Count how often each formula of guards and properties was evaluated, and how often it
          was true. Formulas that were never true are listed first.
        - histogram: Count the values of an expression in the last state of each execution; may be
          repeated. The expression is Python over state variables, constants and the protocol's methods (s
          is the state), with + - * // % < <= == != & | ~ [ ], forall, exists, count, if_, minimum,
          maximum.
        - count_action: Count how often this action is taken in an execution; may be repeated.
        """

    def prove(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        first: bool = False,
        deadlock: bool = False,
        validate: float | str | None = None,
        by: Literal["auto", "interpreter", "translation"] = "auto",
        engine: Literal["auto", "ic3", "kind"] = "auto",
        solver: Literal["z3", "cadical", "cvc5", "bitwuzla"] | None = None,
        lemmas: bool = True,
        explore: bool = False,
        all_constants: bool = False,
        suggest: bool = False,
        keep_going: bool = False,
        memory: int | str | None = None,
    ) -> Result:
        """Prove properties for all depths, or find a violation.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - first: End at the first violation. [default: each property gets its verdict]
        - deadlock: Look for a reachable state in which no action is enabled (NoDeadlock; exit code 13).
          [default: only for TLA+ modules, without --property, unless the configuration says
          CHECK_DEADLOCK FALSE]
        - validate: TLA+ modules: take this long to compare the translation with the interpreter.
          [default: 0.2 s, or 5 % of the run]
        - by: TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the
          translation into formulas. auto chooses the one that seems faster. check runs both side by side.
        - engine: ic3 searches for an invariant. kind is k-induction. auto runs both, beside bounded model
          checking and exploration, and takes the first answer.
        - solver: The solver of k-induction and bounded model checking. IC3 uses MiniSat and, where there
          is a C compiler, a solver of its own. Another solver checks every proof. [default: cadical for
          k-induction, z3 for bounded model checking]
        - lemmas: Check the spec's lemmas first, and let IC3 use those that are inductive.
        - explore: Explore beside the provers. Exploration uses no solver and gives no certificate. So
          --solver and --certificate switch it off.
        - all_constants: Prove invariants for all values of the constants at once, with the spec's lemmas
          (docs/all-constants.md).
        - suggest: If --all-constants fails, search for lemmas at small constants, and print those that
          complete the proof. For a TLA+ module, the proof then includes them. For a Python protocol,
          paste them into the class, and run again.
        - keep_going: Continue after a violation even if a variable of the module seems unbounded.
        - memory: End at this much memory: 512MiB, 2GiB.
        """

    def induct(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        validate: float | str | None = None,
        lemmas: str | Sequence[str] = (),
        solver: Literal["z3", "cadical", "cvc5", "bitwuzla"] = "cadical",
        symmetry: bool = True,
        houdini: bool = False,
        minimise: bool = False,
        reachable: int | None = None,
        memory: int | str | None = None,
        seed: int = 0,
    ) -> Result:
        """Prove properties for all depths, by the spec's lemmas.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - validate: TLA+ modules: take this long to compare the translation with the interpreter.
          [default: 0.2 s, or 5 % of the run]
        - lemmas: TLA+ modules: use this operator as a lemma in proofs; may be repeated. Python protocols:
          of the declared lemmas, use only those named. [default: all that are declared]
        - solver: The solver.
        - symmetry: If instances of an action differ only in interchangeable elements, check one of them.
        - houdini: Drop lemmas until the rest is inductive, and say where each failed.
        - minimise: Drop every lemma that is not needed (implies --houdini).
        - reachable: Search for an execution of at most K actions that reaches the first state of the
          counterexample to induction.
        - memory: End at this much memory: 512MiB, 2GiB.
        - seed: Vary the search.
        """

    def live(
        self,
        *properties: str,
        expect: str | Sequence[str] = (),
        timeout: float | str | None = None,
        first: bool = False,
        validate: float | str | None = None,
        by: Literal["auto", "interpreter", "translation"] = "auto",
        fairness: str = "spec",
        engine: Literal["auto", "explicit", "bmc", "l2s", "ranking", "orbits"] = "auto",
        explore: bool = True,
        depth: int | None = None,
        solver: Literal["z3", "cadical", "cvc5", "bitwuzla"] | None = None,
        max_states: int | None = None,
        memory: int | str | None = None,
    ) -> Result:
        """Check temporal properties under fairness.

        Options:
        - expect: Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated,
          not_inductive or inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict
          on one property; ACTION=enabled expects that some state enables the action. May be repeated. If
          an expectation fails, the exit code is that of the verdict, or 14 if that would be 0. PROVED
          does not meet holds.
        - timeout: End after this time: 90, 90s, 2m, 1h.
        - first: End at the first violation. [default: each property gets its verdict]
        - validate: TLA+ modules: take this long to compare the translation with the interpreter.
          [default: 0.2 s, or 5 % of the run]
        - by: TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the
          translation into formulas. auto chooses the one that seems faster. check runs both side by side.
        - fairness: The fairness that executions have: spec (the spec's own), none (an execution may stop
          anywhere), or a variant that verify show lists.
        - engine: explicit explores every state. bmc searches for lassos. l2s reduces liveness to safety,
          and searches for a proof. ranking uses the ranking that a Python protocol declares
          (docs/liveness.md). orbits explores one state of each symmetry class of a Python protocol. auto
          runs all that apply, and takes the first answer.
        - explore: With --engine auto: also explore every state. Exploration gives no certificate, so
          --certificate switches exploration off.
        - depth: With --engine bmc: the largest number of states in a lasso. [default: the spec's
          default_depth, or 10]
        - solver: The solver of bounded search and k-induction.
        - max_states: End when there are more states than this.
        - memory: End at this much memory: 512MiB, 2GiB.
        """
