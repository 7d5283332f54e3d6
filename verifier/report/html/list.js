"use strict";
/* The list of all verdicts: sorted, chosen by facets that stand in the address, and drawn only where it is in view. */
class List {
  static ROW = 31;  // the height of a row, as the style sheet has it
  static ALL = 150;  // up to so many rows are drawn at once
  static PRINTED = 200;  // rows on paper
  static MOST = 40;  // values of a facet
  static WIDEST = 420;  // pixels of a column

  constructor(host) {
    Object.assign(this, JSON.parse(document.getElementById("rows").textContent));
    this.count = this.addresses.length;
    this.lower = this.columns.map(({ values }) => values.map((value) => value.toLowerCase()));
    this.facets = this.columns.filter(({ facet, values }) => facet && values.length > 1 && values.length <= List.MOST);
    this.chosen = new Map();
    this.absent = [];  // what an address asks for and no row has
    this.words = [];
    this.sorted = null;
    this.printing = false;
    this.place = 0;
    this.build(host);
    this.choose();
  }

  build(host) {
    const { make, button } = Page;
    this.find = make("input", { type: "search", id: "find", placeholder: "VIOLATED, log_size=2, …" });
    this.find.addEventListener("input", () => { this.words = this.find.value.toLowerCase().split(/[\s,]+/).filter(Boolean); this.changed(); });
    this.found = make("span", { id: "found", role: "status" });
    this.selects = new Map(this.facets.map((column) => {
      const select = make("select", {}, make("option", { value: "" }, "any"), ...column.values.map((value, code) => make("option", { value: String(code) }, value || "none")));
      select.addEventListener("change", () => { this.put(column, select.value === "" ? null : Number(select.value)); this.changed(); });
      return [column, select];
    }));
    const facets = [...this.selects].map(([column, select]) => make("label", {}, `${column.name} `, select));
    this.clear = button("Clear", "Choose all verdicts", () => { this.chosen.clear(); this.absent = []; this.words = []; this.find.value = ""; this.changed(); });
    this.heads = this.columns.map((column, number) => {
      const head = make("th", { scope: "col" }, button(column.name, `Sort by ${column.name}`, () => this.sortBy(number)));
      head.classList.toggle("number", column.number);
      return head;
    });
    this.body = make("tbody");
    this.drawnRows = [];
    this.spaces = [0, 1].map(() => make("tr", { class: "space", "aria-hidden": "true" }, make("td", { colspan: this.columns.length + 1 })));
    const widths = this.widths();
    this.table = make("table", {}, make("colgroup", {}, ...widths.map(() => make("col"))), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "#"), ...this.heads)), this.body);
    // Fixed widths: the browser need not measure all rows again whenever some change.
    [...this.table.querySelectorAll("col")].forEach((col, number) => { col.style.width = `${widths[number]}px`; });
    this.table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}px`;
    this.pane = make("div", { class: "rows", tabindex: 0, role: "group", "aria-label": "All verdicts" }, this.table);
    this.pane.addEventListener("scroll", () => { if (this.pane.offsetParent) this.place = this.pane.scrollTop; this.draw(); });
    this.printed = make("p", { class: "printed" });
    this.printed.hidden = true;
    host.replaceChildren(make("p", { class: "facets" }, make("label", {}, "Show those that contain ", this.find), ...facets, this.clear, this.found), this.printed, this.pane);
  }

  put(column, code) {
    this.absent = this.absent.filter(([name]) => name !== column.name);
    if (code === null) this.chosen.delete(column); else this.chosen.set(column, code);
  }

  changed() {
    Address.show(this.address());
    this.choose();
  }

  address() {
    const query = { find: this.find.value };
    for (const [column, code] of this.chosen) query[column.name] = column.values[code];
    for (const [name, value] of this.absent) query[name] = value;
    if (this.sorted !== null) query.sort = `${this.sorted.down ? "-" : ""}${this.columns[this.sorted.number].name}`;
    return Address.make("overview", {}, query);
  }

  /* What an address says. No row is shown if it asks for what the list does not have. */
  read(query) {
    this.find.value = query.get("find") ?? "";
    this.words = this.find.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    this.chosen.clear();
    this.absent = [];
    for (const [name, value] of query) {
      if (["find", "sort"].includes(name)) continue;
      const column = this.columns.find((one) => one.name === name), code = column?.values.indexOf(value) ?? -1;
      if (code >= 0) this.chosen.set(column, code); else this.absent.push([name, value]);
    }
    const sort = query.get("sort") ?? "", number = this.columns.findIndex(({ name }) => name === sort.replace(/^-/, ""));
    this.sorted = number < 0 ? null : { number, down: sort.startsWith("-") };
    this.choose();
  }

  /* The columns that have a word somewhere: of each, which of its values have it. */
  having(word) {
    const [name, value] = word.split(/=(.*)/s);
    return this.columns.flatMap((column, number) => {
      const isNamed = value !== undefined && column.name.toLowerCase() === name;
      const has = this.lower[number].map((text) => text.includes(word) || (isNamed && text === value));
      return has.includes(true) ? [[column.codes, has]] : [];
    });
  }

  sortBy(number) {
    this.sorted = this.sorted?.number !== number ? { number, down: this.columns[number].number } : { number, down: !this.sorted.down };
    this.changed();
  }

  /* The rows that have what was chosen, in order. Values are in order, so their numbers are. */
  choose() {
    let rows = Uint32Array.from({ length: this.absent.length ? 0 : this.count }, (_, row) => row);
    for (const [{ codes }, code] of this.chosen) rows = rows.filter((row) => codes[row] === code);
    for (const word of this.words) {
      const having = this.having(word);
      rows = rows.filter((row) => having.some(([codes, has]) => has[codes[row]]));
    }
    this.rows = Array.from(rows);
    if (this.sorted !== null) {
      const { codes } = this.columns[this.sorted.number], sign = this.sorted.down ? -1 : 1;
      this.rows.sort((one, other) => sign * (codes[one] - codes[other]) || one - other);
    }
    const nothing = this.absent.map(([name, value]) => `${name}=${value}`).join(", ");
    this.found.textContent = `${this.rows.length.toLocaleString("en")} of ${this.count.toLocaleString("en")}${nothing ? `: none has ${nothing}` : ""}`;
    for (const [column, select] of this.selects) select.value = this.chosen.has(column) ? String(this.chosen.get(column)) : "";
    this.heads.forEach((head, number) => head.setAttribute("aria-sort", this.sorted?.number !== number ? "none" : this.sorted.down ? "descending" : "ascending"));
    this.clear.hidden = this.chosen.size === 0 && this.absent.length === 0 && this.words.length === 0;
    this.pane.scrollTop = 0;
    this.drawn = null;
    this.draw();
  }

  /* The room that the columns need, from left to right. */
  widths() {
    const pen = document.createElement("canvas").getContext("2d"), { fontFamily } = getComputedStyle(document.body);
    const widest = (texts, font) => {
      pen.font = `${font} ${fontFamily}`;
      const longest = [...texts].sort((one, other) => other.length - one.length).slice(0, 20);
      return Math.max(0, ...longest.map((text) => pen.measureText(text).width));
    };
    const of = ({ name, values }) => {
      const head = widest([`${name} ▲`], "600 14px"), isChip = name === "verdict";
      const room = isChip ? widest(values.map((value) => `${this.marks[value]} ${value}`), "600 13px") + 20 : widest(values, "14px");
      return Math.ceil(Math.min(List.WIDEST, Math.max(head, room) + 18));
    };
    return [Math.ceil(widest([String(this.count), "##"], "600 14px") + 18), ...this.columns.map(of)];
  }

  /* Before print, draws the rows whether in view or not, and says it if they are too many; afterwards, those in view. */
  print(isPrinting) {
    this.printing = isPrinting;
    this.drawn = null;
    this.draw();
    const { length } = this.rows;
    this.printed.hidden = !isPrinting || length <= List.PRINTED;
    this.printed.textContent = `Printed are the first ${List.PRINTED} of ${length.toLocaleString("en")} verdicts.`;
  }

  /* The rows in view, between two that hold the place of the others. */
  draw() {
    const few = this.printing || this.rows.length <= List.ALL, inView = Math.ceil(innerHeight * 0.75 / List.ROW);
    const first = few ? 0 : Math.max(0, Math.min(Math.floor(this.pane.scrollTop / List.ROW) - 6, this.rows.length - inView));
    const last = this.printing ? Math.min(this.rows.length, List.PRINTED) : few ? this.rows.length : Math.min(this.rows.length, first + inView + 12);
    if (this.drawn === first) return;
    this.drawn = first;
    const shown = this.rows.slice(first, last), rest = this.printing ? [0, 0] : [first, this.rows.length - last];
    while (this.drawnRows.length < shown.length) this.drawnRows.push(this.emptyRow());
    shown.forEach((number, place) => this.fill(this.drawnRows[place], number));
    this.spaces.forEach((space, end) => { space.firstChild.style.height = `${rest[end] * List.ROW}px`; });  // the policy forbids the attribute
    const parts = [...(rest[0] ? [this.spaces[0]] : []), ...this.drawnRows.slice(0, shown.length).map(({ row }) => row), ...(rest[1] ? [this.spaces[1]] : [])];
    const { children } = this.body;
    if (children.length !== parts.length || parts[0] !== children[0]) this.body.replaceChildren(...parts);
  }

  /* A row of the table to be filled, and filled again with others. */
  emptyRow() {
    const { make } = Page, link = make("a"), chip = make("a");
    const texts = this.columns.map(() => document.createTextNode(""));
    const mark = make("span", { "aria-hidden": "true" });
    const cells = this.columns.map((column, place) => {
      if (column.name === "verdict") chip.append(mark, " ", texts[place]);
      return make("td", column.number ? { class: "number" } : {}, column.name === "verdict" ? chip : texts[place]);
    });
    return { row: make("tr", {}, make("td", {}, link), ...cells), link, chip, mark, cells, texts, number: null };
  }

  fill(drawn, number) {
    if (drawn.number === number) return;
    drawn.number = number;
    const href = `#${this.addresses[number]}`;
    drawn.link.href = drawn.chip.href = href;
    drawn.link.textContent = String(number + 1);
    drawn.link.ariaLabel = `Verdict ${number + 1}`;
    this.columns.forEach((column, place) => {
      const text = column.values[column.codes[number]], node = drawn.texts[place];
      if (node.data === text) return;
      node.data = text;
      drawn.cells[place].title = text.length > 20 ? text : "";
      if (column.name !== "verdict") return;
      drawn.chip.className = `chip ${text}`;
      drawn.mark.textContent = this.marks[text];
    });
  }
}

