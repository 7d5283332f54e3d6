"use strict";
/* A trace as the page has it: the values of its states, its names, and what fails at the end. */
class Trace {
  constructor(data) {
    Object.assign(this, data);
    this.last = this.steps.length - 1;
    this.steps = this.steps.map(([action, parameters, lane, changes, demands]) => ({
      action, parameters, lane, demands: demands.map((number) => this.demands[number]),
      changes: changes.map(([place, after, delta]) => ({ place, after: this.value(after), delta: delta ?? "" })),
    }));
    this.states = [this.first.map((raw) => this.value(raw))];
    this.steps.forEach((step, number) => {
      if (number === 0) return;
      const next = this.states[number - 1].slice();
      for (const change of step.changes) {
        change.before = next[change.place];
        next[change.place] = change.after;
      }
      this.states.push(next);
    });
    this.wrong = new Map();  // the members to blame of each place; none if it is the whole value
    this.ranges = new Map();  // of each place, the states in which its value is at fault
    this.old = new Set();  // of a step that fails, the places whose value before the step is at fault
    this.causes = new Set(this.failing.flatMap(([, , , premises]) => premises));
    const changedLast = new Set(this.steps[this.last].changes.map(({ place }) => place));
    for (const [, , where, , states] of this.failing) {
      for (const [, , places, members, before] of where) for (const place of places) {
        const isOld = before && changedLast.has(place), at = isOld ? this.at - 1 : this.at;
        this.blame(place, members, states ?? [[at, at]]);
        if (isOld) this.old.add(place);
      }
    }
    this.variables = [...new Set(this.places.map(([path]) => Trace.variableOf(path)))];
    this.hasLanes = this.participants;
  }

  /* A value as text, and its members where it is long: [what opens it, its members, what closes it]. */
  value(raw) {
    if (!Array.isArray(raw)) return { text: raw, members: null };
    const members = raw.slice(1, -1), joint = this.tla && raw[0] === "(" ? " @@ " : ", ";
    return { text: `${raw[0]}${members.join(joint)}${raw[raw.length - 1]}`, members, opening: raw[0], closing: raw[raw.length - 1] };
  }

