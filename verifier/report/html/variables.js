"use strict";
/* A trace as a table: a row for each step, a column for each variable or for each part of one. */
class Variables {
  static FEW = 12;
  static LONG = 32;
  static MOST = 4;

  constructor(trace, shown, link) {
    this.trace = trace;
    this.shown = shown;
    this.link = link;
    this.pane = Page.make("div", { class: "pane variables", tabindex: 0, role: "group", "aria-label": "Variables by steps: arrow keys step and pan" });
    this.parts = new Map(trace.variables.map((name) => [name, []]));
    trace.places.forEach(([path], place) => this.parts.get(Trace.variableOf(path)).push(place));
    this.order = [...trace.variables];
    this.hidden = new Set();
    this.pinned = this.culprits();
    this.whole = new Whole(trace);
    const parts = trace.variables.filter((name) => !trace.sets.includes(name));  // a set stands whole
    this.unfolded = new Set(trace.places.length <= Variables.FEW ? parts : []);
    for (const name of parts) if (this.parts.get(name).length === 1) this.unfolded.add(name);
    this.numeric = trace.places.map((_, place) => trace.states.every((state) => /^-?\d+$/.test(state[place].text)));
  }

  /* Where there are many columns, those of what fails stand first. */
  culprits() {
    if (this.trace.variables.length <= Variables.FEW / 2) return [];
    return this.trace.variables.filter((name) => this.parts.get(name).some((place) => this.trace.wrong.has(place))).slice(0, 3);
  }

  /* The variables from left to right: those pinned first. */
  inOrder() {
    return [...this.pinned, ...this.order.filter((name) => !this.pinned.includes(name))];
  }

  /* Moves a variable before the one at its left. */
  moveLeft(variable) {
    const list = this.pinned.includes(variable) ? this.pinned : this.order;
    const shown = list.filter((name) => !this.hidden.has(name) && (list === this.pinned || !this.pinned.includes(name)));
    const before = shown[shown.indexOf(variable) - 1];
    if (before === undefined) return;
    list.splice(list.indexOf(variable), 1);
    list.splice(list.indexOf(before), 0, variable);
  }

  columns() {
    const names = this.inOrder();
    const visible = (place) => this.shown(place);
    return names.filter((name) => !this.hidden.has(name) && this.parts.get(name).some(visible)).flatMap((name) => {
      const places = this.parts.get(name).filter(visible), several = this.parts.get(name).length > 1;
      if (!this.unfolded.has(name)) return [{ variable: name, places, folded: true, several }];
      return places.map((place, index) => ({ variable: name, places: [place], folded: false, several, first: index === 0 }));
    });
  }

  draw() {
    const columns = this.columns(), trace = this.trace;
    const heads = columns.map((column) => this.head(column));
    const watched = this.watched ? [Page.make("th", { scope: "col", class: "watched" }, ...Page.breakable(this.watched.shortWords))] : [];
    const head = Page.make("tr", {}, Page.make("th", { scope: "col", class: "step" }, "step"), ...watched, ...heads);
    const rows = trace.steps.map((_, step) => this.row(step, columns));
    if (trace.failing.length) rows.push(this.verdict(columns));
    this.table = Page.make("table", { class: "steps" }, Page.make("thead", {}, head), Page.make("tbody", {}, ...rows));
    this.pane.replaceChildren(...this.restored(), this.table);
    this.pin(columns);
    return this;
  }

  restored() {
    if (this.hidden.size === 0) return [];
    const buttons = [...this.hidden].map((name) => Page.button(name, `Show ${name} again`, () => this.change(() => this.hidden.delete(name))));
    return [Page.make("p", { class: "hidden-columns" }, "Hidden: ", ...buttons)];
  }

  change(act) {
    const used = document.activeElement, place = used?.closest("[data-variable]")?.dataset.variable;
    const buttons = () => [...this.pane.querySelectorAll("[data-variable]")].filter(({ dataset }) => dataset.variable === place).flatMap((head) => [...head.querySelectorAll("button")]);
    const at = buttons().indexOf(used);
    act();
    this.draw();
    this.mark(this.current, this.found);
    if (this.pane.contains(document.activeElement) || !place) return;
    (buttons()[at] ?? this.pane).focus();  // the head was made again
  }

