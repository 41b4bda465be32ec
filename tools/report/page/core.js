// Helpers of all parts. Text from a run or a wheel reaches the document only as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);

/** Characters without a shape of their own, such as marks of direction, as the escape of their code. */
function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, (c) =>
    c === "\n" || c === "\t" ? c : `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** An element. A function among the attributes is a listener; children are elements or text. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else if (name === "style") made.style.cssText = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    made.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return made;
}

const code = (text) => el("code", {}, text);
/** A message, whose names and commands are between backticks. */
const prose = (text) => String(text ?? "").split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? code(part) : part));

function bytes(count) {
  if (count === null || count === undefined) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1000; ++unit; }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59950) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.round(ms / 1000 / 6) / 10;
  if (minutes < 60) return `${minutes.toFixed(1)} min`;
  return `${Math.floor(minutes / 60)} h ${String(Math.round(minutes % 60)).padStart(2, "0")} min`;
}

const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 2 : 1)} %`;
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const announce = (text) => { document.getElementById("live").textContent = visible(text); };

// Drawings that have colors of their own are repeated when the theme or the width changes.
const drawings = [];
function redraw() { for (const draw of drawings) draw(); }
function onRedraw(draw) { drawings.push(draw); draw(); }

function section(id, title, ...children) {
  const made = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), children);
  document.getElementById("main").append(made);
  document.getElementById("nav").append(el("a", { href: `#${id}` }, title));
  return made;
}

function picker(label, options, chosen, change) {
  const select = el("select", { change: () => change(select.value) },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", {}, `${label} `, select);
}

/** A table. A column is {name, number?, cell: row -> text or node}; long tables grow on request. */
function table(caption, columns, rows, limit = 100) {
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more", click: () => grow(limit * 10) });
  let shown = 0;
  function grow(count) {
    const until = Math.min(rows.length, shown + count);
    for (; shown < until; ++shown) {
      body.append(el("tr", {}, columns.map((column, at) =>
        el(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : null, class: column.number ? "number" : null },
          column.cell(rows[shown])))));
    }
    more.hidden = shown === rows.length;
    more.textContent = `Show more (${(rows.length - shown).toLocaleString("en")} left)`;
  }
  grow(limit);
  const whole = el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, columns.map((column) =>
      el("th", { scope: "col", class: column.number ? "number" : null }, column.name)))), body);
  return el("div", {}, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole), more);
}

function facts(pairs) {
  return el("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false)
    .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function cards(pairs) {
  return el("div", { class: "cards" }, pairs.map(([value, text]) => el("div", { class: "card" }, el("b", {}, value), el("span", {}, text))));
}

// The panel with the details of one thing, and where the focus returns to.
let opener = null;
function openDetails(title, ...children) {
  const panel = document.getElementById("details");
  if (panel.hidden) opener = document.activeElement;
  const close = el("button", { type: "button", class: "close", "aria-label": "Close the details", click: closeDetails }, "✕");
  panel.replaceChildren(el("h2", { tabindex: "-1" }, title), close, ...children.flat(Infinity).filter(Boolean));
  panel.setAttribute("aria-label", `Details of ${visible(title)}`);
  panel.hidden = false;
  panel.querySelector("h2").focus();
}
function closeDetails() {
  const panel = document.getElementById("details");
  if (panel.hidden) return;
  panel.hidden = true;
  if (opener?.isConnected) opener.focus();
}

function showTip(event, text) {
  const tip = document.getElementById("tip");
  tip.textContent = visible(text);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 8))}px`;
  tip.style.top = `${event.clientY + 16 + box.height > innerHeight ? event.clientY - box.height - 8 : event.clientY + 16}px`;
}
const hideTip = () => { document.getElementById("tip").hidden = true; };

/** A canvas of a size in CSS pixels, sharp on every screen. */
function prepareCanvas(canvas, width, height) {
  const scale = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  return context;
}

function fitText(context, text, width) {
  const shown = visible(text).replace(/[\n\t]/g, " ");
  if (context.measureText(shown).width <= width) return shown;
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${shown.slice(0, middle)}…`).width <= width) low = middle; else high = middle - 1;
  }
  return low > 0 ? `${shown.slice(0, low)}…` : "";
}

/** A figure of Observable Plot. Its groups have labels that only elements with a role may have; the figure has one. */
function plainPlot(options) {
  const made = Plot.plot({ ...options, style: { background: "transparent", color: color("ink"), fontFamily: "inherit", ...options.style } });
  for (const group of made.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  made.setAttribute("aria-hidden", "true");
  return made;
}

const legend = (entries) => el("ul", { class: "legend" }, entries.map(([name, text, opacity = 1]) =>
  el("li", {}, el("span", { class: "swatch", style: `background: var(--${name}); opacity: ${opacity}` }), text)));
