"use strict";
/* An expression over the parts of a state, evaluated in every state: paths, numbers, texts, comparisons, and, or, not. */
class Watch {
  static TOKEN = /\s*(?:(-?\d+)|("[^"]*")|(\/\\|\\\/|&&|\|\||=<|<=|>=|!=|\/=|==|∧|∨|¬|≤|≥|≠|∈|\\in\b|[=#<>~!+()])|([A-Za-z_][\w']*))/y;
  static WORDS = { and: "∧", "/\\": "∧", "&&": "∧", or: "∨", "\\/": "∨", "||": "∨", not: "¬", "~": "¬", "!": "¬", "==": "=", "!=": "≠", "/=": "≠", "#": "≠", "=<": "≤", "<=": "≤", ">=": "≥", in: "∈", "\\in": "∈" };
  static SIZES = ["length", "Len", "len", "size", "Cardinality", "cardinality"];
  static ORDER = { "<": (a, b) => a < b, ">": (a, b) => a > b, "≤": (a, b) => a <= b, "≥": (a, b) => a >= b };
  static CLOSING = { "{": "}", "[": "]", "(": ")", "⟨": "⟩" };
  static KNOWN = "known are + = # < <= > >= \\in, and, or, not, length(…)";
  static ABSENT = "–";
  static LONGEST = 120;

  /* Throws an Error that says what is wrong with the words. */
  constructor(trace, words) {
    this.words = words;
    this.trace = trace;
    this.whole = new Whole(trace);
    this.at = 0;
    try {
      this.next();
      const evaluate = this.either();
      if (this.token !== null) throw new Error(`cannot read “${this.token.text}”`);
      this.values = trace.states.map((state) => Watch.shown(evaluate(state)));
    } catch (error) {
      throw error instanceof RangeError ? new Error("too deeply nested") : error;
    }
  }

  /* The expression, of a long one the beginning. */
  get shortWords() {
    return this.words.length > Watch.LONGEST ? `${this.words.slice(0, Watch.LONGEST - 1)}…` : this.words;
  }

  static shown(value) {
    return value === undefined ? Watch.ABSENT : String(value);
  }

  next() {
    const rest = this.words.slice(this.at);
    if (!rest.trim()) { this.token = null; return; }
    const bracket = /^\s*(<<|[{⟨[])/.exec(rest);
    if (bracket) { this.token = { kind: "value", text: this.literal(this.balanced()) }; return; }
    Watch.TOKEN.lastIndex = this.at;
    const found = Watch.TOKEN.exec(this.words);
    if (!found) throw new Error(`cannot read “${rest.trim().slice(0, 40)}”: ${Watch.KNOWN}`);
    this.at = Watch.TOKEN.lastIndex;
    const [, number, text, sign, name] = found;
    const word = sign ?? name;
    if (number !== undefined) this.token = { kind: "value", text: Watch.decimal(number) };
    else if (text !== undefined) this.token = { kind: "value", text: this.quoted(text) };
    else if (Object.hasOwn(Watch.WORDS, word)) this.token = { kind: "sign", text: Watch.WORDS[word] };
    else if (sign !== undefined) this.token = { kind: "sign", text: sign };
    else this.token = { kind: "name", text: this.path(name) };
  }

  /* A text in quotes. Pages of protocols show texts without them; "1" is no number there either. */
  quoted(text) {
    return this.trace.tla || /^"-?\d+"$/.test(text) ? text : text.slice(1, -1);
  }

  /* A set, sequence or record: its words must be values, because nothing else is evaluated in it. */
  literal(text) {
    const parts = text.split(/("[^"]*")/).map((part, index) => {
      if (index % 2) return this.quoted(part);
      part = part.replace(/(?<![\w.])-?\d+(?!\w)/g, Watch.decimal);
      for (const [word] of part.matchAll(/[A-Za-z_]\w*(?!\w|\s*\|->)/g)) this.checkWord(word);
      return part;
    });
    return parts.join("");
  }

  /* A word that stands for itself must be one that the execution has. */
  checkWord(word) {
    if (this.whole.knows(word)) return;
    throw new Error(`nothing here is called ${word}; did you mean ${this.whole.nearest(word)}?`);
  }

  /* A name with what follows it: .field and [key]. */
  path(name) {
    let path = name;
    for (;;) {
      const field = /^\.[A-Za-z_]\w*/.exec(this.words.slice(this.at));
      if (field) { path += field[0]; this.at += field[0].length; } else if (this.words[this.at] === "[") path += this.balanced(); else return path;
    }
  }

  /* From a bracket to the one that closes it. */
  balanced() {
    const from = this.at, open = [];
    for (let at = from; at < this.words.length; at++) {
      const two = this.words.slice(at, at + 2), one = this.words[at];
      if (two === "<<") { open.push(">>"); at++; } else if (open.at(-1) === ">>" && two === ">>") { open.pop(); at++; } else if (one in Watch.CLOSING) open.push(Watch.CLOSING[one]); else if (one === open.at(-1)) open.pop();
      if (open.length === 0 && one.trim()) { this.at = at + 1; return this.words.slice(from, this.at).trim(); }
    }
    throw new Error("a bracket is not closed");
  }

  take(...signs) {
    if (this.token?.kind !== "sign" || !signs.includes(this.token.text)) return null;
    const { text } = this.token;
    this.next();
    return text;
  }

  either() {
    let left = this.both();
    while (this.take("∨")) { const one = left, other = this.both(); left = (state) => Watch.truth(one(state)) || Watch.truth(other(state)); }
    return left;
  }

  both() {
    let left = this.negated();
    while (this.take("∧")) { const one = left, other = this.negated(); left = (state) => Watch.truth(one(state)) && Watch.truth(other(state)); }
    return left;
  }

  negated() {
    if (!this.take("¬")) return this.compared();
    const inner = this.negated();
    return (state) => { const value = Watch.truth(inner(state)); return value === undefined ? undefined : !value; };
  }

  compared() {
    const left = this.sum(), sign = this.take("=", "≠", "<", ">", "≤", "≥", "∈");
    if (sign === null) return left;
    const right = this.sum();
    return (state) => Watch.compare(sign, left(state), right(state));
  }

  sum() {
    let left = this.part();
    for (;;) {
      const isNegative = this.token?.kind === "value" && /^-\d/.test(this.token.text);  // as in "a -1"
      if (!isNegative && !this.take("+")) return left;
      const one = left, other = this.part();
      left = (state) => { const [a, b] = [one(state), other(state)].map(Watch.number); return a === undefined || b === undefined ? undefined : a + b; };
    }
  }

  part() {
    const token = this.token;
    if (token === null) throw new Error("something is missing at the end");
    if (this.take("(")) {
      const inner = this.either();
      if (!this.take(")")) throw new Error("a bracket is not closed");
      return inner;
    }
    if (token.kind === "sign") throw new Error(`something is missing before “${token.text}”`);
    this.next();
    if (token.kind === "value") return () => token.text;
    if (Watch.SIZES.includes(token.text) && this.take("(")) {
      const inner = this.either();
      if (!this.take(")")) throw new Error("a bracket is not closed");
      return (state) => { const members = Watch.membersOf(inner(state)); return members === undefined ? undefined : members.length; };
    }
    return this.named(token.text);
  }

  /* A part of the state, or a name that stands for itself. */
  named(path) {
    const place = this.whole.places.get(path), found = place === undefined ? null : this.trace.member(place);
    if (found) throw new Error(`${found.set} is a set: write ${this.trace.nameOf(place)}`);
    if (this.whole.has(path)) return (state) => this.whole.value(path, state);
    const inside = this.inside(path);
    if (inside) return inside;
    if (/[.[]/.test(path) && this.trace.variables.includes(Trace.variableOf(path))) {
      const near = this.whole.paths.filter((other) => other.startsWith(Trace.variableOf(path)));
      throw new Error(`the state has no part ${path}; it has ${near.slice(0, 6).join(", ")}`);
    }
    this.checkWord(Trace.variableOf(path));
    if (/[.[]/.test(path)) throw new Error(`${Trace.variableOf(path)} is no part of the state, so it has no parts`);
    return () => path;
  }

  /* What is inside of a part that is shown as one value: an item of a sequence, a field, what a key has. */
  inside(path) {
    const pieces = Whole.pieces(path), count = pieces.findIndex((_, index) => this.whole.places.has(pieces.slice(0, index).join("")));
    if (count < 0) return null;
    const outer = pieces.slice(0, count).join(""), known = new Set();
    const read = (state) => pieces.slice(count).reduce((value, piece) => {
      const entries = Whole.entries(value, this.trace.tla);
      if (entries.size && !entries.has(piece)) for (const one of entries.keys()) known.add(one);
      return entries.get(piece);
    }, this.whole.value(outer, state));
    if (this.trace.states.some((state) => read(state) !== undefined)) return read;
    if (known.size) throw new Error(`no state has a part ${path}; there are ${[...known].slice(0, 6).join(", ")}`);
    const isEmpty = (state) => (Watch.membersOf(this.whole.value(outer, state)) ?? [0]).length === 0;
    if (!this.trace.states.some(isEmpty)) throw new Error(`${outer} has no parts`);
    return read;
  }

  static truth(value) {
    if (typeof value === "boolean" || value === undefined) return value;
    return { TRUE: true, true: true, yes: true, FALSE: false, false: false, no: false }[value];
  }

  /* A value so that equal ones are the same text: members of sets and fields of records have no order. */
  static plain(value) {
    const truth = Watch.truth(value), text = String(value);
    if (truth !== undefined) return String(truth);
    const kind = Watch.kindOf(text), members = kind ? Watch.membersOf(text) : undefined;
    if (kind === "sequence" && members) return `⟨${members.map((member) => Watch.plain(member)).join()}⟩`;
    if (!/^[{[]/.test(text)) return text.split(/("(?:[^"\\]|\\.)*")/).map((part, index) => index % 2 ? part : part.replace(/\s/g, "")).join("");
    return `${text[0]}${(Watch.membersOf(text) ?? [text]).map((member) => Watch.plain(member)).sort().join()}`;
  }

  /* Whether a text is a set or a sequence, however it is written: [1, 2] is ⟨1, 2⟩; undefined of other values. */
  static kindOf(text) {
    return text[0] === "{" ? "set" : /^(<<|⟨)/.test(text) || (text[0] === "[" && !text.includes("|->")) ? "sequence" : undefined;
  }

  /* A number without zeros before it. */
  static decimal(digits) {
    return String(BigInt(digits));
  }

  static number(value) {
    return value !== undefined && /^-?\d+$/.test(String(value)) ? Number(value) : undefined;
  }

  static compare(sign, left, right) {
    if (sign === "=" || sign === "≠") {
      if (left === undefined || right === undefined) return undefined;
      if ([left, right].map((value) => Watch.kindOf(String(value))).sort().join() === "sequence,set") throw new Error("a sequence is compared with a set: write ⟨…⟩ or […] for a sequence, and {…} for a set");
      return (Watch.plain(left) === Watch.plain(right)) === (sign === "=");
    }
    if (sign === "∈") {
      const members = Watch.membersOf(right);
      return members === undefined || left === undefined ? undefined : members.some((member) => Watch.plain(member) === Watch.plain(left));
    }
    const [a, b] = [left, right].map(Watch.number);
    return a === undefined || b === undefined ? undefined : Watch.ORDER[sign](a, b);
  }

  /* The members of a set, a sequence or a function as texts; undefined of anything else. */
  static membersOf(value) {
    const found = /^(<<|[{⟨([])(.*?)(>>|[}⟩)\]])$/s.exec(String(value ?? ""));
    if (!found) return undefined;
    const members = [];
    let depth = 0, member = "", quoted = false;
    for (const character of found[2].replace(/ @@ /g, ", ")) {
      if (character === '"') quoted = !quoted;
      if (!quoted && "{[(⟨<".includes(character)) depth++;
      if (!quoted && "}])⟩>".includes(character) && !/[|:]-?$/.test(member)) depth--;
      if (character === "," && depth === 0 && !quoted) { members.push(member.trim()); member = ""; } else member += character;
    }
    const all = member.trim() || members.length ? [...members, member.trim()] : [];
    return found[1] === "{" ? [...new Map(all.map((one) => [Watch.plain(one), one])).values()] : all;
  }
}
