// Opens a page in a browser without a network, uses every control of it, and prints what happened as JSON.
// usage: node page_browser.js CHROMIUM FILE.html DIRECTORY    screenshots and the printed page go into DIRECTORY
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
// Long lists are made of the same controls, so only some of each are used.
const MOST_OF_A_KIND = 8;
const PATIENCE_MS = 240000;

async function open(browser, url, scheme, seen) {
  // axe is evaluated by the test, and the page's own policy would refuse it.
  const context = await browser.newContext({ offline: true, colorScheme: scheme, viewport: { width: 1280, height: 860 }, bypassCSP: seen.bypass });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.on("console", (message) => seen.console.push(message.text()));
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("dialog", (dialog) => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== url) seen.requests.push(request.url()); });
  const begun = Date.now();
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  await page.waitForFunction(() => performance.getEntriesByName("pinwheel-shown").length > 0);
  seen.shown_ms ??= Date.now() - begun;
  return page;
}

async function findings(page) {
  await page.evaluate(AXE);
  const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return result.violations.map((one) => ({ id: one.id, impact: one.impact, nodes: one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)) }));
}

async function useControls(page, seen) {
  for (const details of await page.$$("main details:not([open]) > summary, footer details > summary")) await details.click();
  for (const select of await page.$$("select")) {
    const values = await select.$$eval("option", (options) => options.map((option) => option.value));
    const first = await select.inputValue();
    for (const value of [...values, first]) { await select.selectOption(value); ++seen.clicked; }
  }
  for (const input of await page.$$("input")) {
    const number = (await input.getAttribute("type")) === "number";
    for (const text of number ? ["0", "1", "100000"] : ["<script>", "failed", ""]) { await input.fill(text); ++seen.clicked; }
  }
  // A click may replace the controls of its part, so they are found by number each time.
  const counts = {};
  for (let at = 0; at < 400; ++at) {
    const button = page.locator("button:visible").nth(at);
    if (at >= await page.locator("button:visible").count()) break;
    const kind = await button.evaluate((node) => `${node.parentElement.tagName} ${node.closest("section")?.id} ${node.closest("[class]")?.className}`);
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (counts[kind] > MOST_OF_A_KIND) continue;
    await button.click({ force: true });
    ++seen.clicked;
    await page.keyboard.press("Escape");
  }
  for (const canvas of await page.$$("canvas")) {
    await canvas.scrollIntoViewIfNeeded();
    await canvas.click({ position: { x: 130, y: 60 }, force: true });
    await page.keyboard.press("Escape");
    await canvas.focus();
    for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "+", "-", "Enter"]) await page.keyboard.press(key);
    seen.details.push(await page.locator("#details h2").textContent());
    seen.live.push(await page.locator("#live").textContent());
    await page.keyboard.press("Escape");
    seen.returned.push(await canvas.evaluate((node) => document.activeElement === node));
    ++seen.clicked;
  }
}

async function measureFilter(page) {
  const filter = page.locator('input[type="search"]').first();
  if (await filter.count() === 0) return null;
  await filter.fill("failed");
  await page.waitForFunction(() => performance.getEntriesByName("pinwheel-filter").length > 1);
  const time = await page.evaluate(() => performance.getEntriesByName("pinwheel-filter").at(-1).duration);
  const text = await page.locator("#matrix [role=status]").textContent();
  await filter.fill("");
  return { time, text };
}

async function main() {
  const [executablePath, file, directory] = process.argv.slice(2);
  const url = pathToFileURL(file).href;
  const browser = await chromium.launch({ executablePath, timeout: PATIENCE_MS, args: ["--no-sandbox", "--disable-gpu"] });
  const seen = { console: [], errors: [], dialogs: [], requests: [], clicked: 0, details: [], live: [], returned: [], axe: {}, bypass: false };
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser, url, scheme, seen);
    seen.background ??= {};
    seen.background[scheme] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    seen.first_paint ??= await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    await page.screenshot({ path: path.join(directory, `${scheme}.png`) });
    await page.screenshot({ path: path.join(directory, `${scheme}-whole.png`), fullPage: true });
    if (scheme === "light") {
      seen.filter = await measureFilter(page);
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      seen.sheet = await page.evaluate(() => Math.max(0, ...[...document.querySelectorAll("main canvas, main .treemap button")].map((node) => {
        const main = document.querySelector("main").getBoundingClientRect();
        const box = node.getBoundingClientRect();
        // The smallest parts have the width of their padding, and the treemap hides what is beyond it.
        return (node.tagName === "BUTTON" ? box.left : box.right) - main.left;
      })));
      await page.screenshot({ path: path.join(directory, "print.png"), fullPage: true });
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.emulateMedia({ media: null });
      await page.pdf({ path: path.join(directory, "print.pdf"), format: "A4" });
      await useControls(page, seen);
      seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    }
    await page.context().close();
    const inspected = await open(browser, url, scheme, { ...seen, bypass: true });
    for (const details of await inspected.$$("main details:not([open]) > summary")) await details.click();
    seen.axe[scheme] = await findings(inspected);
    await inspected.context().close();
  }
  await browser.close();
  console.log(JSON.stringify(seen));
}

main().catch((error) => { console.error(error); process.exit(1); });
