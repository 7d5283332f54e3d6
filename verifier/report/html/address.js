"use strict";
/* The address of what is shown: #PAGE/step-N/VIEW?name=value. Any text may stand there; nothing in it is trusted. */
const Address = {
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
    history.replaceState(null, "", address);
  },
};
