"use strict";
/* The states that were reached and the steps between them, by depth from top to bottom; large levels are folded. */
class StateGraph {
  static SVG = "http://www.w3.org/2000/svg";
  static GAP = 30;  // between states of a level, at least
  static LABEL = 28;  // characters of a label, if states have some
  static LETTER = 6.2;
  static DROP = 92;  // between levels
  static NARROW = 500;  // pixels
  static MOST = 40;  // states of a level that is not folded
  static SWEEPS = 6;  // over the levels, to have few crossings

  constructor(host) {
    Object.assign(this, JSON.parse(document.getElementById("graph-data").textContent));
    this.host = host;
    this.count = this.states.length;
    this.out = Array.from({ length: this.count }, () => []);
    this.into = Array.from({ length: this.count }, () => []);
    for (const [from, to, action] of this.edges) { this.out[from].push([to, action]); this.into[to].push([from, action]); }
    this.byLevel = [];
    this.levels.forEach((level, state) => (this.byLevel[level] ??= []).push(state));
    this.folded = new Set([...this.byLevel.keys()].filter((level) => this.byLevel[level].length > StateGraph.MOST));
    this.onWay = new Map(this.ways.flatMap(({ states, property }) => states.map((state) => [state, property])));
    this.wayEdges = new Set(this.ways.flatMap(({ states }) => states.slice(1).map((state, place) => `${states[place]} ${state}`)));
    this.failing = new Map(this.ways.map(({ states, property }) => [states.at(-1), property]));
    this.texts = this.states.map((values, state) => [...values.map((value, place) => `${this.variables[place]} = ${this.values[value]}`), ...this.out[state].map(([, action]) => this.actions[action])].join("\n").toLowerCase());
    this.found = new Set();
    this.current = this.ways[0]?.states.at(-1) ?? 0;
    this.labels = this.states.map((values) => values.map((value, place) => `${this.variables[place]} ${this.values[value]}`).join(", "));
    const longest = Math.max(...this.labels.map((label) => label.length));
    if (longest > StateGraph.LABEL || this.count > 4 * StateGraph.MOST) this.labels = null;
    this.gap = this.labels ? longest * StateGraph.LETTER + 16 : StateGraph.GAP;
    this.order();
    this.build();
    this.draw();
    this.fit();
    this.select(this.current, false);
  }

