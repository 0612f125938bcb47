// Uses the page of a run as a reader would, and reports what it shows after each act.
addEventListener("load", async () => {
  const by = (id) => document.getElementById(id), report = [];
  while (by("player").hidden) await new Promise((done) => setTimeout(done, 20));
  const read = (did) => report.push({
    did,
    position: Number(by("scrubber").value),
    shown: [...by("picture").querySelectorAll("text")].map((text) => text.textContent),
    cards: [...by("cards").querySelectorAll("text")].map((text) => text.textContent),
    caption: by("caption").textContent,
    result: by("result").textContent,
    totals: by("totals").textContent,
    line: document.querySelector("tr[aria-current] .number").textContent,
    lit: [...document.querySelectorAll(".run")].map((part) => part.textContent).join(""),
    counts: [...document.querySelectorAll("#code tr")].map(
      (row) => [...row.querySelectorAll(".count")].map((cell) => cell.textContent),
    ),
    theme: document.documentElement.dataset.theme,
    fill: getComputedStyle(by("picture").querySelector("rect")).fill,
  });
  const press = (key, held = {}) => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...held }));
    read(`${held.shiftKey ? "Shift+" : held.ctrlKey ? "Ctrl+" : ""}${key}`);
  };
  read("open");
  for (const key of ["ArrowRight", "PageDown", "ArrowLeft", "PageUp", "5", "End", "ArrowRight", "Home", "ArrowLeft"]) {
    press(key);
  }
  for (const held of ["shiftKey", "ctrlKey"]) {
    for (const key of ["ArrowRight", "ArrowLeft"]) press(key, { [held]: true });
  }
  for (const at of [9, 30, 3]) {
    by("scrubber").value = at;
    by("scrubber").dispatchEvent(new Event("input", { bubbles: true }));
    read(`scrub ${at}`);
  }
  press(" ");
  while (Number(by("scrubber").value) < 5) await new Promise((done) => setTimeout(done, 50));
  press(" ");
  by("theme").click();
  read("theme");
  document.querySelectorAll("#code tr")[27].querySelector(".code").click();
  read("line 28");
  const controls = [...document.querySelectorAll("button, input, select")];
  const names = controls.map((part) => part.getAttribute("aria-label") || part.textContent);
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
  const out = document.createElement("pre");
  out.id = "report";
  const live = by("caption").getAttribute("aria-live");
  const bytes = new TextEncoder().encode(JSON.stringify({ report, names, loaded, live }));
  out.textContent = btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(""));
  document.body.append(out);
});
