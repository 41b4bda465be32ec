// What wheels contain: sizes, device code, findings; and where they load.

const MOST_DEPTH = 40;

/** The tree of a wheel's sizes: directories, files, sections, architectures, kernels. */
function sizeTree(wheel) {
  const packed = wheel.measure === "packed";
  const amount = (one) => (packed ? one.packed ?? 0 : one.bytes);
  const root = { name: wheel.wheel, children: new Map() };
  const inside = new Map(wheel.libraries.map((library) => [library.file, library]));
  for (const file of wheel.files) {
    let node = root;
    // A wheel may have any names: the rest of a very deep one is one name.
    const every = file.name.split("/");
    const parts = [...every.slice(0, MOST_DEPTH), ...(every.length > MOST_DEPTH ? [every.slice(MOST_DEPTH).join("/")] : [])];
    for (const part of parts.slice(0, -1)) {
      // A file and a directory may have the same name.
      const inner = `${part}/`;
      if (!node.children.has(inner)) node.children.set(inner, { name: part, kind: "directory", children: new Map() });
      node = node.children.get(inner);
    }
    const size = packed ? file.packed : file.bytes;
    node.children.set(parts.at(-1), { name: parts.at(-1), kind: "file", size, parts: rest(size, (inside.get(file.name)?.sections ?? []).map(sectionNode)) });
  }
  function sectionNode(one) {
    return { name: one.name, kind: one.debug ? "debug information" : "section", size: amount(one), parts: rest(amount(one), one.code.map(codeNode)) };
  }
  function codeNode(one) {
    return { name: one.name, kind: "device code", cut: one.name, size: amount(one), parts: rest(amount(one), kernelNodes(one), "device code") };
  }
  // Kernels are compressed together: each has a share by its code.
  function kernelNodes(one) {
    const whole = Math.max(one.unpacked, d3.sum(one.kernels, (kernel) => kernel.bytes)) || 1;
    return one.kernels.map((kernel) => ({ name: kernel.name, kind: "kernel", size: amount(one) * (kernel.bytes / whole) }));
  }
  // What the parts do not explain, such as headers and padding, is a part as well.
  function rest(size, parts, kind = "other") {
    const known = d3.sum(parts, (part) => part.size);
    if (parts.length === 0) return null;
    return size > known * 1.000001 ? [...parts, { name: "(other)", kind, size: size - known }] : parts;
  }
  function finished(node) {
    if (node.parts) return { ...node, children: node.parts.map(finished), parts: undefined };
    if (node.children instanceof Map) return { ...node, children: [...node.children.values()].map(finished) };
    return node;
  }
  return finished(root);
}

const KIND_FILL = { directory: "k7", file: "k7", section: "k0", "debug information": "k3", "device code": "k2", kernel: "k5", other: "k7" };

class Treemap {
  constructor(wheel) {
    this.wheel = wheel;
    this.removed = new Set();
    this.root = d3.hierarchy(sizeTree(wheel)).sum((node) => (node.children ? 0 : node.size ?? 0)).sort((a, b) => b.value - a.value);
    this.node = this.root;
    this.crumbs = el("div", { class: "crumbs" });
    this.map = el("div", { class: "treemap", role: "group", "aria-label": `Sizes of ${visible(wheel.wheel)}` });
    this.rows = el("div");
    this.element = el("div", {}, this.crumbs, this.map,
      legend([["k0", "section"], ["k2", "device code"], ["k5", "kernel"], ["k3", "debug information"], ["k7", "other files and parts"]]), this.rows);
  }

  go(node) {
    // A directory with only one entry is passed.
    while (node.children?.length === 1 && node.children[0].children && node.depth > this.node.depth) [node] = node.children;
    this.node = node;
    this.draw();
    announce(`${node.data.name}: ${bytes(node.value)}`);
  }

