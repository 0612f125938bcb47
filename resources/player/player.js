"use strict";
// Plays a recorded run. The data are those of gui/explore/html_player: every picture is a list of numbers of elements,
// stored as its change from the one before.
(async () => {
  const SVG = "http://www.w3.org/2000/svg";
  const by = (id) => document.getElementById(id);

  async function unpack(text) {
    const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  let run;
  try {
    run = await unpack(by("data").textContent);
  } catch (error) {
    by("message").textContent = `This page cannot be shown here: ${error.message}. A browser of 2023 or later shows it.`;
    by("message").hidden = false;
    return;
  }

  // --- pictures ------------------------------------------------------------------------------------------

  const { shapes, used, styles, patterns } = run.elements;
  const sheet = document.createElement("style");
  sheet.textContent = `#picture, #cards { font-family: ${run.font}; }` + styles.map(([light, dark], number) =>
    `.e${number}{${light}}` + (dark === light ? "" : `:root[data-theme="dark"] .e${number}{${dark}}`)).join("\n");
  document.head.append(sheet);
  const hatches = document.createElementNS(SVG, "svg");
  hatches.setAttribute("width", 0);
  hatches.setAttribute("height", 0);
  hatches.setAttribute("aria-hidden", "true");
  hatches.style.position = "absolute";
  hatches.innerHTML = `<defs>${patterns}</defs>`;
  document.body.prepend(hatches);

  /** Return the numbers of each picture. */
  function restore(changes) {
    const pictures = [];
    let before = [];
    for (const change of changes) {
      const now = [];
      let at = 0;
      for (const [kept, dropped, ...added] of change) {
        now.push(...before.slice(at, at + kept), ...added);
        at += kept + dropped;
      }
      now.push(...before.slice(at));
      pictures.push(now);
      before = now;
    }
    return pictures;
  }

  const nodes = [];
  function node(number) {
    if (!nodes[number]) {
      const holder = document.createElementNS(SVG, "g");
      holder.innerHTML = markup(shapes[number]);
      nodes[number] = holder.firstChild;
      nodes[number].setAttribute("class", `e${used[number]}`);
    }
    return nodes[number];
  }

  function markup(shape) {
    const words = shape.indexOf(">");
    const name = shape.slice(0, shape.search(/[ >]|$/));
    return words < 0 ? `<${shape}/>` : `<${shape}</${name}>`;
  }

  /** Show a picture: elements that stay are not touched. */
  function draw(svg, numbers) {
    let next = svg.firstChild;
    const wanted = new Set(numbers);
    for (const number of numbers) {
      while (next && !wanted.has(next.number)) {
        const gone = next;
        next = next.nextSibling;
        gone.remove();
      }
      const own = node(number);
      own.number = number;
      if (own === next) next = next.nextSibling;
      else svg.insertBefore(own, next);
    }
    while (next) {
      const gone = next;
      next = next.nextSibling;
      gone.remove();
    }
  }

  const stages = restore(run.stage.changes), rows = restore(run.memory.changes);
  by("picture").setAttribute("viewBox", `0 0 ${run.stage.width} ${run.stage.height}`);
  by("cards").parentNode.style.setProperty("--row", `${run.memory.width} / ${run.memory.height}`);

  // --- listing -------------------------------------------------------------------------------------------

  const cells = run.lines.map((line, number) => {
    const row = by("code").insertRow();
    row.classList.toggle("skipped", line.skipped);
    const head = row.insertCell();
    head.className = "number";
    head.textContent = number + 1;
    const counts = run.columns.map(() => row.insertCell());
    counts.forEach((cell) => { cell.className = "count"; });
    const code = row.insertCell();
    code.className = "code";
    const indent = line.pieces.length ? line.pieces[0][0].search(/\S|$/) : 0;
    code.style.paddingLeft = `${indent / 2 + 4}ch`;
    code.style.textIndent = `${-indent / 2 - 4}ch`;
    code.addEventListener("click", () => { if (!String(getSelection())) seek(number + 1); });
    return { row, counts, code };
  });
  for (const heading of ["", ...run.columns, ""]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = heading;
    by("columns").append(cell);
  }
  const tokens = new Map();
  const inks = [];
  run.lines.forEach((line, number) => write(number, 0, 0));
  const tokenSheet = document.createElement("style");
  tokenSheet.textContent = inks.join("\n");
  document.head.append(tokenSheet);

  function ink(light, dark, bold) {
    const name = `${light}${dark}${bold}`;
    if (!light) return "";
    if (!tokens.has(name)) {
      tokens.set(name, `t${tokens.size}`);
      const own = tokens.get(name);
      inks.push(`.${own}{color:${light}${bold ? ";font-weight:bold" : ""}}:root[data-theme="dark"] .${own}{color:${dark}}`);
    }
    return tokens.get(name);
  }

  /** Write a line of code with the letters from one column up to another underlined. */
  function write(number, from, to) {
    const parts = [];
    let at = 0;
    for (const [text, light, dark, bold] of run.lines[number].pieces) {
      for (const [begin, end, marked] of [[0, from, false], [from, to, true], [to, Infinity, false]]) {
        const part = text.slice(Math.max(0, begin - at), Math.max(0, end - at));
        if (!part) continue;
        const span = document.createElement("span");
        if (!at && !part.trim()) span.style.letterSpacing = "-0.5ch";  // deep indents leave room for the code
        span.textContent = part;
        span.className = `${ink(light, dark, bold)}${marked ? " run" : ""}`.trim();
        parts.push(span);
      }
      at += text.length;
    }
    cells[number].code.replaceChildren(...parts);
  }

  const countsAt = [];
  run.steps.reduce((before, step) => {
    const now = { ...before, ...step.counts };
    countsAt.push(now);
    return now;
  }, {});

  let lit = [];
  function light(step) {
    for (const number of lit) {
      write(number, 0, 0);
      cells[number].row.removeAttribute("aria-current");
    }
    const [first, column, last, end] = step.span;
    lit = [];
    for (let line = first; line <= last && line <= cells.length; line++) {
      write(line - 1, line === first ? column - 1 : 0, line === last ? end - 1 : Infinity);
      lit.push(line - 1);
    }
    const now = cells[step.line - 1];
    if (!now) return;
    now.row.setAttribute("aria-current", "step");
    lit.push(step.line - 1);
    const view = by("listing"), head = by("columns").offsetHeight;
    const top = now.row.offsetTop, bottom = top + now.row.offsetHeight;
    if (top - head < view.scrollTop || bottom > view.scrollTop + view.clientHeight) {
      view.scrollTop = (top + bottom - view.clientHeight) / 2;
    }
  }

  // --- time ----------------------------------------------------------------------------------------------

  const last = run.steps.length - 1, marks = run.marks;
  let position = 0, timer = 0;
  const sorted = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
  const stops = {
    step: run.steps.map((_, number) => number),
    phase: sorted([0, last, ...marks.phases, ...marks.turns]),
    barrier: sorted([0, last, ...marks.barriers]),
  };
  const turnAt = (at) => marks.turns.reduce((found, first, turn) => (first <= at ? turn : found), 0);

  function show(to) {
    position = Math.min(Math.max(to, 0), last);
    const step = run.steps[position];
    draw(by("picture"), stages[position]);
    by("cards").setAttribute("viewBox", `0 0 ${run.memory.width} ${run.memory.heights[position]}`);
    draw(by("cards"), rows[position]);
    by("memory").hidden = !step.facts && !rows[position].length;
    by("totals").textContent = step.facts ? `${step.heading}. So far: ${step.facts}` : step.heading;
    by("caption").textContent = step.caption;
    const [mark, summary, detail] = step.result || ["", "", ""];
    by("result").textContent = [`${mark} ${summary}`.trim(), detail].filter(Boolean).join("\n");
    by("result").className = mark === "✗" ? "wrong" : "";
    const counts = countsAt[position];
    for (const [line, texts] of Object.entries(counts)) {
      texts.forEach((text, column) => {
        const cell = cells[line - 1]?.counts[column];
        if (cell && cell.textContent !== text) {
          cell.textContent = text;
          cell.classList.toggle("more", text.startsWith("▲"));
        }
      });
    }
    light(step);  // after the counts, which may move the lines
    const name = marks.block_names.length ? marks.block_names[marks.turn_blocks[turnAt(position)]] : "";
    by("counter").textContent = `${position + 1} / ${last + 1}`;
    by("scrubber").value = position;
    by("scrubber").setAttribute("aria-valuetext", `Step ${position + 1} of ${last + 1}${name ? `, block ${name}` : ""}`);
    by("block").value = marks.turn_blocks[turnAt(position)];
    try {
      history.replaceState(null, "", `#${position + 1}`);
    } catch { /* a frame of another page may have no address */ }
  }

  function go(to) { pause(); show(to); }
  function next(stride, from, direction) {
    if (stride === "barrier" && !marks.barriers.length) return from;
    const found = direction > 0 ? stops[stride].find((at) => at > from) : stops[stride].findLast((at) => at < from);
    return found ?? (direction > 0 ? last : 0);
  }
  function seek(line) {
    const from = run.steps.findIndex((step, at) => at > position && step.line === line);
    const found = from >= 0 ? from : run.steps.findIndex((step) => step.line === line);
    if (found >= 0) go(found);
  }
  function pause() {
    clearInterval(timer);
    timer = 0;
    document.body.classList.remove("is-playing");
  }
  function play() {
    if (timer) { pause(); return; }
    if (position === last) show(0);
    document.body.classList.add("is-playing");
    timer = setInterval(() => {
      if (position === last) pause();
      else show(next(by("stride").value, position, 1));
    }, run.step_ms / Number(by("speed").value));
  }
  function restart() { if (timer) { pause(); play(); } }
  function choose(select, by_) {
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by_, 0), select.length - 1);
    restart();
  }

  const actions = {
    play,
    back: () => go(position - 1),
    forward: () => go(position + 1),
    remote_back: () => go(position - 1),
    remote_forward: () => go(position + 1),
    phase_back: () => go(next("phase", position, -1)),
    phase_forward: () => go(next("phase", position, 1)),
    barrier_back: () => go(next("barrier", position, -1)),
    barrier_forward: () => go(next("barrier", position, 1)),
    first: () => go(0),
    last: () => go(last),
    tenths: (number) => go(Math.round(last * number / 10)),
    stride: () => { by("stride").selectedIndex = (by("stride").selectedIndex + 1) % by("stride").length; },
    faster: () => choose(by("speed"), 1),
    slower: () => choose(by("speed"), -1),
    line: () => seek(run.steps[position].line),
    keys: () => help(),
  };

  // --- controls ------------------------------------------------------------------------------------------

  const keys = new Map();
  for (const key of run.keys) {
    key.sequences.forEach((sequence, number) => keys.set(sequence, () => actions[key.name](number)));
    for (const [tag, text] of [["dt", key.words], ["dd", key.does]]) {
      const item = document.createElement(tag);
      item.textContent = text;
      by("key-list").append(item);
    }
    const button = document.querySelector(`button[data-key="${key.name}"]`);
    if (button) {
      const words = `${key.does[0].toUpperCase()}${key.does.slice(1)} (${key.words})`;
      button.title = words;
      button.setAttribute("aria-label", words);
      button.addEventListener("click", () => actions[key.name]());
    }
  }
  const brief = ["play", "back", "forward", "phase_forward", "barrier_forward", "first", "last", "keys"];
  by("help-line").textContent = run.keys.filter((key) => brief.includes(key.name))
    .map((key) => `${key.words} ${key.does}`).join(" · ");

  const NAMES = { ArrowLeft: "Left", ArrowRight: "Right", " ": "Space", PageUp: "PgUp", PageDown: "PgDown" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey) return;
    const name = NAMES[event.key] || (event.key.length === 1 ? event.key.toUpperCase() : event.key);
    const held = (event.ctrlKey ? "Ctrl+" : "") + (event.shiftKey && name.length > 1 ? "Shift+" : "");
    const action = keys.get(held + name);
    const own = event.target.closest?.("button, select");
    if (name === "Escape") help(false);
    if (!action || (own && name === "Space") || (own?.tagName === "SELECT" && !event.ctrlKey)) return;
    event.preventDefault();
    action();
  });

  function help(open = by("keys").hidden) {
    by("keys").hidden = !open;
    by("help").setAttribute("aria-expanded", open);
  }
  function dress(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    by("theme").setAttribute("aria-pressed", dark);
  }
  by("help").addEventListener("click", () => help());
  by("theme").addEventListener("click", () => dress(document.documentElement.dataset.theme !== "dark"));
  by("fit").addEventListener("click", () => {
    by("fit").setAttribute("aria-pressed", by("player").classList.toggle("whole"));
  });
  dress(matchMedia("(prefers-color-scheme: dark)").matches);

  const option = (select, text, value) => select.add(new Option(text, value));
  for (const [name, words] of Object.entries(run.strides)) {
    if (name !== "barrier" || marks.barriers.length) option(by("stride"), words, name);
  }
  run.speeds.forEach((speed) => option(by("speed"), `${speed}×`, speed));
  by("speed").value = 1;
  by("speed").addEventListener("change", restart);
  marks.block_names.forEach((name, number) => option(by("block"), `Block ${name}`, number));
  by("block").hidden = marks.block_names.length < 2;
  by("block").addEventListener("change", () => go(marks.turns[marks.turn_blocks.indexOf(Number(by("block").value))]));
  by("scrubber").max = last;
  by("scrubber").addEventListener("input", () => go(Number(by("scrubber").value)));

  for (const { words, at } of run.hazards) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.disabled = at < 0;
    button.addEventListener("click", () => go(at));
    by("hazards").append(button);
  }
  by("hazards").hidden = !run.hazards.length;
  by("flaw").textContent = `⚠ Lesson, wrong on purpose: ${run.flaw}`;
  by("flaw").hidden = !run.flaw;

  // --- marks on the timeline -----------------------------------------------------------------------------

  const share = (at) => `${100 * at / (last + 1)}%`;
  function mark(kind, at, text = "") {
    const part = document.createElement("span");
    part.className = kind;
    part.style.left = share(at);
    part.textContent = text;
    by("bands").append(part);
    return part;
  }
  marks.turns.forEach((first, turn) => {
    const end = turn + 1 < marks.turns.length ? marks.turns[turn + 1] : last + 1;
    mark(`band${turn % 2 ? "" : " even"}`, first).style.width = share(end - first);
    const shown = marks.turns.length <= 32 ? marks.block_names[marks.turn_blocks[turn]] : "";
    if (shown) mark("name", (first + end) / 2, /^\d+$/.test(shown) ? `block ${shown}` : shown);
  });
  marks.phases.forEach((at) => mark("phase", at));
  marks.barriers.forEach((at) => mark("barrier", at + 0.5));
  marks.hazards.forEach((at) => mark("hazard", at + 0.5, "▲"));
  new ResizeObserver(thin).observe(by("bands"));
  /** Leave out names that would overlap, and marks that would be closer than four pixels. */
  function thin() {
    for (const kind of ["phase", "barrier"]) {
      const close = by("bands").clientWidth < 4 * marks[`${kind}s`].length;
      by("bands").classList.toggle(`no-${kind}`, close);
    }
    let end = -Infinity;
    for (const name of by("bands").querySelectorAll(".name")) {
      name.style.visibility = "";
      const box = name.getBoundingClientRect();
      if (box.left < end) name.style.visibility = "hidden";
      else end = box.right + 6;
    }
    by("player").style.setProperty("--footer", `${document.querySelector("footer").offsetHeight}px`);
  }

  by("title").textContent = run.title;
  by("subtitle").textContent = run.subtitle;
  by("player").hidden = false;
  show((Number.parseInt(location.hash.slice(1), 10) || 1) - 1);
  addEventListener("hashchange", () => go((Number.parseInt(location.hash.slice(1), 10) || 1) - 1));
})();
