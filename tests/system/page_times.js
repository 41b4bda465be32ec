// Opens a page several times in a browser without a network, filters its matrix, and prints the times in ms as JSON.
// usage: node page_times.js CHROMIUM FILE.html WORDS RUNS
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const PATIENCE_MS = 240000;

async function once(browser, url, words) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 860 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  await page.waitForFunction(() => performance.getEntriesByName("pinwheel-shown").length > 0);
  const time = (name) => page.evaluate((one) => performance.getEntriesByName(one).at(-1).startTime, name);
  const seen = { painted: await time("first-contentful-paint"), shown: await time("pinwheel-shown") };
  const count = await page.evaluate(() => performance.getEntriesByName("pinwheel-filter").length);
  // From the input to the next frame, as a reader sees it.
  seen.frame = await page.evaluate(async (text) => {
    const input = document.querySelector('input[type="search"]');
    const begun = performance.now();
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - begun;
  }, words);
  await page.waitForFunction((before) => performance.getEntriesByName("pinwheel-filter").length > before, count);
  seen.filter = await page.evaluate(() => performance.getEntriesByName("pinwheel-filter").at(-1).duration);
  seen.found = await page.locator("#matrix [role=status]").textContent();
  await context.close();
  return seen;
}

async function main() {
  const [executablePath, file, words, runs] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath, timeout: PATIENCE_MS, args: ["--no-sandbox", "--disable-gpu"] });
  const all = [];
  for (let run = 0; run < Number(runs); ++run) all.push(await once(browser, pathToFileURL(file).href, words));
  await browser.close();
  const times = (name) => all.map((one) => one[name]);
  console.log(JSON.stringify({ painted: times("painted"), shown: times("shown"), filter: times("filter"), frame: times("frame"), found: all[0].found }));
}

main().catch((error) => { console.error(error); process.exit(1); });
