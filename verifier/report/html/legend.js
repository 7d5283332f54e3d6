"use strict";
/* The marks that a view has drawn, each with its meaning. Those that are absent are not explained. */
const Legend = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function icon(shapes) {
    const svg = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ width: 22, height: 12, viewBox: "0 0 22 12", "aria-hidden": "true" })) svg.setAttribute(name, value);
    for (const [kind, shape, attributes] of shapes) {
      const made = document.createElementNS(SVG, shape);
      made.setAttribute("class", kind);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      svg.append(made);
    }
    return svg;
  }

  const line = (kind, y2 = 6) => [kind, "line", { x1: 1, y1: y2 === 6 ? 6 : 1, x2: 17, y2 }];
  const head = (y) => ["shows-head", "path", { d: `M21 ${y}l-7 -3.6v7.2Z` }];
  const sample = (kind, words) => Page.make("span", { class: `sample ${kind}`, "aria-hidden": "true" }, words);

  /* Of the lanes: what finds a mark in the drawing, the mark, its meaning. */
  const LANES = [
    [".mark.actor", () => icon([["shows-mark shows-actor", "circle", { cx: 11, cy: 6, r: 5 }]]), "acts"],
    [".mark:not(.actor)", () => icon([["shows-mark", "circle", { cx: 11, cy: 6, r: 4 }]]), "is changed"],
    [".head-of-message", () => icon([line("shows-arrow"), head(6)]), "sends to"],
    [".undirected", () => icon([line("shows-arrow")]), "both take part"],
    [".later", () => icon([line("shows-arrow", 9), ["shows-head", "path", { d: "M21 11l-7 0.4l3.6 -6.2Z" }]]), "arrives in a later step"],
    [".arrow.lost", () => icon([line("shows-arrow lost"), ["shows-cross", "path", { d: "M14 2l7 8m0 -8l-7 8" }]]), "is lost"],
    [".arrow.flying", () => icon([line("shows-arrow flying")]), "has not arrived"],
    [".back-edge", () => icon([["loop-mark", "path", { d: "M18 10H8V3H15" }], ["shows-head", "path", { d: "M20 3l-6 -3v6Z" }]]), "repeats forever"],
    [".ring", () => icon([["shows-ring", "circle", { cx: 11, cy: 6, r: 5 }]]), "a value that breaks the property"],
    [".row .change.wrong", () => sample("wrong", "red"), "the step that set it"],
    [".row .change.cause", () => sample("cause", "bold"), "a change that triggered the requirement"],
  ];

  /* Of the tables. */
  const TABLE = [
    [".steps td.changed", () => sample("changed", "yellow"), "changed by the step"],
    [".steps td.wrong, .steps div.wrong, .steps .at-fault", () => sample("wrong", "red"), "at fault"],
    [".steps .round", () => sample("round", "blue"), "repeats forever"],
    [".steps .same:not(.inside)", () => sample("same", "grey"), "as before"],
    [".beside .none", () => sample("", "·"), "no such step"],
    ["[aria-expanded]", () => sample("tool", "▸ ▾"), "unfold and fold"],
    [".steps .tools", () => sample("tool", "←"), "move to the left"],
    [".steps .tools", () => sample("tool", "⊣"), "keep in view"],
    [".steps .tools", () => sample("tool", "×"), "hide"],
  ];

  /* Signs in values, whichever view they stand in. */
  function signsOf(pane) {
    const words = [...pane.querySelectorAll(".change, .steps td, .steps div")].filter((one) => !one.closest(".verdict-row")).map((one) => one.textContent);
    const has = (pattern) => words.some((one) => pattern.test(one));
    return [
      ...(has(/(^|[ :,])[+] /) ? [[sample("", "+"), "added"]] : []),
      ...(has(/(^|[ :,])− /) ? [[sample("", "−"), "removed"]] : []),
      ...(has(/(^|[ (])–($|[ ),])/) ? [[sample("", "–"), "none"]] : []),
    ];
  }

  /* The entries of a legend for what stands in a pane. */
  function of(pane) {
    const marks = [...LANES, ...TABLE].filter(([found]) => pane.querySelector(found)).map(([, make, words]) => [make(), words]);
    return [...marks, ...signsOf(pane)].map(([mark, words]) => Page.make("li", { class: mark.classList.contains("tool") ? "tools" : "" }, mark, ` ${words}`));
  }

  return { of };
})();