  draw() {
    const path = this.node.ancestors().reverse();
    this.crumbs.replaceChildren(...path.flatMap((node, at) => [at ? el("span", { "aria-hidden": "true" }, "›") : null,
      el("button", { type: "button", "aria-current": node === this.node ? "true" : null, click: () => this.go(node) }, node.data.name)]).filter(Boolean),
    el("span", { class: "note" }, `${bytes(this.node.value)}${this.wheel.measure === "packed" ? " in the archive" : " unpacked"}`));
    const width = this.map.clientWidth || 900;
    const height = this.map.clientHeight || 480;
    const shown = d3.hierarchy(this.outline(this.node, 0), (each) => each.parts)
      .sum((each) => (each.parts ? 0 : each.value)).sort((a, b) => b.value - a.value);
    d3.treemap().size([width, height]).round(true).paddingInner(1)
      .paddingTop((each) => (each.depth > 0 && each.children ? 17 : 0)).paddingRight((each) => (each.depth > 0 && each.children ? 2 : 0))(shown);
    this.map.replaceChildren(...shown.descendants().filter((each) => each.depth > 0 && each.data.of && each.x1 - each.x0 > 2 && each.y1 - each.y0 > 2)
      .map((each) => this.tile(each)));
    const children = this.node.children ?? [];
    this.rows.replaceChildren(table(`Parts of ${visible(this.node.data.name)}`, [
      { name: "part", cell: (node) => (node.children ? el("button", { type: "button", click: () => this.go(node) }, node.data.name) : node.data.name) },
      { name: "kind", cell: (node) => node.data.kind },
      { name: "size", number: true, cell: (node) => bytes(node.value) },
      { name: "share", number: true, cell: (node) => percent(node.value / (this.node.value || 1)) },
    ], children, 20));
  }

  /** The parts to draw: large ones are divided again, the smallest are left out, and a part with only one part is both. */
  outline(node, depth) {
    let inner = node;
    const names = depth > 0 ? [node.data.name] : [];
    while (depth > 0 && inner.children?.length === 1) { [inner] = inner.children; names.push(inner.data.name); }
    const made = { of: inner, name: names.join(" › "), value: inner.value };
    if (!inner.children || depth > 6 || (depth > 0 && inner.value < this.node.value / 60)) return made;
    const large = inner.children.filter((child) => child.value > this.node.value / 2000).slice(0, 60);
    const named = d3.sum(large, (child) => (child.data.name === "(other)" ? 0 : child.value));
    if (depth > 0 && named < inner.value / 3) return made;
    const left = inner.value - d3.sum(large, (child) => child.value);
    return { ...made, parts: [...large.map((child) => this.outline(child, depth + 1)), ...(left > 0 ? [{ of: inner, name: "(smaller parts)", value: left }] : [])] };
  }

  isCut(node) {
    return node.ancestors().some((each) => this.removed.has(each.data.cut) || (each.data.kind === "debug information" && this.removed.has("debug information")));
  }

  tile(leaf) {
    const { of, name } = leaf.data;
    const group = Boolean(leaf.children);
    const names = of.ancestors().slice(0, of.depth - this.node.depth).reverse().map((each) => each.data.name);
    const cut = this.isCut(of);
    if (name === "(smaller parts)") names.push(name);
    const { value } = leaf;
    const label = `${names.join(" › ")}, ${bytes(value)}, ${percent(value / this.root.value)} of the wheel${cut ? ", removed by the budget" : ""}`;
    const [width, height] = [leaf.x1 - leaf.x0, leaf.y1 - leaf.y0];
    return el("button", {
      type: "button", class: group ? "group" : cut ? "cut" : null, "aria-label": visible(label), tabindex: width * height > 600 ? null : "-1",
      style: `left: ${leaf.x0}px; top: ${leaf.y0}px; width: ${width}px; height: ${height}px${group ? "" : `; background-color: var(--tile-${KIND_FILL[of.data.kind] ?? "k7"})`}`,
      click: () => this.go(of.children ? of : of.parent === this.node ? this.node : of.parent),
      pointermove: (event) => showTip(event, label), pointerleave: hideTip,
    }, width > 46 && height > 16 ? (group ? `${name}  ${bytes(value)}` : `${name}${height > 32 ? `\n${bytes(value)}` : ""}`) : "");
  }
}

