"use strict";
/* One page of the report at a time, by the address; colours; the list's filter; print. */
(() => {
  const root = document.documentElement, explorers = new Map();
  const pages = [...document.querySelectorAll(".page")], verdicts = pages.filter((page) => page.matches(".verdict"));
  const main = document.getElementById("main"), missing = document.getElementById("missing");

  /* The page of a name, or of a verdict's number. */
  function pageOf(name) {
    const number = /^verdict-(\d{1,9})$/.exec(name);
    return pages.find((page) => page.id === name) ?? (number ? verdicts[Number(number[1]) - 1] : undefined);
  }

  function show() {
    const { name, step, view, query } = Address.read();
    const found = pageOf(name), start = pages.find((page) => page.id === main.dataset.start);
    const page = found ?? (name ? pages.find((one) => one.id === "overview") : start) ?? start ?? pages[0];
    missing.hidden = Boolean(found) || !name || name === "main";
    missing.textContent = missing.hidden ? "" : "This report has no verdict with the name in the address.";
    const moved = !page.classList.contains("current");
    for (const other of pages) other.classList.toggle("current", other === page);
    document.title = page.dataset.title ? `${page.dataset.title} · ${main.dataset.title}` : main.dataset.title;
    if (moved) scrollTo(0, 0);
    const host = page.querySelector(".explorer");
    if (host) showExecution(host, step, view, query, moved);
  }

  function showExecution(host, step, view, query, moved) {
    if (!explorers.has(host)) explorers.set(host, new Explorer(host));
    const explorer = explorers.get(host);
    if (query.has("show")) explorer.showOnly(query.get("show"));
    if (view) explorer.look(view);
    if (step !== null) explorer.select(step, false);
    if (step !== null && !moved) explorer.bringIntoView();
  }

  /* The colours, which a browser that keeps nothing forgets. */
  const theme = document.getElementById("theme"), KEPT = "verify-theme";
  const themes = { "": ["◐ auto", "as the system has them"], light: ["☀ light", "light"], dark: ["☾ dark", "dark"] };
  function colour(name) {
    if (name) root.dataset.theme = name; else delete root.dataset.theme;
    theme.textContent = themes[name][0];
    theme.title = `Colours: ${themes[name][1]}`;
  }
  theme.addEventListener("click", () => {
    const names = Object.keys(themes), next = names[(names.indexOf(root.dataset.theme ?? "") + 1) % names.length];
    colour(next);
    try { localStorage.setItem(KEPT, next); } catch { /* Nothing is kept. */ }
  });
  try {
    const kept = localStorage.getItem(KEPT) ?? "";
    if (kept in themes) colour(kept);
  } catch { /* Nothing was kept. */ }

  const find = document.getElementById("find");
  find?.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const rows = [...document.querySelectorAll("#list tbody tr")];
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    document.getElementById("found").textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });

  for (const command of document.querySelectorAll(".command")) {
    command.before(Copying.button("command", () => command.textContent));
  }

  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll(".page.current > details, .page.current .fallback, .page.current .asked details")) details.open = true;
    explorers.get(document.querySelector(".page.current .explorer"))?.tabulate();
  });
  addEventListener("hashchange", show);
  root.classList.add("scripted");
  show();
})();
