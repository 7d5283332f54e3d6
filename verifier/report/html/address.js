"use strict";
/* The address of what is shown: #PAGE/step-N/VIEW?name=value. Any text may stand there; nothing in it is trusted. */
const Address = {
  MOST: 50, WITHIN: 15_000,  // so many writes in so many milliseconds: browsers refuse 100 or 200 in 30 s
  written: [],
  waiting: null,

  read() {
    const [path, query = ""] = location.hash.replace(/^#\/*/, "").split(/\?(.*)/s);
    const [name, ...rest] = path.split("/");
    const step = rest.find((part) => /^step-\d{1,9}$/.test(part));
    return { name, step: step === undefined ? null : Number(step.slice(5)), view: rest.find((part) => part !== step) ?? null, query: new URLSearchParams(query) };
  },

  make(name, { step = null, view = null } = {}, query = {}) {
    const path = [name, ...(step === null ? [] : [`step-${step}`]), ...(view === null ? [] : [view])].join("/");
    const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
    return `#${path}${given ? `?${given}` : ""}`;
  },

  /* Puts an address into the bar, without a step in the browser's history. */
  show(address) {
    clearTimeout(Address.waiting);
    if (address === location.hash) return;
    const now = performance.now();
    Address.written = Address.written.filter((time) => now - time < Address.WITHIN);
    if (Address.written.length >= Address.MOST) {
      Address.waiting = setTimeout(() => Address.show(address), 300);
      return;
    }
    Address.written.push(now);
    try { history.replaceState(null, "", address); } catch { /* The browser refuses; the page goes on. */ }
  },
};
// What was to be written is out of date once somebody went elsewhere.
addEventListener("hashchange", () => clearTimeout(Address.waiting));