/** What would be removed to reach a size: the leading cuts, in the order of `inspect --budget`. */
function budgetPart(wheel, treemap) {
  const { budget } = wheel;
  if (!budget || budget.cuts.length === 0) return el("p", { class: "note" }, "There is no device code, debug information or symbol table that a budget could remove.");
  const answer = el("p", { role: "status" });
  const list = el("div");
  const limit = el("input", { type: "number", min: "0", step: "any", value: budget.limit === null ? null : budget.limit / 1e6, input: () => show() });
  function show() {
    const wanted = limit.value === "" ? Infinity : Number(limit.value) * 1e6;
    let size = wheel.size;
    let needed = 0;
    while (size > wanted && needed < budget.cuts.length) size -= budget.cuts[needed++].saves;
    treemap.removed = new Set(budget.cuts.slice(0, needed).map((cut) => cut.what));
    answer.textContent = wanted === Infinity ? "Enter a size to see what would have to be removed." : wheel.size <= wanted ? `The wheel has ${bytes(wheel.size)}: nothing has to be removed.`
      : size <= wanted ? `${plural(needed, "cut")} would reduce the wheel from ${bytes(wheel.size)} to about ${bytes(size)}.`
        : `All cuts together would only reduce the wheel from ${bytes(wheel.size)} to about ${bytes(size)}.`;
    answer.classList.toggle("prompt", wanted === Infinity);
    list.replaceChildren(table("What can be removed, in this order", [
      { name: "part", cell: (cut) => prose(cut.what) },
      { name: "saves about", number: true, cell: (cut) => bytes(cut.saves) },
      { name: "costs users", cell: (cut) => (cut.costs_users ? "yes: GPUs lose their code" : "no") },
      { name: "removed", cell: (cut) => (treemap.removed.has(cut.what) ? "yes" : "no") },
    ], budget.cuts));
    if (treemap.element.isConnected) treemap.draw();
  }
  show();
  return el("div", {}, el("div", { class: "controls" }, el("label", {}, "Budget in MB ", limit)), answer, list);
}

function codeTable(wheel) {
  if (wheel.device_code.length === 0) return null;
  const groups = d3.groups(wheel.device_code, (code) => `${code.kind} ${code.arch}`).map(([, codes]) => ({
    arch: codes[0].arch, kind: codes[0].kind, files: new Set(codes.map((code) => code.file)).size,
    pieces: d3.sum(codes, (code) => code.pieces), bytes: d3.sum(codes, (code) => code.bytes),
    how: [...new Set(codes.map((code) => code.compression))].join(", "),
  }));
  return el("div", {}, el("h3", {}, "Device code"), table("Device code by architecture", [
    { name: "architecture", cell: (code) => code.arch }, { name: "kind", cell: (code) => code.kind },
    { name: "files", number: true, cell: (code) => code.files }, { name: "pieces", number: true, cell: (code) => code.pieces.toLocaleString("en") },
    { name: "bytes", number: true, cell: (code) => bytes(code.bytes) }, { name: "compression", cell: (code) => code.how },
  ], d3.sort(groups, (code) => -code.bytes)),
  wheel.gpus.length ? table("GPUs", [
    { name: "product", cell: (gpu) => gpu.product }, { name: "architecture", cell: (gpu) => gpu.arch },
    { name: "support", cell: (gpu) => ({ native: "native code", ptx: "compiled from PTX by the driver", none: "none" })[gpu.support] ?? gpu.support },
  ], wheel.gpus) : null);
}

function kernelTable(wheel) {
  const kernels = wheel.libraries.flatMap((library) => library.sections.flatMap((one) => one.code.flatMap((piece) =>
    piece.kernels.map((kernel) => ({ ...kernel, file: library.file, arch: piece.name })))));
  if (kernels.length === 0) return null;
  return el("div", {}, el("h3", {}, "Kernels"), table(`The largest kernels (${kernels.length.toLocaleString("en")})`, [
    { name: "kernel", cell: (kernel) => el("code", { class: "clamp", title: visible(kernel.name) }, kernel.name) }, { name: "architecture", cell: (kernel) => kernel.arch },
    { name: "code", number: true, cell: (kernel) => bytes(kernel.bytes) },
    { name: "registers", number: true, cell: (kernel) => kernel.registers ?? "–" },
    { name: "stack", number: true, cell: (kernel) => bytes(kernel.stack) },
    { name: "spills", number: true, cell: (kernel) => kernel.spills ?? "unknown" },
    { name: "shared memory", number: true, cell: (kernel) => bytes(kernel.shared) },
    { name: "file", cell: (kernel) => el("span", { class: "path" }, kernel.file) },
  ], d3.sort(kernels, (kernel) => -kernel.bytes), 50));
}

function findingTable(wheel) {
  if (wheel.findings.length === 0) return el("p", { class: "note" }, "No rule has a finding.");
  return table("Findings", [
    { name: "rule", cell: (one) => el("code", { class: "word" }, one.rule) }, { name: "severity", cell: (one) => el("span", { class: one.severity === "error" ? "no" : "" }, one.severity) },
    { name: "file", cell: (one) => el("span", { class: "path" }, one.file) }, { name: "finding", cell: (one) => [prose(one.message), one.evidence ? [el("br"), el("span", { class: "note" }, one.evidence)] : null] },
    { name: "hint", cell: (one) => prose(one.hint) },
  ], d3.sort(wheel.findings, (one) => (one.severity === "error" ? 0 : 1)));
}