  static variableOf(path) {
    return path.split(/[[.]/, 1)[0];
  }

  /* A lane with what it is: "server s1". */
  static title([name, kind]) {
    return name.startsWith(kind) ? name : `${kind} ${name}`;
  }

  /* Where in a path the key of its lane ends; -1 if it has none. */
  static keyEnd([path, , , key]) {
    return key < 0 ? -1 : path.indexOf("]", key) + 1;
  }

  /* Whether both values are long, and what was gained and lost says it better. */
  static isLong({ before, after, delta }) {
    return Boolean(delta) && Math.max(before.text.length, after.text.length) > 24;
  }

  /* Whether a step is the last one of a loop, which leads back to the state where the loop starts. */
  closes(step) {
    return this.loop !== null && step === this.last;
  }

  /* Notes that the value of a place is at fault in some states, and which steps gave it that value. */
  blame(place, members, states) {
    const known = this.wrong.get(place);
    this.wrong.set(place, known && (known.length === 0 || members.length === 0) ? [] : [...new Set([...known ?? [], ...members])]);
    const ranges = this.ranges.get(place) ?? [], value = this.states[states[0][0]][place].text;
    for (const [from, to] of states) for (let state = from; state <= to; state++) {  // the same value is at fault there, too
      if (this.states[state][place].text !== value) continue;
      const before = ranges[ranges.length - 1];
      if (before && before.value === value && before.to === state - 1 && from < state) before.to = state;
      else ranges.push({ value, from: state, to: state, writers: this.writersOf(place, members, state) });
    }
    this.ranges.set(place, ranges);
  }

  /* The steps that gave a place the value that it has in a state: of a set, those that added a member at fault. */
  writersOf(place, members, state) {
    const steps = new Map();
    this.steps.forEach(({ changes }, step) => changes.forEach(({ place: other, delta }) => {
      if (step > state || other !== place) return;
      const added = delta ? members.filter((member) => `, ${delta}, `.includes(`, + ${member}, `)) : members;
      for (const member of members.length ? added : [""]) steps.set(member, step);
    }));
    return [...steps.values()];
  }

  /* Whether a step gave a place the value at fault, or one of the members at fault. */
  assigns(place, step) {
    return (this.ranges.get(place) ?? []).some(({ writers }) => writers.includes(step));
  }

  /* Whether a place has in a state the value that fails. */
  fails(place, step) {
    return (this.ranges.get(place) ?? []).some(({ from, to }) => from <= step && step <= to);
  }

  /* The step that gave a place last the value that fails in a state; undefined if it has it from the start. */
  writerOf(place, state) {
    const found = (this.ranges.get(place) ?? []).find(({ from, to }) => from <= state && state <= to);
    return found && found.writers.length ? Math.max(...found.writers) : undefined;
  }

  /* Whether a place has the value that fails in the end from the first state on. */
  heldFromStart(place) {
    return this.wrong.has(place) && this.writerOf(place, this.at) === undefined;
  }

  /* Whether a step changes what makes the property fail in the end, without being at fault itself. */
  isCause(place, step) {
    return step === this.last && this.loop === null && this.causes.has(place) && (!this.wrong.has(place) || this.old.has(place));
  }

  /* What a step is called: its action. */
  titleOf(step) {
    return step === 0 ? this.start : this.steps[step].action;
  }

  /* The parameters of a step as the drawings show them; the last step of a loop also says where it leads back to. */
  wordsOf(step) {
    const back = this.closes(step) ? `leads back to state ${this.loop}` : "";
    return [this.parametersOf(step), back].filter(Boolean).join("; ");
  }

  /* A step in a line: `Exit(p=2)`. */
  callOf(step) {
    const given = this.parametersOf(step);
    return step === 0 || !given ? this.titleOf(step) : `${this.titleOf(step)}(${given})`;
  }

  /* What is documented of a step's action. */
  meaningOf(step) {
    return this.does[this.steps[step].action] ?? "";
  }

  parametersOf(step) {
    return this.steps[step].parameters.map(([name, value]) => `${name}=${value}`).join(", ");
  }

  /* A place's path as its own lane needs it: without the lane's name. */
  withoutLane(place, fieldOnly) {
    const [path, lane, , key] = place, [name] = this.lanes[lane];
    if (path.startsWith(`${name}.`)) return path.slice(name.length + 1);
    if (key < 0) return path;
    const rest = path.slice(Trace.keyEnd(place));
    return fieldOnly && rest.startsWith(".") ? rest.slice(1) : path.slice(0, key) + rest;
  }

  /* The same, of a record's field only the field where no other place of the lane is called so. */
  shortPath(number) {
    if (this.names === undefined) {
      const fields = this.places.map((place) => `${place[1]} ${this.withoutLane(place, true)}`);
      const counts = new Map();
      for (const field of fields) counts.set(field, (counts.get(field) ?? 0) + 1);
      this.names = this.places.map((place, index) => this.withoutLane(place, counts.get(fields[index]) === 1));
    }
    return this.names[number];
  }

  /* Of a place that says whether a member is in a set: the set and the member. */
  member(place) {
    const found = /^(\w+)\[(.*)\]$/s.exec(this.places[place][0]);
    return found && this.sets.includes(found[1]) ? { set: found[1], member: found[2] } : null;
  }

  /* The name of a place: its path, or that a member is in a set. */
  nameOf(place) {
    const found = this.member(place);
    return found ? `${found.member} ${this.tla ? "\\in" : "∈"} ${found.set}` : this.places[place][0];
  }

  /* The name of what a change changes: its path, or the set. */
  changedBy({ place }) {
    return this.member(place)?.set ?? this.places[place][0];
  }

  /* A change of a set's member in words; undefined of another change. */
  membership({ place, after }) {
    const found = this.member(place);
    return found ? `${found.member} ${Watch.truth(after.text) ? "added" : "removed"}` : undefined;
  }

  /* A change in words: both values, or what was added to a set or removed from it. */
  both(change) {
    return this.membership(change) ?? `${change.before.text} → ${change.after.text}`;
  }

  /* What a change gained and lost, as elements; the members at fault are red. */
  deltaParts({ place, delta }) {
    const gained = (this.wrong.get(place) ?? []).map((member) => `+ ${member}`);
    return delta.split(/(?<=, )(?=[+−] )/).map((part) => {
      const isWrong = gained.includes(part.replace(/, $/, ""));
      return Page.make("span", isWrong ? { class: "at-fault" } : {}, ...Page.unbroken(part));
    });
  }

  /* Whether only some of what a change gained and lost is at fault. */
  isInPart({ place, delta }) {
    return Boolean(delta) && (this.wrong.get(place) ?? []).length > 0;
  }

  /* The steps whose action, parameters or changes have all of these words. */
  having(words) {
    if (words.length === 0) return [];
    return [...this.steps.keys()].filter((step) => {
      const changes = this.steps[step].changes.map((change) => `${this.changedBy(change)}: ${this.both(change)} ${change.delta}`);
      const text = [this.titleOf(step), this.parametersOf(step), ...changes].join("\n").toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  /* What the failing formula mentions; of a step, the value before it and the one after it together. */
  mentioned() {
    const seen = new Set(), told = this.failing.flatMap(([, , values, , states]) => values.map((value) => [value, states ? states[0][0] : this.at]));
    const several = new Set(told.map(([, state]) => state)).size > 1;
    const where = told.filter(([[path], state]) => !seen.has(`${state} ${path}`) && seen.add(`${state} ${path}`)).map(([[path, ...rest], state]) => ({ path: rest[1].length === 1 && path === this.places[rest[1][0]][0] ? this.nameOf(rest[1][0]) : path, rest, state }));
    if (!this.about_step) return where.map(({ path, rest: [value, places, members], state }) => ({ path, words: `${this.valueWords(value, places, members, state)}${several ? ` in state ${state}` : ""}`, places, state }));
    const sides = new Map();
    for (const { path, rest: [value, places, , isBefore] } of where) {
      const plain = path.replace(/(\w)'/g, "$1"), side = sides.get(plain) ?? { places };
      const changed = isBefore && places.length === 1 ? { after: this.states[this.at][places[0]].text } : {};
      sides.set(plain, path === plain ? { ...changed, ...side, before: value } : { ...side, primed: path, after: value });
    }
    return [...sides].map(([path, { places, before, primed, after }]) => ({
      path: before === undefined ? primed : path, places, state: this.at,
      words: before === undefined ? ` = ${after}` : after === undefined ? ` = ${before}` : `: ${before} → ${after}`,
    }));
  }

  /* A value that fails: of a long one the members at fault, or what its last change was. */
  valueWords(value, places, members, state) {
    if (members.length && value !== `{${members.join(", ")}}`) return ` has ${members.join(", ")}`;
    if (value === Watch.ABSENT && places.length) return " has no value";
    const step = places.length === 1 ? this.writerOf(places[0], state) : undefined;
    const change = step === undefined ? undefined : this.steps[step].changes.find(({ place }) => place === places[0]);
    return change && Trace.isLong(change) && value.length > 60 ? `: ${change.delta}` : ` = ${value}`;
  }

  /* Where in the execution the property fails: in a step, in the loop, or in a state. */
  get whenFalse() {
    if (this.loop === null) return this.about_step ? ` in step ${this.last}` : "";
    if (new Set(this.failing.map(([, , , , states]) => states?.[0][0])).size > 1) return "";  // each part says it
    return this.at === this.last ? " in the loop, forever" : this.inState(this.at);
  }

  inState(state) {
    return state < this.loop ? ` in state ${state}` : ` in state ${state}, again and again`;
  }

  /* What the last row says: that the property fails, and where. */
  verdict() {
    return this.start === "initially" ? `✗ ${this.property} fails${this.whenFalse}` : `△ ${this.property} is not kept${this.whenFalse}`;
  }
}

/* Elements of the page. */
const Page = {
  make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  },

  button(text, label, act, attributes = {}) {
    const made = Page.make("button", { type: "button", "aria-label": label, title: label, ...attributes }, text);
    made.addEventListener("click", act);
    return made;
  },

  /* Marks the row of a step, and those of the steps that were looked for. */
  markRows(pane, step, found) {
    for (const row of pane.querySelectorAll("[data-step]")) {
      row.classList.toggle("current", Number(row.dataset.step) === step);
      row.classList.toggle("found", found.has(Number(row.dataset.step)));
    }
  },

  /* A text that does not break inside of TLA+'s arrows and of short tuples. */
  unbroken(text) {
    return text.split(/(\|->|:>|<<[^<>]{1,12}>>|⟨[^⟨⟩]{1,12}⟩)/).flatMap((part, index) => index % 2 ? [Page.make("span", { class: "unbroken" }, part)] : Page.longWords(part));
  },

  /* A text whose long words break between their parts. */
  longWords(text) {
    return text.split(/([\w.[\]]{16,})/).flatMap((part, index) => index % 2 ? Page.breakable(part, 0) : part ? [part] : []);
  },

  /* A long name that breaks between its words, and not inside of them. */
  breakable(name, most = 20) {
    if (name.length <= most) return [name];
    const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_.])|(?=\[)/);
    return parts.flatMap((part, index) => index ? [document.createElement("wbr"), part] : [part]);
  },
};
