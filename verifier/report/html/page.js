"use strict";
/* One page of the report at a time, by the address; colours; the list's filter; keys. */
(() => {
  const root = document.documentElement, explorers = new Map();
  const pages = [...document.querySelectorAll(".page")];
  const start = document.getElementById("main").dataset.start;

  function shownPage() {
    const [name, step, view] = location.hash.slice(1).split("/");
    return { page: pages.find((page) => page.id === name) ?? pages.find((page) => page.id === start) ?? pages[0], step: /^step-\d+$/.test(step ?? "") ? Number(step.slice(5)) : null, view };
  }

  function show() {
    const { page, step, view } = shownPage();
    const moved = !page.classList.contains("current");
    for (const other of pages) other.classList.toggle("current", other === page);
    const host = page.querySelector(".explorer");
    if (host && !explorers.has(host)) explorers.set(host, new Explorer(host));
    if (moved) scrollTo(0, 0);
    if (!host) return;
    const explorer = explorers.get(host);
    if (view) explorer.look(view);
    if (step !== null) explorer.select(step, false);
    if (step !== null && !moved) explorer.bringIntoView();
  }

  function explorer() {
    return explorers.get(document.querySelector(".page.current .explorer"));
  }

  const theme = document.getElementById("theme");
  const themes = { "": ["◐ auto", "as the system has them"], light: ["☀ light", "light"], dark: ["☾ dark", "dark"] };
  theme.addEventListener("click", () => {
    const names = Object.keys(themes), next = names[(names.indexOf(root.dataset.theme ?? "") + 1) % names.length];
    if (next) root.dataset.theme = next; else delete root.dataset.theme;
    theme.textContent = themes[next][0];
    theme.setAttribute("aria-label", `Colours: ${themes[next][1]}`);
  });

  const find = document.getElementById("find");
  find?.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const rows = [...document.querySelectorAll("#list tbody tr")];
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    document.getElementById("found").textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });

  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll(".page.current details")) details.open = true;
    explorer()?.tabulate();
  });
  addEventListener("hashchange", show);
  root.classList.add("scripted");
  show();
})();