function wheelPart(wheel) {
  const treemap = new Treemap(wheel);
  const part = el("div", {},
    cards([[bytes(wheel.size), "archive"], [bytes(wheel.unpacked_size), "unpacked"], [wheel.files.length.toLocaleString("en"), "files"],
      [wheel.policy ?? wheel.platform_tag ?? "–", "platform"], [wheel.findings.filter((one) => one.severity === "error").length, "errors"]]),
    wheel.partial ? el("p", { class: "note" }, `${bytes(wheel.partial.fetched)} of ${bytes(wheel.size)} were fetched. ${plural(wheel.partial.not_read.length, "file")} that nothing here depends on ${wheel.partial.not_read.length === 1 ? "was" : "were"} not read, so the hashes of those are not verified.`) : null,
    facts([["requires Python", wheel.requires_python], ["requires", wheel.requires_dist.join("; ")],
      ["driver", wheel.driver.load ? `CUDA ${wheel.driver.load.cuda}${wheel.driver.load.branch ? `, branch ${wheel.driver.load.branch}` : ""}` : null]]),
    el("h3", {}, "Sizes"), treemap.element, el("h3", {}, "Budget"), budgetPart(wheel, treemap), codeTable(wheel), kernelTable(wheel),
    el("h3", {}, "Findings"), findingTable(wheel));
  return { part, draw: () => treemap.draw() };
}

function showWheels(wheels, absent) {
  const place = el("div");
  let drawn = () => {};
  const show = (at) => {
    const { part, draw } = wheelPart(wheels[at]);
    drawn = draw;
    place.replaceChildren(part);
    draw();
  };
  const choices = wheels.map((wheel, at) => [String(at), visible(wheel.wheel)]);
  const made = section("wheels", wheels.length === 1 ? "Wheel" : "Wheels",
    wheels.length > 1 ? el("div", { class: "controls" }, picker("Wheel", choices, "0", (value) => show(Number(value)))) : wheels.length === 1 ? el("p", {}, code(wheels[0].wheel)) : null,
    wheels.length > 1 ? table("Sizes of the wheels", [
      { name: "wheel", cell: (wheel) => wheel.wheel }, { name: "archive", number: true, cell: (wheel) => bytes(wheel.size) },
      { name: "unpacked", number: true, cell: (wheel) => bytes(wheel.unpacked_size) },
      { name: "device code", number: true, cell: (wheel) => bytes(d3.sum(wheel.device_code, (code) => code.bytes)) },
    ], d3.sort(wheels, (wheel) => -wheel.size)) : null,
    absent?.length ? [el("p", { class: "note" }, `${plural(absent.length, "wheel")} of the run ${absent.length === 1 ? "is" : "are"} not on this machine:`), el("details", { open: absent.length <= 5 }, el("summary", {}, "Absent wheels"), el("ul", {}, absent.map((path) => el("li", {}, code(path)))))] : null,
    place);
  if (wheels.length) { show(0); drawings.push(() => drawn()); }
  return made;
}

const VERDICTS = { guaranteed: ["✓", "guaranteed", 0], "symbols-resolve": ["✓", "loads: symbols resolve", 1], no: ["×", "does not load", 2] };

/** The builds of torch that a cell is about, and the worst of their verdicts; null without builds. */
function compatCell(one, versions) {
  const builds = one.torch.filter((build) => versions.includes(build.version));
  const worst = builds.find((build) => build.verdict === "no") ?? builds.find((build) => build.verdict !== "guaranteed") ?? builds[0];
  return worst ? { builds, verdict: worst.verdict } : null;
}

/** The columns of the table: releases, or neighbors that have the same verdict for each wheel. */
function compatColumns(rows, versions, grouped) {
  const columns = [];
  let before = null;
  for (const version of versions) {
    const verdicts = JSON.stringify(rows.map((one) => compatCell(one, [version])?.verdict ?? null));
    if (grouped && verdicts === before) columns.at(-1).push(version); else columns.push([version]);
    before = verdicts;
  }
  return columns;
}

