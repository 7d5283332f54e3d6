"""Mistakes in a protocol: the wrong text for a part of it, and the expected message."""

from __future__ import annotations

SPEC = '''
"""A lock."""
from verifier import *

class Lock(Protocol):
    """Clients take turns holding one lock."""
    name = "lock"
    clients = IndexSetConstant(3)
    most = IntegerConstant(2, minimum=1, maximum=4)
    mode = ChoiceConstant("fair", choices=("fair", "free"))

    def assumptions(self):
        return [(self.most < 4, "most < 4")]

    def state(self):
        return State(
            holder=Option(self.clients),
            asked=Set(self.clients),
            count=Range(0, self.most),
            phase=Enum("phase", ("idle", "busy")),
            last=Record(who=Option(self.clients), at=Range(0, 3)),
        )

    def init(self, s):
        return s.holder.is_none & s.asked.is_empty & (s.count == 0) & (s.phase == "idle") & arbitrary(s.last)

    @action(client="clients")
    def ask(self, s, client):
        return Step(
            when=[~s.asked.contains(client), s.holder != client],
            then={s.asked: s.asked.add(client)},
        )

    @action(client="clients")
    def grant(self, s, client):
        return Step(
            when=[s.holder.is_none, s.asked.contains(client)],
            then={s.holder: client, s.asked: s.asked.remove(client), s.phase: "busy"},
        )

    @action()
    def release(self, s):
        return Step(when=[s.holder != None], then={s.holder: None, s.phase: "idle"})

    @invariant()
    def holder_waits_no_more(self, s):
        return forall(self.clients, lambda c: (s.holder == c).implies(~s.asked.contains(c)))
'''

INIT = SPEC[SPEC.index("    def init") : SPEC.index("    @action(client")]
STATE = SPEC[SPEC.index("    def state") : SPEC.index("    def init")]
ASK, RELEASE = 'clients")\n    def ask(self, s, client)', "def release(self, s)"
STEP = SPEC[SPEC.index("return Step(when=[s.holder != None]") : SPEC.index("\n\n    @invariant")]
CLAIM, FORMULA = "def holder_waits_no_more(self, s)", SPEC[SPEC.index("return forall(") :].strip()
CLASS, COUNT = "class Lock(Protocol)", "Range(0, self.most)"
MOST, CHOICES, NAME = "minimum=1, maximum=4", 'choices=("fair", "free")', 'name = "lock"'

Change = tuple[str, str]
"""A part of the protocol, and the wrong text in its place."""


def claims(formula: str) -> Change:
    return FORMULA, formula


def steps(when: str, then: str) -> Change:
    return STEP, f"return Step(when={when}, then={then})"