  head(column) {
    const { variable, folded, several } = column, [place] = column.places;
    const name = folded ? variable : this.trace.nameOf(place);
    const toggle = () => this.change(() => folded ? this.unfolded.add(variable) : this.unfolded.delete(variable));
    const isPinned = this.pinned.includes(variable);
    const pin = () => this.change(() => { this.pinned = isPinned ? this.pinned.filter((other) => other !== variable) : [...this.pinned, variable]; });
    const tools = Page.make("span", { class: "tools" });
    if (several) tools.append(Page.button(folded ? "▸" : "▾", folded ? `Unfold ${variable}` : `Fold ${variable}`, toggle, { "aria-expanded": String(!folded) }));
    if (folded || column.first) {
      tools.append(Page.button("←", `Move ${variable} to the left`, () => this.change(() => this.moveLeft(variable))));
      tools.append(Page.button("⊣", isPinned ? `Unpin ${variable}` : `Pin ${variable} to the left`, pin, { "aria-pressed": String(isPinned) }));
      tools.append(Page.button("×", `Hide ${variable}`, () => this.change(() => this.hidden.add(variable))));
    }
    const made = Page.make("th", { scope: "col", "data-variable": variable }, Page.make("span", { class: "name" }, ...Page.breakable(name, 8)), tools);
    made.classList.toggle("number", !folded && this.numeric[place]);
    made.style.minWidth = `${this.widthOf(column)}px`;  // the policy forbids the attribute
    return made;
  }

  /* Room for the longest value of a column, within bounds. */
  widthOf({ variable, places, folded }) {
    if (folded && this.trace.sets.includes(variable)) return Math.min(this.trace.states.reduce((most, state) => Math.max(most, this.whole.value(variable, state).length), 3) * 7.8 + 18, 240);
    const inside = () => this.trace.steps.flatMap(({ changes }) => changes.filter(({ place }) => places.includes(place)).map((change) => change.after.text.length + 16));
    const lengths = folded ? inside() : this.trace.states.map((state) => state[places[0]].text.length);
    return Math.min(Math.max(3, ...lengths) * 7.8 + 18, folded ? 200 : 240);
  }

  row(step, columns) {
    const trace = this.trace, classes = [step > 0 && trace.loop !== null && step > trace.loop ? "round" : "", trace.about_step && step === trace.last ? "broken" : ""];
    const link = Page.make("a", { href: this.link(step), class: "at" }, String(step));
    const words = trace.wordsOf(step);
    const first = Page.make("th", { scope: "row", class: "step", title: trace.meaningOf(step) }, link, " ", Page.make("b", {}, ...Page.breakable(trace.titleOf(step), 8)), ...(words ? [Page.make("small", {}, ...Page.unbroken(words))] : []));
    const changes = new Map(trace.steps[step].changes.map((change) => [change.place, change]));
    const cells = columns.map((column) => column.folded ? this.folded(column, changes, step) : this.cell(column.places[0], changes.get(column.places[0]), step));
    return Page.make("tr", { "data-step": step, class: classes.filter(Boolean).join(" ") }, first, ...this.watchedCell(step), ...cells);
  }

  watchedCell(step) {
    if (!this.watched) return [];
    const { values } = this.watched;
    return [Page.make("td", { class: step > 0 && values[step] !== values[step - 1] ? "watched changed" : "watched" }, values[step])];
  }

  /* The value of a place; a long one in short, with what was gained and lost where it changes. */
  cell(place, change, step) {
    const trace = this.trace, { text } = trace.states[step][place];
    const short = text.length > Variables.LONG ? (change && change.delta) || `${text.slice(0, Variables.LONG - 1)}…` : text;
    const inParts = short === change?.delta && trace.isInPart(change);
    const cell = Page.make("td", {}, ...(inParts ? trace.deltaParts(change) : Page.unbroken(short)));
    if (short !== text) cell.title = change ? `${change.before.text}\n→ ${text}` : text;
    else if (change) cell.title = `was ${change.before.text}`;
    cell.classList.toggle("number", this.numeric[place]);
    cell.classList.toggle("same", !change && step > 0);
    cell.classList.toggle("changed", Boolean(change));
    const begins = step === 0 && trace.start !== "initially" && trace.heldFromStart(place);
    cell.classList.toggle("wrong", begins || (trace.assigns(place, step) && !inParts));
    return cell;
  }