/* The pages of many verdicts, which are packed until one is opened. */
const Packed = {
  /* Makes the page of a verdict. Its text was escaped when it was written. */
  async make(number, main) {
    Packed.ready ??= Copying.unpack(document.getElementById("packed").textContent);
    const made = document.createElement("template");
    Packed.columns = await Packed.ready;
    made.innerHTML = Packed.pageOf(Packed.columns, number);
    main.append(made.content);
  },

  /* The pages that have an execution, by number; known once a page was made. */
  executions() {
    Packed.found ??= Packed.pagesWith('class="explorer"').map((number) => {
      const [, title] = /data-title="([^"]*)"/.exec(Packed.pageOf(Packed.columns.slice(0, 1), number)), made = document.createElement("textarea");
      made.innerHTML = title;  // only reads what stands for special characters
      const trace = () => {
        const page = document.createElement("template");
        page.innerHTML = Packed.pageOf(Packed.columns, number);
        return page.content.getElementById(page.content.querySelector(".explorer").dataset.trace).textContent;
      };
      return { number, title: made.value, trace };
    });
    return Packed.found;
  },

  /* The numbers of the pages with these words in a line. */
  pagesWith(words) {
    const found = new Set();
    for (const column of Packed.columns) {
      let has = false;
      column.forEach((line, number) => {
        if (line !== 0) has = line !== null && line.includes(words);
        if (has) found.add(number);
      });
    }
    return [...found].sort((one, other) => one - other);
  },

  /* The lines of a page: 0 stands for the line of the page before, null for none. */
  pageOf(columns, number) {
    const lines = columns.map((column) => {
      let at = number;
      while (column[at] === 0) at -= 1;
      return column[at];
    });
    return lines.filter((line) => line !== null).join("\n");
  },
};