MISTAKES: list[tuple[tuple[Change, ...], str, str]] = [
    # The class and its methods.
    (
        ((INIT, ""),),
        "class Lock",
        "lock has no init: define init(self, s), the formula of the initial states",
    ),
    (((STATE, ""),), "class Lock", "lock has no state: define state(self), which returns State(…)"),
    ((("def init(", "def initial("),), "class Lock", "did you mean init by 'initial'?"),
    ((("def init(self, s)", "def init(self)"),), "def init", "init takes (self, s), not (self)"),
    ((("def state(self)", "def state(self, s)"),), "def state", "state takes (self), not (self, s)"),
    (((RELEASE, "def release(self)"),), "def release", "action release takes (self, s), not (self)"),
    (
        ((CLAIM, CLAIM.replace("s)", "s, c)")),),
        "def holder_",
        "property holder_waits_no_more takes (self, s), not (self, s, c)",
    ),
    (((NAME, "name = 3"),), "name = 3", "name is a word, as in name = 'lock', not 3"),
    (
        ((NAME, 'next = ("ask", "grnt")'),),
        "next =",
        "which is not an action (allowed: ask, grant, release); did you mean 'grant'?",
    ),
    (
        ((NAME, 'next = "ask"'),),
        "next =",
        "next is a tuple of the names of actions in quotes, as in ('ask', 'grant'), not 'ask'",
    ),
    (
        ((NAME, 'lanes = "client"'),),
        "lanes =",
        "'client' (allowed: clients); did you mean 'clients'?",
    ),
    (((NAME, "default_depth = -3"),), "default_depth", "default_depth is an integer, at least 0, not -3"),
    # Marks, and the parameters of actions.
    (
        (("@invariant()", '@invariant("Title")'),),
        "@invariant",
        "@invariant marks a method, not 'Title': another title is given as name='Title'",
    ),
    (
        (("@invariant()", '@invariant(nam="Title")'),),
        "@invariant",
        "@invariant(…) takes no nam=: it takes default= and name=",
    ),
    (
        (("@invariant()", "@invariant(name=3)"),),
        "def holder_",
        "the name of property holder_waits_no_more is a word in quotes, not 3",
    ),
    (
        (("@invariant()", "@invariant()\n    @reachable()"),),
        "@invariant",
        "@invariant stands above another mark: a method has one",
    ),
    (
        ((ASK, 'clients")\n    def ask(self, s)'),),
        "def ask",
        "the mark gives 'client' a domain, but the method has no such parameter",
    ),
    (
        ((ASK, 'clients")\n    def ask(self, s, clint)'),),
        "def ask",
        "the parameter 'clint' has no domain (allowed: client); did you mean 'client'?",
    ),
    (
        ((RELEASE, "def release(self, s, client)"),),
        "def release",
        "the parameter 'client' has no domain: write @action(client='…')",
    ),
    (
        ((ASK, ASK.replace("clients", "cleints")),),
        "def ask",
        "'cleints' of client is not a sort of the protocol (allowed: clients); did you mean 'clients'?",
    ),
    (
        (('client="' + ASK, "client=clients)\n    def ask(self, s, client)"),),
        "def ask",
        "the name of an attribute in quotes, as in client='nodes', not the constant itself",
    ),
    (
        ((FORMULA, "return self.holder_waits_no_more(s)"),),
        "return self.holder_",
        "a method calls itself, directly or through others, without end",
    ),
    # Variables and sorts.
    (((COUNT, "5"),), "return State(", "the state variable count needs a sort, as Range(0, 3), not 5"),
    (((COUNT, "Range"),), "return State(", "not the class Range without its arguments: write Range(…)"),
    (((COUNT, "bool"),), "return State(", "not Python's bool: write Boolean()"),
    (
        ((COUNT, "Lock.most"),),
        "return State(",
        "not the declaration of a constant: write self. before its name",
    ),
    (
        (("return State(", "return State({},"),),
        "return State(",
        "State(…) has too many arguments, or some without their name: it takes variables, as in",
    ),
    ((("return State(", "State("),), "def state", "state of lock returns no State(…)"),
    ((("at=Range(0, 3)", "at=3"),), "at=3", "the field at of a Record is a sort, as Range(0, 3), not 3"),
    (((COUNT, "Range(0, '3')"),), "Range(0, '3')", "the upper bound of a Range is an integer, not '3'"),
    (((COUNT, "Range(3)"),), "Range(3)", "Range(…) lacks high"),
    (
        ((COUNT, "Sequence(Range(0, 1), self.clients)"),),
        "Sequence(",
        "the capacity of a Sequence is an integer, not IndexSet(",
    ),
    (
        (("asked=Set(self.clients)", "asked=Set('clients')"),),
        "asked=Set(",
        "the element of a Set is a sort, as Range(0, 3), not 'clients'",
    ),
    (
        (('("idle", "busy")', '"idle", "busy"'),),
        "Enum(",
        "Enum(…) has too many arguments, or some without their name: it takes name, members",
    ),
    (
        (('"phase", ("idle", "busy")', '"idle", "busy"'),),
        "Enum(",
        "so Enum('idle', 'busy') is not allowed: write Enum('name', ('idle', 'busy'))",
    ),
    (
        (("return State(", "self.most = 3\n        return State("),),
        "self.most = 3",
        "the constant most is set from outside, not by self.most = …",
    ),
    # Constants and assumptions.
    (
        ((f"2, {MOST}", f"7, {MOST}"),),
        "most =",
        "the default 7 of the constant most is not allowed: most is an integer from 1 to 4",
    ),
    (
        ((MOST, "minimun=1"),),
        "most =",
        "takes no minimun= (allowed: default, description, minimum, maximum); did you mean 'minimum'?",
    ),
    (((f"2, {MOST}", ""),), "most =", "IntegerConstant(…) lacks default"),
    (
        (('"fair", ch', '"fairr", ch'),),
        "mode =",
        "the default 'fairr' of the constant mode is not allowed: mode is fair or free",
    ),
    (
        ((CHOICES, 'choices="fair"'),),
        "mode =",
        "a ChoiceConstant has choices=('one', 'other'), not choices='fair'",
    ),
    (
        (('return [(self.most < 4, "most < 4")]', "return self.most < 4"),),
        "def assumptions",
        "returns a list of pairs, as in [(self.first <= self.last, 'first <= last')], not True",
    ),
    (
        (('return [(self.most < 4, "most < 4")]', "return [self.most < 4]"),),
        "def assumptions",
        "an assumption of lock is True or False, and its words",
    ),
    (
        (("self.most < 4", "self.most < 2"),),
        "def assumptions",
        "lock assumes most < 4; its defaults are clients=3, most=2, mode=fair",
    ),
    (
        (("self.most < 4", "self.mst < 4"),),
        "self.mst",
        "the protocol has no 'mst' (allowed: clients, most, mode); did you mean 'most'?",
    ),
    # Formulas.
    (
        (("return s.holder.is_none &", "s.holder.is_none &"),),
        "def init",
        "init is None, not a formula: is a return missing?",
    ),
    (
        (("return s.holder.is_none &", "return [s.holder.is_none] and [s.asked.is_empty],"),),
        "def init",
        "init does not mention s.holder: give a value",
    ),
    (
        (claims(FORMULA.removeprefix("return ")),),
        "def holder_",
        "property holder_waits_no_more is None, not a formula: is a return missing?",
    ),
    (
        (claims("return s.hodler == None"),),
        "return s.hodler == None",
        "state variable 'hodler' (allowed: holder, asked, count, phase, last); did you mean 'holder'?",
    ),
    (
        (claims("return forall(self.clients, lambda c: s.hodler == c)"),),
        "return forall(self.clients, lambda c: s.hodler == c)",
        "unknown state variable 'hodler'",
    ),
    (
        (claims("return s.last.hwo == None"),),
        "return s.last.hwo == None",
        "the record has no field 'hwo' (allowed: who, at); did you mean 'who'?",
    ),
    (
        (claims("return s.holder.is_nonee"),),
        "return s.holder.is_nonee",
        "an option has no 'is_nonee' (allowed: is_none, is_some, value); did you mean 'is_none'?",
    ),
    (
        (claims("return s.asked.contain(s.holder)"),),
        "return s.asked.contain(s.holder)",
        "a set has no 'contain'",
    ),
    (
        (claims("return forall(self.client, lambda c: s.holder == c)"),),
        "return forall(self.client, lambda c: s.holder == c)",
        "the protocol has no 'client' (allowed: clients, most, mode); did you mean 'clients'?",
    ),
    (
        (claims("return foral(self.clients, lambda c: s.holder == c)"),),
        "return foral(self.clients, lambda c: s.holder == c)",
        "the name 'foral' is not known; did you mean 'forall'?",
    ),
    (
        (claims("return forall(self.clients, lambda: s.count == 0)"),),
        "return forall(self.clients, lambda: s.count == 0)",
        "the function of a quantifier has a parameter for each domain, here 1: it has none",
    ),
    (
        (claims("return forall(self.clients, self.clients, lambda c: s.count == 0)"),),
        "return forall(self.clients, self.clients, lambda c: s.count == 0)",
        "a parameter for each domain, here 2: it has c",
    ),
    (
        (claims("return image(self.clients, lambda a, b: a).is_empty"),),
        "return image(self.clients, lambda a, b: a).is_empty",
        "a parameter for each domain, here 1: it has a, b",
    ),
    (
        (claims("return forall(self.clients, s.count == 0)"),),
        "return forall(self.clients, s.count == 0)",
        "a quantifier takes a function after its domains, as lambda n: …, not a value of BOOLEAN",
    ),
    (
        (claims("return forall(lambda c: s.count == 0)"),),
        "return forall(lambda c: s.count == 0)",
        "a quantifier takes domains, and then a function",
    ),
    (
        (claims("return s.phase == 'bussy'"),),
        "return s.phase == 'bussy'",
        "'bussy' is not a value of phase (allowed: idle, busy); did you mean 'busy'?",
    ),
    (
        (claims("return s.holder == 'c7'"),),
        "return s.holder == 'c7'",
        "'c7' is not a value of client(3) (allowed: c1, c2, c3)",
    ),
    (
        (claims("return s.holder == some(3)"),),
        "return s.holder == some(3)",
        "some(…) takes a value of the state, not 3",
    ),
    (
        (claims("return s.holder == some(s.count)"),),
        "return s.holder == some(s.count)",
        "values of client(3) and of 0..2 do not go together",
    ),
    (
        (claims("return s.count == 0 & s.holder.is_none"),),
        "return s.count == 0 & s.holder.is_none",
        "& joins formulas, and 0 is not a formula: & binds tighter than == and <",
    ),
    (
        (claims("return len(s.asked) == 0"),),
        "return len(s.asked) == 0",
        "len of a set is not known while the protocol is being read: write .cardinality of a set",
    ),
    (
        (claims("return all(s.asked.contains(c) for c in self.clients)"),),
        "return all(s.asked.contains(c) for c in self.clients)",
        "Python runs the loop for c in self.clients while it reads the protocol. self.clients has no ",
    ),
    (
        (claims("return s.holder.is_none()"),),
        "return s.holder.is_none()",
        "a formula is not a function: leave out the parentheses behind it",
    ),
    (
        (claims("return s.holder < s.holder"),),
        "return s.holder < s.holder",
        "an option < an option has no meaning: integers are ordered, and sets by what they include",
    ),
    (
        (claims("return s.count / 2 == 2"),),
        "return s.count / 2 == 2",
        "an integer of the state / int has no meaning: integers have + - * // %",
    ),
    (
        (claims("return s.count * 'a' == 2"),),
        "return s.count * 'a' == 2",
        "an integer is needed here, not 'a'",
    ),
    (
        (claims("return s.count % 0 == 2"),),
        "return s.count % 0 == 2",
        "// and % need a positive divisor, and 0 is not positive",
    ),
    (
        (claims("return -s.holder == 2"),),
        "return -s.holder == 2",
        "- of an option has no meaning: write -x for integers",
    ),
    (
        (claims("return s.holder[0]"),),
        "return s.holder[0]",
        "an option has no items: [ ] is for functions, sequences and tuples",
    ),
    # Steps.
    (
        ((STEP, STEP.removeprefix("return ")),),
        "def release",
        "action release returns nothing, not a Step: write return Step(when=…, then=…)",
    ),
    (
        ((STEP, "return Step(when=[s.holder != None]) & {s.holder: None}"),),
        "return Step(when=[s.holder !=",
        "& joins a step with a step, not with {holder: None}: write & Step(when=…, then=…)",
    ),
    (
        ((STEP, "return Step(then={s.last: s.last}) & Step(then={s.last.at: 0})"),),
        "return Step(then=",
        "two steps joined with & assign the same: one last to be last, the other last.at to be 0; leave one",
    ),
    (
        (steps("[self.most == 2]", "{}"),),
        "return Step(when=[self",
        "a guard line of release is decided while Python reads the protocol: it is True whatever the state",
    ),
    ((steps("[None]", "{}"),), "Step(when=[None", "a guard line of release is None, not a formula"),
    ((steps("True", "{}"),), "Step(when=True", "a guard line of release is decided while Python reads"),
    ((steps("[]", "{s.hodler: None}"),), "s.hodler", "unknown state variable 'hodler'"),
    (
        (steps("[]", "{s.phase: 'ilde'}"),),
        "def release",
        "'ilde' is not a value of phase (allowed: idle, busy); did you mean 'idle'?",
    ),
    (
        (steps("[]", "{s.last: dict(hwo=None, at=0)}"),),
        "def release",
        "the record has no field 'hwo' (allowed: who, at); did you mean 'who'?",
    ),
    (
        (steps("[]", "{s.last: dict(who=None)}"),),
        "def release",
        "a record is given all its fields: at of Record(",
    ),
    (
        (steps("[]", "{s.last: s.last.updated(hwo=None)}"),),
        "updated",
        "the record has no field 'hwo' (allowed: who, at); did you mean 'who'?",
    ),
    (
        ((STEP, "s.holder = None"),),
        "s.holder = None",
        "s.holder is not assigned in Python: an action says then={s.holder: …} in its Step",
    ),
    (((STEP, "s.last.who = None"),), "s.last.who = None", "a record is not assigned in Python"),
    (((STEP, "s.holder[0] = None"),), "s.holder[0] = None", "an option is not assigned in Python"),
    ((steps("[]", "{s.asked: 3}"),), "def release", "then assigns asked: 3 is not a value of Set(client(3))"),
    (
        (steps("[]", "{s.holder: s.asked}"),),
        "def release",
        "then assigns holder: values of Set(client(3)) and of client(3) do not go together",
    ),
    (
        (claims("return s.asked <= s.holder.value"),),
        "return s.asked <= s.holder.value",
        "a value of client(3) is an element, not several: write .contains(…)",
    ),
    (
        (claims("return (s.asked - s.holder.value).is_empty"),),
        "return (s.asked - s.holder.value).is_empty",
        "a value of client(3) is an element, not several: write .add(…) or .remove(…)",
    ),
    (
        (claims("return (literal(Sequence(self.clients, 2), []) + s.holder.value).is_empty"),),
        "return (literal(Sequence(self.clients, 2), []) + s.holder.value).is_empty",
        "a value of client(3) is an element, not several: write .append(…)",
    ),
    (
        (claims("return s.count == s.holder.value"),),
        "return s.count == s.holder.value",
        "s.count == s.holder.value: values of",
    ),
    (
        (claims("a, b = tuple_of(1, 2); return a == b"),),
        "a, b = tuple_of(1, 2)",
        "a tuple is not unpacked, nor looped over: write t[0], t[1]",
    ),
    (
        (("from verifier import *", "from verifier import *; del forall"),),
        FORMULA,
        "the name 'forall' is not imported: write from verifier import forall",
    ),
    (
        (claims("return s.count == 0 | s.count == 1"),),
        "return s.count == 0 | s.count == 1",
        "| joins formulas or sets, and binds tighter than == and <, so write (…) | (…)",
    ),
    (
        (("IndexSetConstant(3)", "IndexSetConstant(3, 'a', 'b', kind='c')"),),
        "IndexSetConstant",
        "IndexSetConstant(…) has kind twice, with its name and without: it takes default, description, kind",
    ),
    (((COUNT, "Range(0, Lock.most)"),), "Lock.most", "not the declaration of a constant: write self."),
    (((COUNT, "range(0, 3)"),), "return State(", "not Python's range(0, 3): write Range(low, high), both"),
    (((COUNT, "self.assumptions"),), "return State(", "not the method assumptions: write @property above it"),
]
"""The changes, a part of the line that is named, and words of the error."""
