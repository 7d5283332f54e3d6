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
        memory: int | str | None = None,
    ) -> Result:
        """Decide every property, by all engines.

        Options:
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - first: End at the first violation. By default a run goes on until each property has its verdict.
        - deadlock: Also look for a reachable state in which no action is enabled (NoDeadlock; exit code
          13).
        - by: Of a TLA+ module, what answers: interpreter evaluates the module itself, as TLC does, and
          translates nothing; translation never falls back on it, and refuses what cannot be translated;
          auto takes what is faster, and the interpreter where translating is refused or takes long. What
          answered is said.
        - find_bugs: Spend everything on violations: bounded searches by parallel steps with several
          seeds, random walks and exploration, and no proofs. It goes on until each property is violated,
          or a limit; give --timeout.
        - seed: Of --find-bugs: vary the searches.
        - keep_going: Go on even where a property is violated and a variable of a module seems unbounded.
        - explore: Let exploration decide, too. That leaves no invariant, so --certificate does without
          it.
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
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - first: End at the first violation. By default a run goes on until each property has its verdict.
        - deadlock: Also look for a reachable state in which no action is enabled (NoDeadlock; exit code
          13).
        - validate: Of a TLA+ module: compare its translation with the interpreter for this long, on ever
          more states. [default: 0.2 s, or 5 % of the run]
        - by: Of a TLA+ module, what answers: interpreter evaluates the module itself, as TLC does, and
          translates nothing; translation never falls back on it, and refuses what cannot be translated;
          auto takes what is faster, and the interpreter where translating is refused or takes long. What
          answered is said.
        - depth: The most actions of an execution. [default: the spec's]
        - steps: Actions per step of the search. parallel finds violations fast, serial exhausts a depth
          fast, auto runs both side by side and, unless a solver is named, explores as long as the states
          are few.
        - solver: What solves. [default: cadical]
        - symmetry: Of executions that differ only in the names of interchangeable elements, look at one.
        - shortest: Go on to a counterexample with the fewest actions, proven fewest.
        - seed: Vary the search; verdicts do not depend on it.
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
        symmetry: bool = False,
        max_states: int | None = None,
        max_depth: int | None = None,
        workers: int | None = None,
        master: str | None = None,
        work: str | None = None,
        resume: bool = False,
        archive: str | None = None,
        conf: str | Sequence[str] = (),
        memory: int | str | None = None,
    ) -> Result:
        """Look at every reachable state, without a solver.

        Options:
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - first: End at the first violation. By default a run goes on until each property has its verdict.
        - deadlock: Also look for a reachable state in which no action is enabled (NoDeadlock; exit code
          13).
        - validate: Of a TLA+ module: compare its translation with the interpreter for this long, on ever
          more states. [default: 0.2 s, or 5 % of the run]
        - by: Of a TLA+ module, what answers: interpreter evaluates the module itself, as TLC does, and
          translates nothing; translation never falls back on it, and refuses what cannot be translated;
          auto takes what is faster, and the interpreter where translating is refused or takes long. What
          answered is said.
        - keep_going: Count all states, even when every property asked for is violated or reached before,
          or one is violated and a variable of a module seems unbounded.
        - symmetry: Of states that differ only in the names of interchangeable elements, look at one.
          Counts are then of such classes; how many states they have is said too.
        - max_states: End when there are more states than this.
        - max_depth: Look no further than this many actions.
        - workers: Divide large levels among this many processes. [default: one process does all]
        - master: Do large levels on Spark: local[2] is this machine, spark://HOST:PORT, k8s://..., yarn
          are clusters. Needs Java 17; every executor must see the folder of --work.
        - work: Where states go that memory or one process are too small for. It is kept, for --resume.
          [default: a temporary folder, which goes away]
        - resume: Go on from the last level that is whole in the folder of --work.
        - archive: With --master, a packed environment for the executors of a cluster, with this package
          in it.
        - conf: With --master, a setting of Spark; may be repeated.
        - memory: Keep within this much memory: 512MiB, 2GiB. States that do not fit go to files. With
          --master, of the process of each task [default: 1GiB]. [default: most of what the machine has
          free]
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
        histogram: str | Sequence[str] = (),
        count_action: str | Sequence[str] = (),
    ) -> Result:
        """Run random executions and count.

        Options:
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - first: End at the first violation. By default a run goes on until each property has its verdict.
        - deadlock: Also look for a reachable state in which no action is enabled (NoDeadlock; exit code
          13).
        - by: Of a TLA+ module, what answers: interpreter evaluates the module itself, as TLC does, and
          translates nothing; translation never falls back on it, and refuses what cannot be translated;
          auto takes what is faster, and the interpreter where translating is refused or takes long. What
          answered is said.
        - walks: How many executions.
        - depth: The most actions of one.
        - seed: Same seed, same executions.
        - histogram: Count the values of an expression in the last states; may be repeated. It is Python
          over variables of the state, constants, methods of the protocol (with s for the state), + - * //
          % < <= == != & | ~ [ ], forall, exists, count, if_, minimum, maximum.
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
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - first: End at the first violation. By default a run goes on until each property has its verdict.
        - deadlock: Also look for a reachable state in which no action is enabled (NoDeadlock; exit code
          13).
        - validate: Of a TLA+ module: compare its translation with the interpreter for this long, on ever
          more states. [default: 0.2 s, or 5 % of the run]
        - by: Of a TLA+ module, what answers: interpreter evaluates the module itself, as TLC does, and
          translates nothing; translation never falls back on it, and refuses what cannot be translated;
          auto takes what is faster, and the interpreter where translating is refused or takes long. What
          answered is said.
        - engine: ic3 finds an invariant of its own, kind is k-induction, auto runs both with bounded
          model checking, which finds violations, and with exploration, and takes the first answer.
        - solver: What solves k-induction and bounded model checking. [default: cadical, z3] IC3 uses
          MiniSat; every proof is checked again by another solver.
        - lemmas: Check the spec's lemmas first, and let IC3 search within those that are inductive;
          without them it finds the whole invariant by itself.
        - explore: Explore the states beside the provers: where they are few, to look at each twice is the
          fastest proof. It leaves no invariant, so --certificate does without it, and so does a --solver
          that is named.
        - all_constants: Prove for every value of the constants at once, by induction with the spec's
          lemmas (docs/all-constants.md).
        - suggest: Where a proof for all constants fails, lift what IC3 finds at small constants, and
          print those lemmas with which the proof goes through.
        - keep_going: Go on even where a property is violated and a variable of a module seems unbounded.
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
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - validate: Of a TLA+ module: compare its translation with the interpreter for this long, on ever
          more states. [default: 0.2 s, or 5 % of the run]
        - lemmas: A lemma to use; may be repeated. [default: all lemmas of the spec]
        - solver: What solves.
        - symmetry: Ask about one instance of an action for all that differ in interchangeable elements
          only.
        - houdini: Leave out lemmas until the rest is inductive, and say where each fell.
        - minimise: Leave out every lemma that is not needed (implies --houdini).
        - reachable: Look for an execution of at most K actions to the first state of a counterexample.
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
        engine: Literal["auto", "explicit", "bmc", "prove", "ranking", "orbits"] = "auto",
        explore: bool = True,
        depth: int | None = None,
        solver: Literal["z3", "cadical", "cvc5", "bitwuzla"] | None = None,
        max_states: int | None = None,
        memory: int | str | None = None,
    ) -> Result:
        """Check temporal properties under fairness.

        Options:
        - expect: The verdict that counts as success (exit code 0): holds, proved, reached, violated,
          not_inductive or inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks
          of one property, which is checked along; ACTION=enabled demands that an action was enabled in a
          state searched. May be repeated. Any other verdict gives its own exit code, and 14 where that
          would be 0.
        - timeout: End after this time, building and all: 90, 90s, 2m, 1h.
        - first: End at the first violation. By default a run goes on until each property has its verdict.
        - validate: Of a TLA+ module: compare its translation with the interpreter for this long, on ever
          more states. [default: 0.2 s, or 5 % of the run]
        - by: Of a TLA+ module, what answers: interpreter evaluates the module itself, as TLC does, and
          translates nothing; translation never falls back on it, and refuses what cannot be translated;
          auto takes what is faster, and the interpreter where translating is refused or takes long. What
          answered is said.
        - fairness: What every execution does sooner or later: spec is what the protocol states, none lets
          an execution stop anywhere, another name is a variant of the protocol (verify show lists them).
        - engine: explicit looks at every reachable state, bmc searches lassos of at most DEPTH states,
          prove proves that there is none, or finds one, ranking proves it by the ranking that the
          protocol declares, orbits looks at states up to symmetry, which decides where executions can
          only come to an end, and auto runs all that apply side by side and takes the first answer.
        - explore: Let --engine auto look at every state, too. That leaves no invariant, so --certificate
          does without it.
        - depth: Of --engine bmc: the most states of a lasso. [default: the spec's]
        - solver: What solves bounded search and k-induction.
        - max_states: Explore no more states than this.
        - memory: End at this much memory: 512MiB, 2GiB.
        """