function compatTable(groups, columns) {
  const name = (column) => (column.length === 1 ? column[0] : `${column[0]} – ${column.at(-1)}`);
  const cell = (one, column) => {
    const found = compatCell(one, column);
    if (!found) return el("td", {}, el("span", { class: "level-3", "aria-label": "not for this wheel" }, "·"));
    const [mark, text, level] = VERDICTS[found.verdict] ?? ["?", found.verdict, 3];
    return el("td", {}, el("span", { class: `level-${level}` }, el("button", {
      type: "button", "aria-label": `torch ${name(column)}: ${text}`, style: "color: inherit; padding: 0 .3rem",
      click: () => openDetails(`torch ${name(column)}`, verdictDetails(one, found.builds)), pointermove: (event) => showTip(event, `torch ${name(column)}: ${text}`), pointerleave: hideTip,
    }, mark)));
  };
  return el("table", { class: "grid" }, el("caption", {}, "Wheels by torch release; each cell shows why"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "wheel"), columns.map((column) => el("th", { scope: "col" }, name(column))))),
    el("tbody", {}, groups.map((group) => el("tr", {}, el("th", { scope: "row" }, group.length === 1 ? group[0].wheel : `${group[0].wheel} and ${group.length - 1} more`), columns.map((column) => cell(group[0], column))))));
}

/** One row per wheel and one column per build of torch, or per range of them; wheels with the same verdicts share a row. */
function showCompat(all) {
  const versions = [...new Set(all.flatMap((one) => one.torch.map((build) => build.version)))].sort(byVersion);
  const same = d3.groups(all, (one) => JSON.stringify(one.torch.map((build) => [build.version, build.verdict]))).map(([, group]) => group);
  const place = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Torch releases that load the wheels" });
  const show = (grouped) => place.replaceChildren(compatTable(same, compatColumns(same.map((group) => group[0]), versions, grouped)));
  show(true);
  return section("compat", "Torch releases",
    el("div", { class: "controls" }, picker("Columns", [["grouped", "neighbors with the same verdicts together"], ["all", "each release"]], "grouped", (value) => show(value === "grouped"))),
    legend([["done", "guaranteed"], ["reused", "symbols resolve"], ["failed", "does not load"], ["none", "no build for this wheel"]]),
    place,
    all.map((one) => el("details", { open: all.length === 1 }, el("summary", {}, code(one.wheel)), el("p", {}, one.verdict),
      facts([["requirement", one.pin && code(one.pin)], ["ABI", one.abi], ["oldest torch", one.minimum_torch], ["built with", one.built_with], ["Python", one.python],
        ["CUDA runtimes", one.cuda.runtimes.join(", ")], ["driver branch", one.cuda.minimum_driver]]),
      table("Distributions", [{ name: "distribution", cell: (each) => each.name }, { name: "glibc", cell: (each) => each.glibc },
        { name: "runs", cell: (each) => el("span", { class: each.runs ? "yes" : "no" }, each.runs ? "yes" : "no") }, { name: "why not", cell: (each) => each.reasons.join("; ") }], one.distributions))));
}

function byVersion(a, b) {
  const [left, right] = [a, b].map((text) => text.split(/[.+]/));
  for (let at = 0; at < Math.max(left.length, right.length); ++at) {
    const [one, other] = [Number(left[at]), Number(right[at])];
    if (one !== other && !Number.isNaN(one) && !Number.isNaN(other)) return one - other;
    if (left[at] !== right[at] && (Number.isNaN(one) || Number.isNaN(other))) return String(left[at] ?? "") < String(right[at] ?? "") ? -1 : 1;
  }
  return 0;
}

function verdictDetails(one, builds) {
  const parts = (build) => [
    facts([["build", `${build.version} (${build.arch})`], ["Pythons", build.pythons.join(", ")], ["verdict", (VERDICTS[build.verdict] ?? [])[1]],
      ["absent libraries", build.needed_unresolved.join(", ")], ["failing members", build.failing.join(", ")],
      ["run", build.run ? `${build.run.state}: ${build.run.evidence}` : null]]),
    build.missing.length ? table("Missing symbols", [{ name: "symbol", cell: (each) => code(each.name) }, { name: "history", cell: (each) => each.history },
      { name: "needed by", cell: (each) => each.needed_by.join(", ") }], build.missing, 50) : null];
  if (builds.length <= 3) return [el("p", {}, code(one.wheel)), builds.map((build) => el("div", {}, parts(build)))];
  return [el("p", {}, code(one.wheel)), builds.map((build) => el("details", {},
    el("summary", {}, `${build.version} (${build.arch}): ${(VERDICTS[build.verdict] ?? [])[1]}${build.missing.length ? `, ${plural(build.missing.length, "missing symbol")}` : ""}`), parts(build)))];
}
