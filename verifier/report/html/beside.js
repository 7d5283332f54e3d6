"use strict";
/* Two executions side by side: aligned by their actions, with what differs in the states that correspond. */
class Beside {
  static MOST = 1_500_000;  // pairs of steps that are compared
  static SHOWN = 6;

  constructor(trace, label, shown, others, link) {
    this.trace = trace;
    this.label = label;
    this.shown = shown;
    this.link = link;
    this.others = others;
    this.pane = Page.make("div", { class: "pane beside", tabindex: 0, role: "group", "aria-label": "Two executions side by side: arrow keys step and pan" });
    this.choice = Page.make("select", { "aria-label": "The other execution" }, ...others.map(({ title }, number) => Page.make("option", { value: String(number) }, title)));
    this.choice.addEventListener("change", () => { this.draw(); this.mark(this.current, this.found); });
  }

  static titleOf(trace, step) {
    return trace.callOf(step);
  }

  /* Which steps correspond: all that are alike at the start, then a longest common subsequence of actions. */
  static align(one, other) {
    const titles = [one, other].map((trace) => trace.steps.map((_, step) => Beside.titleOf(trace, step)));
    const names = [one, other].map((trace) => trace.steps.map((_, step) => trace.steps[step].action));
    const [n, m] = titles.map((of) => of.length);
    if (n * m > Beside.MOST) return [...Array(Math.max(n, m)).keys()].map((step) => [step < n ? step : null, step < m ? step : null]);
    const worth = (i, j) => titles[0][i] === titles[1][j] ? 3 : names[0][i] === names[1][j] ? 2 : 0;  // of others' parameters, too
    const best = Array.from({ length: n + 1 }, () => new Int32Array(m + 1));
    for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--) {
      const same = worth(i, j);
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], same ? same + best[i + 1][j + 1] : 0);
    }
    const pairs = [];
    let i = 0, j = 0;
    while (i < n || j < m) {
      const same = i < n && j < m ? worth(i, j) : 0;
      if (same && best[i][j] === same + best[i + 1][j + 1]) pairs.push([i++, j++]);
      else if (j >= m || (i < n && best[i + 1][j] >= best[i][j + 1])) pairs.push([i++, null]);
      else pairs.push([null, j++]);
    }
    return pairs;
  }

  /* The parts that both states have, with other values. */
  differences(other, i, j) {
    const places = new Map(other.places.map(([path], place) => [path, place]));
    return this.trace.places.flatMap(([path], place) => {
      if (!places.has(path) || !this.shown(place)) return [];
      const [one, two] = [this.trace.states[i][place].text, other.states[j][places.get(path)].text];
      return one === two ? [] : [[path, one, two]];
    });
  }

  draw() {
    const { make } = Page, chosen = this.others[Number(this.choice.value)], other = chosen.trace();
    let isFirst = true, before = 0;  // the step of this execution after which the other has steps of its own
    this.firstDifference = null;
    const rows = Beside.align(this.trace, other).map(([i, j]) => {
      const differing = i === null || j === null ? [] : this.differences(other, i, j);
      const isAlike = i !== null && j !== null && differing.length === 0 && Beside.titleOf(this.trace, i) === Beside.titleOf(other, j);
      const kind = isAlike ? "" : isFirst ? "first" : "";
      before = i ?? before;
      if (!isAlike && isFirst) this.firstDifference = before;
      isFirst = isFirst && isAlike;
      const lines = differing.slice(0, Beside.SHOWN).map(([path, one, two]) => make("div", {}, `${path}: `, make("span", { class: "one" }, ...Page.unbroken(one)), " | ", make("span", { class: "two" }, ...Page.unbroken(two))));
      if (differing.length > lines.length) lines.push(make("div", { class: "more" }, `+ ${differing.length - lines.length} more`));
      const links = [[this.trace, i, () => this.link(i)], [other, j, () => `#${chosen.page}/step-${j}`]].map(([trace, step, href]) => step === null ? make("td", { class: "none" }, "·") : make("td", {}, make("a", { class: "at", href: href() }, String(step)), " ", make("b", {}, ...Page.breakable(trace.titleOf(step))), make("small", {}, trace.wordsOf(step))));
      const between = i === null ? ["only at the right"] : j === null ? ["only at the left"] : lines.length ? lines : ["the same state"];
      return make("tr", { class: kind, ...(i === null ? { "data-after": before } : { "data-step": i }) }, ...links, make("td", { class: lines.length ? "between changed" : "between same" }, ...between));
    });
    const heads = [`this one: ${this.label}`, chosen.title, "values that differ: left | right"].map((name) => make("th", { scope: "col" }, name));
    this.table = make("table", { class: "steps" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    this.pane.replaceChildren(make("p", { class: "choice" }, make("label", {}, "Beside ", this.choice), ...(isFirst ? [make("b", {}, " The two executions are the same.")] : [])), this.table);
    return this;
  }

  mark(step, found) {
    this.current = step;
    this.found = found;
    Page.markRows(this.pane, step, found);
    for (const row of this.pane.querySelectorAll("[data-after]")) row.classList.toggle("current", Number(row.dataset.after) === step);
  }

  /* Where the rows of this execution are, with those that follow only at the right. */
  get rows() {
    const body = this.table.tBodies[0], start = body.getBoundingClientRect().top;
    const rows = [];
    for (const row of body.rows) {
      const { top, bottom } = row.getBoundingClientRect(), isOwn = row.dataset.step !== undefined, last = rows.at(-1);
      if (isOwn) rows.push({ top: Math.floor(top - start), height: bottom - top });
      else if (last) last.height = bottom - start - last.top;
    }
    return rows;
  }

  get headHeight() {
    return this.table.tHead.offsetHeight + this.pane.querySelector(".choice").offsetHeight;
  }
}
