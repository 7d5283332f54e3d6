"use strict";
/* The names of an execution, and the values of all its parts: also of variables that are shown part by part. */
class Whole {
  constructor(trace) {
    this.trace = trace;
    this.places = new Map(trace.places.map(([path], place) => [path, place]));
    this.paths = [...this.places.keys()];
  }

  /* Whether the state has a part, shown as one or in several. */
  has(path) {
    return this.places.has(path) || this.paths.some((other) => other.startsWith(path) && "[.".includes(other[path.length]));
  }

  /* The value of a part in a state as text; undefined where it has none. */
  value(path, state) {
    if (this.places.has(path)) {
      const { text } = state[this.places.get(path)];
      if (text !== Watch.ABSENT) return text;
    }
    const parts = this.below(path).map((part) => [part, this.value(path + part, state)]);
    if (parts.length === 0) return undefined;
    if (this.trace.sets.includes(path)) return `{${parts.filter(([, value]) => Watch.truth(value)).map(([part]) => part.slice(1, -1)).join(", ")}}`;
    return this.trace.tla ? Whole.tla(parts) : Whole.plain(parts);
  }

  /* What follows a path: its keys and fields. */
  below(path) {
    const found = new Set();
    for (const other of this.paths) {
      if (!other.startsWith(path) || !"[.".includes(other[path.length] ?? " ")) continue;
      const rest = other.slice(path.length);
      found.add(rest[0] === "." ? /^\.\w+/.exec(rest)[0] : Whole.key(rest));
    }
    return [...found];
  }

  /* From a bracket to the one that closes it. */
  static key(rest) {
    let depth = 0;
    for (let at = 0; at < rest.length; at++) {
      if (rest[at] === "[") depth++;
      if (rest[at] === "]" && --depth === 0) return rest.slice(0, at + 1);
    }
    return rest;
  }

  /* A path in pieces: a name, and each .field and [key] after it. */
  static pieces(path) {
    const found = [/^[^.[]*/.exec(path)[0]];
    for (let rest = path.slice(found[0].length); rest; rest = rest.slice(found.at(-1).length)) found.push(rest[0] === "." ? /^\.\w*/.exec(rest)[0] : Whole.key(rest));
    return found;
  }

  /* What a sequence, record or function has inside, by the pieces of a path that lead to it; TLA+ counts from 1. */
  static entries(text, tla) {
    const members = Watch.kindOf(text ?? "") === "set" ? [] : Watch.membersOf(text) ?? [];
    if (Watch.kindOf(text ?? "") === "sequence") return new Map(members.map((member, index) => [`[${index + (tla ? 1 : 0)}]`, member]));
    const form = tla ? /^(.*?) (\|->|:>) (.*)$/s : /^(.*?)(:| )\s*(.*)$/s;
    return new Map(members.flatMap((member) => {
      const [, name, sign, value] = form.exec(member) ?? [];
      if (name === undefined) return [];
      return sign === ":>" || sign === ":" ? [[`[${name}]`, value]] : [[`.${name}`, value], ...(tla ? [[`["${name}"]`, value]] : [])];
    }));
  }

  static plain(parts) {
    return `(${parts.map(([part, value]) => `${part[0] === "." ? `${part.slice(1)} ` : `${part.slice(1, -1)}: `}${value ?? Watch.ABSENT}`).join(", ")})`;
  }

  /* A record, sequence or function as TLA+ writes it; a function has only the keys that have a value. */
  static tla(parts) {
    const held = parts.filter(([, value]) => value !== undefined);
    if (parts.every(([part]) => part[0] === ".")) return `[${held.map(([part, value]) => `${part.slice(1)} |-> ${value}`).join(", ")}]`;
    if (held.length === 0) return "<<>>";
    if (held.every(([part], index) => part === `[${index + 1}]`)) return `<<${held.map(([, value]) => value).join(", ")}>>`;
    if (held.every(([part]) => /^\["[A-Za-z_]\w*"\]$/.test(part))) return `[${held.map(([part, value]) => `${part.slice(2, -2)} |-> ${value}`).join(", ")}]`;
    return `(${held.map(([part, value]) => `${part.slice(1, -1)} :> ${value}`).join(" @@ ")})`;
  }

  /* All words outside of quotes in values, names of lanes and parameters; those of TLA+ texts stand in quotes. */
  get words() {
    if (this.known) return this.known;
    const { trace } = this, texts = trace.states[0].map(({ text }) => text);
    for (const { parameters, changes } of trace.steps) texts.push(...parameters.map(([, value]) => value), ...changes.map(({ after }) => after.text));
    texts.push(...this.paths, ...trace.lanes.map(([name]) => name), ...trace.failing.flatMap(([, witnesses]) => witnesses.map(([, value]) => value)));
    const found = texts.flatMap((text) => String(text).split(/("[^"]*")/).flatMap((part, index) => index % 2 ? [part] : part.match(/[A-Za-z_]\w*/g) ?? []));
    this.known = new Set([...found, "TRUE", "FALSE", "true", "false", "yes", "no"]);
    return this.known;
  }

  knows(word) {
    return this.words.has(word);
  }

  /* The name that is most like a word. */
  nearest(word) {
    const distance = (other) => Whole.distance(word.toLowerCase(), other.replace(/"/g, "").toLowerCase());
    return [...new Set([...this.trace.variables, ...this.words])].reduce((best, other) => distance(other) < distance(best) ? other : best);
  }

  /* How many letters must change to make one word from another. */
  static distance(one, other) {
    let row = [...Array(other.length + 1).keys()];
    for (let i = 1; i <= one.length; i++) {
      const next = [i];
      for (let j = 1; j <= other.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)));
      row = next;
    }
    return row[other.length];
  }
}
