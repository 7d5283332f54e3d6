"use strict";
/* One page of the report at a time, by the address; colours; print. */
(() => {
  const root = document.documentElement, explorers = new Map();
  const main = document.getElementById("main"), missing = document.getElementById("missing");

  const listed = document.getElementById("list"), list = listed ? new List(listed) : null;
  const packed = document.getElementById("packed") ? list.addresses : [];

  /* The page of a name, or of a verdict's number. That of one of many is made when it is first opened. */
  async function pageOf(name) {
    const number = /^verdict-(\d{1,9})$/.exec(name);
    const wanted = number && list ? list.addresses[Number(number[1]) - 1] : number && number[1] === "1" ? main.dataset.start : name;
    const isPage = (id) => document.getElementById(id)?.matches(".page");
    const place = packed.indexOf(wanted);
    if (place >= 0 && !isPage(wanted)) {
      await Packed.make(place, main);
      offerCommands();
    }
    return wanted && isPage(wanted) ? document.getElementById(wanted) : undefined;
  }

  let left = null, seenAt = 0;  // where the overview was left, and where the window was scrolled to before the address changed
  addEventListener("scroll", () => { if (document.getElementById("overview")?.classList.contains("current")) seenAt = scrollY; });

  async function show() {
    const { name, step, view, query } = Address.read(), asked = location.hash;
    const found = name ? await pageOf(name) : undefined;
    if (location.hash !== asked) return;  // somebody went on meanwhile
    const overview = document.getElementById("overview"), start = await pageOf(main.dataset.start);
    const page = found ?? (name && overview ? overview : start) ?? document.querySelector(".page");
    missing.hidden = Boolean(found) || ["", "main", "overview"].includes(name);
    missing.textContent = missing.hidden ? "" : "This report has no verdict with the name in the address.";
    const moved = !page.classList.contains("current");
    if (moved && list && overview.classList.contains("current")) left = { address: list.address(), y: seenAt, top: list.place };
    for (const other of document.querySelectorAll(".page")) other.classList.toggle("current", other === page);
    document.title = page.dataset.title ? `${page.dataset.title} · ${main.dataset.title}` : main.dataset.title;
    if (moved) scrollTo(0, 0);
    if (page === overview && list) showOverview(query, moved);
    if (page.id === "graph" && document.getElementById("graph-host")) showGraph(query);
    fitLogs();
    const host = page.querySelector(".explorer");
    if (host) showExecution(host, step, view, query, moved);
  }

  /* The list as the address says; as it was left, where that is the same. */
  function showOverview(query, moved) {
    if (moved && left && left.address === (location.hash || "#overview") && list.address() === left.address) {
      list.pane.scrollTop = left.top;
      scrollTo(0, left.y);
      return;
    }
    list.read(query);
    if (query.size > 0) showList();
  }

  function showGraph(query) {
    const host = document.getElementById("graph-host");
    if (!explorers.has(host)) explorers.set(host, new StateGraph(host));
    if (/^\d{1,9}$/.test(query.get("state") ?? "")) explorers.get(host).select(Number(query.get("state")), false);
  }

  /* Makes the pane of a log, which opens at its end, as high as the window allows, and so that no row is cut above. */
  function fitLogs() {
    for (const pane of document.querySelectorAll(".page.current .upwards")) {
      const spare = innerHeight - pane.getBoundingClientRect().top - scrollY - 60;
      pane.style.maxHeight = `${Math.max(spare, innerHeight * 0.46)}px`;
      const table = pane.querySelector("table"), head = table.tHead.offsetHeight, end = table.offsetHeight;
      const room = pane.clientHeight - head, edge = pane.offsetHeight - pane.clientHeight;
      if (end <= pane.clientHeight) continue;
      const from = table.getBoundingClientRect().top, tops = [...table.tBodies[0].rows].map((row) => row.getBoundingClientRect().top - from);
      const first = tops.find((top) => top >= end - room);
      if (first !== undefined) pane.style.maxHeight = `${Math.floor(end - first + head + edge)}px`;
    }
  }

  /* The list, which may be folded. */
  function showList() {
    const folded = listed.closest("details");
    if (folded) folded.open = true;
    listed.scrollIntoView();
  }

  function showExecution(host, step, view, query, moved) {
    if (!explorers.has(host)) explorers.set(host, new Explorer(host));
    const explorer = explorers.get(host);
    if (query.has("show")) explorer.showOnly(query.get("show"));
    if (query.has("watch")) explorer.watchFor(query.get("watch"));
    if (view) explorer.look(view);
    if (step !== null) explorer.select(step, !moved);  // the address also says the view, and what is shown
    if (step !== null && !moved) explorer.bringIntoView();
  }

  /* The colours, which a browser that keeps nothing forgets. */
  const theme = document.getElementById("theme"), KEPT = "verify-theme";
  const themes = { "": ["◐", "auto", "as the system has them"], light: ["☀", "light", "light"], dark: ["☾", "dark", "dark"] };
  function colour(name) {
    if (name) root.dataset.theme = name; else delete root.dataset.theme;
    const [sign, word, meaning] = themes[name];
    theme.replaceChildren(sign, Page.make("span", { class: "broad" }, ` ${word}`));
    theme.setAttribute("aria-label", `Colours: ${word}`);
    theme.title = `Colours: ${meaning}`;
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

  function offerCommands() {
    for (const command of document.querySelectorAll(".command:not(.offered)")) {
      command.classList.add("offered");
      command.before(Copying.button("command", () => command.textContent));
    }
  }
  offerCommands();

  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll(".page.current > details, .page.current .fallback, .page.current .asked details, .page.current .failing details")) details.open = true;
    explorers.get(document.querySelector(".page.current .explorer"))?.tabulate();
    list?.print(true);
  });
  addEventListener("afterprint", () => list?.print(false));
  // The address keeps saying what is shown.
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  addEventListener("hashchange", show);
  addEventListener("resize", fitLogs);
  show();
})();