  /* What changed inside of a variable, a line for each part. */
  folded({ variable, places }, changes, step) {
    const own = places.filter((place) => changes.has(place)).map((place) => changes.get(place));
    if (this.trace.sets.includes(variable)) return this.set(variable, own, step);
    const lines = own.slice(0, own.length > Variables.MOST ? Variables.MOST - 1 : own.length).map((change) => {
      const { place, before, after, delta } = change, path = this.trace.places[place][0];
      const words = Trace.isLong(change) ? delta : `${before.text} → ${after.text}`;
      const line = Page.make("div", { title: `${path}: ${before.text} → ${after.text}` }, ...Page.unbroken(`${path.slice(variable.length).replace(/^\./, "")} ${words}`));
      line.classList.toggle("wrong", this.trace.assigns(place, step));
      return line;
    });
    if (own.length > lines.length) lines.push(Page.make("div", { class: "more" }, `+ ${own.length - lines.length} more`));
    return Page.make("td", { class: own.length ? "changed inside" : "same inside" }, ...lines);
  }

  /* A set that lanes show member by member, whole. */
  set(variable, changes, step) {
    const trace = this.trace, cell = Page.make("td", { class: changes.length ? "changed" : step > 0 ? "same" : "" }, ...Page.unbroken(this.whole.value(variable, trace.states[step])));
    if (changes.length) cell.title = changes.map((change) => trace.membership(change)).join(", ");
    cell.classList.toggle("wrong", changes.some(({ place }) => trace.assigns(place, step)));
    return cell;
  }

  verdict(columns) {
    const found = this.trace.mentioned();
    const cells = columns.map(({ places, folded }) => {
      const own = found.filter((one) => one.places.some((place) => places.includes(place)));
      const words = own.map(({ path, words }) => {
        const whole = folded || own.length > 1 || path !== this.trace.nameOf(places[0]) ? `${path}${words}` : words.replace(/^:? /, "");
        return Page.make("div", { title: whole }, whole.length > 2 * Variables.LONG ? `${whole.slice(0, 2 * Variables.LONG - 1)}…` : whole);
      });
      const kind = [own.length ? "wrong" : "", !folded && this.numeric[places[0]] ? "number" : ""].filter(Boolean).join(" ");
      return Page.make("td", { class: kind }, ...words);
    });
    const apart = found.filter(({ places }) => places.length === 0).map(({ path, words }) => Page.make("small", {}, ...Page.unbroken(`${path}${words}`)));
    return Page.make("tr", { class: this.trace.start === "initially" ? "verdict-row" : "verdict-row unsure" }, Page.make("th", { scope: "row", class: "step" }, ...Page.breakable(this.trace.verdict()), ...apart), ...(this.watched ? [Page.make("td", { class: "watched" })] : []), ...cells);
  }

  /* Pinned columns stand still beside the steps. */
  pin(columns) {
    const count = columns.filter(({ variable }) => this.pinned.includes(variable)).length;
    const before = this.watched ? 2 : 1;
    let left = this.table.rows[0].cells[0].offsetWidth;
    const most = this.pane.clientWidth * 0.7;  // the rest is to be seen, too
    const lefts = [...this.table.rows[0].cells].slice(before, count + before).map((cell) => { const at = left; left += cell.offsetWidth; return left < most ? at : null; }).filter((at) => at !== null);
    for (const row of this.table.rows) lefts.forEach((at, index) => {
      row.cells[index + before].classList.add("pinned");
      row.cells[index + before].style.left = `${at}px`;  // the policy forbids the attribute
    });
  }

  mark(step, found) {
    this.current = step;
    this.found = found;
    Page.markRows(this.pane, step, found);
  }

  /* Where rows are, for scrolling: each begins below the heads. */
  get rows() {
    const places = [...this.table.tBodies[0].rows].map((row) => row.getBoundingClientRect());
    return places.map(({ top, height }) => ({ top: Math.floor(top - places[0].top), height }));
  }

  get headHeight() {
    return this.table.tHead.offsetHeight;
  }
}
