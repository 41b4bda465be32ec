// Draws charts with npm's `mermaid` in a browser without a network, with the settings of GitHub, and prints what is in
// each drawing as JSON.
// usage: node mermaid_charts.js CHROMIUM < CHARTS.json    a list of texts
const fs = require("node:fs");
const path = require("node:path");
const { chromium } = require("playwright-core");

const PATIENCE_MS = 240000;

const MERMAID = fs.readFileSync(path.join(path.dirname(require.resolve("mermaid/package.json")), "dist/mermaid.min.js"), "utf8");

async function draw(page, text) {
  return page.evaluate(async (chart) => {
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
    try {
      const { svg } = await mermaid.render("chart", chart);
      document.body.innerHTML = svg;
    } catch (error) {
      return { error: String(error) };
    }
    const texts = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent);
    const bars = [...document.querySelectorAll("rect.task")];
    return {
      bars: bars.map((bar) => ({ kind: bar.getAttribute("class"), width: Number(bar.getAttribute("width")) })),
      labels: texts("text.taskText, text.taskTextOutsideRight, text.taskTextOutsideLeft"),
      sections: texts("text.sectionTitle"),
      active: document.body.querySelectorAll("script, a, img, iframe, foreignObject").length,
    };
  }, text);
}

async function main() {
  const charts = JSON.parse(fs.readFileSync(0, "utf8"));
  const browser = await chromium.launch({ executablePath: process.argv[2], timeout: PATIENCE_MS, args: ["--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 860 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const drawn = [];
  for (const chart of charts) {
    const page = await context.newPage();
    const errors = [];
    page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("dialog", (dialog) => { errors.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
    await page.setContent("<body></body>");
    await page.addScriptTag({ content: MERMAID });
    drawn.push({ ...await draw(page, chart), errors });
    await page.close();
  }
  await browser.close();
  process.stdout.write(JSON.stringify(drawn));
}

main().catch((error) => { console.error(error); process.exit(1); });