  static element(name, attributes = {}, ...children) {
    const made = document.createElementNS(StateGraph.SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /* Sorts each level by where its neighbours stand in the levels around. */
  order() {
    const place = new Float64Array(this.count);
    const settle = (level) => this.byLevel[level].forEach((state, index) => { place[state] = (index + 0.5) / this.byLevel[level].length; });
    this.byLevel.forEach((_, level) => settle(level));
    for (let sweep = 0; sweep < StateGraph.SWEEPS; sweep++) {
      const down = sweep % 2 === 0, levels = [...this.byLevel.keys()];
      for (const level of down ? levels.slice(1) : levels.slice(0, -1).reverse()) {
        const mean = (state) => {
          const near = (down ? this.into : this.out)[state].map(([other]) => other).filter((other) => this.levels[other] === level + (down ? -1 : 1));
          return near.length ? near.reduce((sum, other) => sum + place[other], 0) / near.length : place[state];
        };
        const means = new Map(this.byLevel[level].map((state) => [state, mean(state)]));
        this.byLevel[level].sort((one, other) => means.get(one) - means.get(other) || one - other);
        settle(level);
      }
    }
  }

  build() {
    const { make, button } = Page;
    this.search = make("input", { type: "search", placeholder: "x = 1, an action", size: 22, title: "Marks the states that have all these words; Enter goes to the next" });
    this.search.addEventListener("input", () => this.sought());
    this.search.addEventListener("keydown", (event) => { if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1); });
    this.said = make("span", { class: "count", role: "status" });
    this.svg = StateGraph.element("svg", { role: "img", "aria-label": `${this.count} states and ${this.edges.length} steps, by depth; what is selected is told beside it` });
    this.pane = make("div", { class: "pane graph", tabindex: 0, role: "group", "aria-label": "The graph: plus and minus zoom, arrow keys move" });
    this.pane.append(this.svg);
    this.aside = make("div", { class: "detail", role: "group", "aria-label": "The state selected", tabindex: 0 });
    const bar = make("div", { class: "bar-tools" }, make("label", {}, "Find ", this.search), this.said,
      button("+", "Zoom in (+)", () => this.zoom(0.7)), button("−", "Zoom out (-)", () => this.zoom(1.4)), button("Fit", "Show all (0)", () => this.fit()),
      ...(this.folded.size ? [button("Unfold", "Unfold all levels", () => { this.folded.clear(); this.draw(); this.fit(); })] : []));
    this.host.replaceChildren(bar, make("div", { class: "split" }, this.pane, this.aside));
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY > 0 ? 1.2 : 0.83, event); }, { passive: false });
    this.pane.addEventListener("keydown", (event) => this.pressed(event));
    this.drag();
  }

  pressed(event) {
    const step = this.view.width / 8, moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) { const [x, y] = moves[event.key]; this.look({ ...this.view, x: this.view.x + x, y: this.view.y + y }); } else if (event.key === "+") this.zoom(0.7); else if (event.key === "-") this.zoom(1.4); else if (event.key === "0") this.fit(); else return;
    event.preventDefault();
  }

  drag() {
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY, view: this.view }; this.moved = false; });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || event.buttons === 0) return;
      const scale = from.view.width / this.svg.clientWidth, x = (event.clientX - from.x) * scale, y = (event.clientY - from.y) * scale;
      if (Math.abs(x) + Math.abs(y) > 4 * scale) this.moved = true;
      this.look({ ...from.view, x: from.view.x - x, y: from.view.y - y });
    });
    this.svg.addEventListener("pointerup", () => { from = null; });
  }

  clicked(event) {
    const state = event.target.closest("[data-state]"), fold = event.target.closest(".fold");
    if (this.moved) return;
    if (fold) { this.folded.delete(Number(fold.dataset.level)); this.draw(); this.fit(); this.select(this.current); } else if (state) this.select(Number(state.dataset.state));
  }

  /* Where a state stands; those of a folded level stand together. */
  at(state) {
    const level = this.levels[state], own = this.byLevel[level];
    const place = this.folded.has(level) ? 0 : own.indexOf(state) - (own.length - 1) / 2;
    return { x: place * this.gap, y: level * StateGraph.DROP };
  }

  draw() {
    const { element } = StateGraph, places = this.states.map((_, state) => this.at(state));
    const drawn = new Map();
    for (const [from, to] of this.edges) {
      if (from === to) continue;
      const ends = [from, to].map((state) => this.folded.has(this.levels[state]) ? `level ${this.levels[state]}` : `${state}`);
      const key = ends.join(" > "), isWay = this.wayEdges.has(`${from} ${to}`);
      if (ends[0] !== ends[1] || isWay) drawn.set(key, { from, to, isWay: isWay || (drawn.get(key)?.isWay ?? false) });
    }
    const edges = [...drawn.values()].sort((one, other) => one.isWay - other.isWay).map(({ from, to, isWay }) => {
      const [a, b] = [places[from], places[to]], isDown = b.y > a.y, bend = isDown ? 0 : 26 + Math.abs(b.x - a.x) / 6;
      const d = isDown ? `M${a.x} ${a.y + 8}C${a.x} ${a.y + 44} ${b.x} ${b.y - 44} ${b.x} ${b.y - 9}` : `M${a.x + 8} ${a.y}C${a.x + bend + 8} ${a.y - 12} ${b.x + bend + 8} ${b.y + 22} ${b.x + 9} ${b.y + 2}`;
      return element("path", { class: `${isWay ? "edge way" : "edge"}${isDown ? "" : " back"}`, d, "data-edge": `${from} ${to}` });
    });
    const nodes = this.states.flatMap((_, state) => {
      if (this.folded.has(this.levels[state])) return [];
      const kind = ["node", state < this.initial ? "initial" : "", this.onWay.has(state) ? "way" : "", this.failing.has(state) ? "failing" : "", this.isStuck(state) ? "stuck" : ""].filter(Boolean).join(" ");
      const { x, y } = places[state];
      return [element("g", { class: kind, "data-state": state, transform: `translate(${x} ${y})` }, ...(this.labels ? [element("text", { class: "label", y: 24, "text-anchor": "middle" }, this.labels[state])] : []), ...(state < this.initial ? [element("circle", { r: 11, class: "outer" })] : []), element("circle", { r: 7.5 }))];
    });
    const folds = [...this.folded].map((level) => {
      const words = `${this.byLevel[level].length.toLocaleString("en")} states`, y = level * StateGraph.DROP;
      return element("g", { class: "fold", "data-level": level, transform: `translate(0 ${y})` }, element("rect", { x: -70, y: -13, width: 140, height: 26, rx: 13 }), element("text", { "text-anchor": "middle", y: 4 }, `${words} ▸`));
    });
    const most = Math.max(1, ...this.byLevel.map((own, level) => this.folded.has(level) ? 1 + 140 / this.gap : own.length));
    this.all = { x: -most * this.gap / 2 - 90, y: -40, width: most * this.gap + 150, height: (this.byLevel.length - 1) * StateGraph.DROP + 80 };
    const names = this.byLevel.map((own, level) => element("text", { class: "level", "data-level": level, x: this.all.x + 6, y: level * StateGraph.DROP + 4 }, StateGraph.levelName(level)));
    this.svg.replaceChildren(...names, ...edges, ...nodes, ...folds);
    this.mark();
  }

  look(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  /* Shows all, or what fits of it so that states are still seen. */
  fit() {
    const width = Math.max(240, this.pane.clientWidth - 2);
    let height = Math.min(Math.max(280, innerHeight - 260), 700);
    const isNarrow = width < StateGraph.NARROW;
    const scale = Math.max(0.7, Math.min(isNarrow ? 3.2 : 2.2, Math.max(this.all.width / width, this.all.height / height)));
    if (isNarrow) height = Math.min(height, Math.ceil(this.all.height / scale));
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    this.enlargeWords(isNarrow ? Math.max(1, 0.72 * scale) : 1);
    const size = { width: width * scale, height: height * scale }, { x, y } = this.at(this.current);
    const middle = (low, all, own, at) => all <= own ? low + (all - own) / 2 : Math.min(Math.max(low, at - own / 2), low + all - own);
    this.look({ ...size, x: middle(this.all.x, this.all.width, size.width, x), y: this.all.height <= size.height ? this.all.y : middle(this.all.y, this.all.height, size.height, y) });
  }

  /* In a narrow window the words are larger than the states, and levels have numbers alone. */
  enlargeWords(by) {
    for (const name of this.svg.querySelectorAll(".level")) {
      name.textContent = by > 1 ? name.dataset.level : StateGraph.levelName(Number(name.dataset.level));
      name.style.fontSize = `${15 * by}px`;  // the policy forbids the attribute
    }
    for (const fold of this.svg.querySelectorAll(".fold")) fold.setAttribute("transform", `translate(0 ${fold.dataset.level * StateGraph.DROP}) scale(${by})`);
  }

  static levelName(level) {
    return level === 0 ? "initially" : `${level} step${level === 1 ? "" : "s"}`;
  }

  zoom(by, event = null) {
    const { x, y, width, height } = this.view, box = this.svg.getBoundingClientRect();
    const [px, py] = event ? [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height] : [0.5, 0.5];
    this.look({ x: x + width * px * (1 - by), y: y + height * py * (1 - by), width: width * by, height: height * by });
  }

  sought() {
    const words = this.search.value.toLowerCase().split(/,\s*/).map((word) => word.trim()).filter(Boolean);
    this.found = new Set(words.length ? [...this.texts.keys()].filter((state) => words.every((word) => this.texts[state].includes(word))) : []);
    this.said.textContent = words.length ? `${this.found.size.toLocaleString("en")} of ${this.count.toLocaleString("en")} states` : "";
    this.mark();
  }

  next(way) {
    const ordered = [...this.found], place = ordered.indexOf(this.current);
    if (ordered.length) this.select(ordered[(place + way + ordered.length) % ordered.length]);
  }

  mark() {
    for (const node of this.svg.querySelectorAll("[data-state]")) {
      const state = Number(node.dataset.state);
      node.classList.toggle("current", state === this.current);
      node.classList.toggle("found", this.found.has(state));
    }
    for (const edge of this.svg.querySelectorAll("[data-edge]")) edge.classList.toggle("touched", edge.dataset.edge.split(" ").includes(String(this.current)));
  }

  /* Selects a state, brings it into view, and tells what it is. */
  select(state, linked = true) {
    this.current = Math.max(0, Math.min(this.count - 1, state));
    if (this.folded.delete(this.levels[this.current])) this.draw();
    const { x, y } = this.at(this.current), { view } = this;
    if (x < view.x || y < view.y || x > view.x + view.width || y > view.y + view.height) this.look({ ...view, x: x - view.width / 2, y: y - view.height / 2 });
    this.mark();
    this.tell();
    if (linked) Address.show(Address.make("graph", {}, { state: this.current }));
  }

  tell() {
    const { make, button } = Page, state = this.current, before = this.came(state);
    const words = [state < this.initial ? "an initial state" : `after ${this.levels[state]} step${this.levels[state] === 1 ? "" : "s"}`, this.failing.has(state) ? `${this.failing.get(state)} fails here` : "", this.isStuck(state) ? "nothing is enabled" : ""].filter(Boolean);
    const rows = this.states[state].map((value, place) => make("tr", { class: before !== null && this.states[before][place] !== value ? "changed" : "" }, make("th", { scope: "row" }, ...Page.breakable(this.variables[place])), make("td", {}, ...Page.unbroken(this.values[value]))));
    const steps = (title, list) => list.length === 0 ? [] : [make("h4", {}, `${title} (${list.length})`), make("ul", { class: "ways" }, ...list.map(([other, action]) => make("li", {}, button(`state ${other}`, `Go to state ${other}`, () => this.select(other)), ` ${this.actions[action]}`)))];
    this.aside.replaceChildren(make("h3", { "aria-live": "polite" }, `State ${state}`, make("small", {}, words.join(", "))),
      make("table", { class: Detail.layout(this.variables), "aria-label": "The state" }, make("tbody", {}, ...rows)),
      ...steps("Steps from here", this.out[state]), ...steps("Steps to here", this.into[state]));
  }

  /* Whether nothing is enabled: of a part of all states, those far down may not have been looked at. */
  isStuck(state) {
    return this.out[state].length === 0 && (this.complete || this.levels[state] < this.byLevel.length - 2);
  }

  /* The state from which a state was first reached. */
  came(state) {
    const found = this.into[state].find(([other]) => this.levels[other] < this.levels[state]);
    return found ? found[0] : null;
  }
}
