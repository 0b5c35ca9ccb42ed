// The view in the real window: the waveform of the side that is heard, its height, one time axis, tabs.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  // Two of the files have one name.
  const files = ["quiet.wav", "take.wav", "other/take.wav"].map((name) => join(desktop.home, name));
  mkdirSync(join(desktop.home, "other"));
  writeTestTone(files[0], 6, 0.02);
  writeTestTone(files[1], 3);
  writeTestTone(files[2], 2);
  window = await openApplication(desktop.env, application, files);
  await window.resize(1280, 800);
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective))`);
  await until(async () => (await tabs()).length === 3, 20_000, "three tabs");
  await window.run(`document.querySelectorAll('[role="tab"]')[0].click()`);
  await press("1");
  await exact();
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const press = async (...keys) => {
  await window.run("document.activeElement?.blur()");
  await window.press(...keys);
};
const exact = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
const tabs = () => window.run(`return [...document.querySelectorAll('[role="tab"]')].map((tab) => [tab.textContent.trim(), tab.id, tab.parentElement.title])`);
const box = (selector) => window.run(`const r = document.querySelector(arguments[0]).getBoundingClientRect(); return { left: r.left, right: r.right, top: r.top, height: r.height, width: r.width }`, selector);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`)) === chain, 15_000, chain);
}

/** How many rows of a canvas are coloured by one of the sides' colours, of the mean of all columns; and by which. */
const drawn = (selector) =>
  window.run(
    `const canvas = document.querySelector(arguments[0]);
    const context = canvas.getContext("2d");
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    const style = getComputedStyle(document.documentElement);
    const inkOf = (name) => {
      const probe = document.createElement("canvas").getContext("2d");
      probe.fillStyle = style.getPropertyValue("--" + name).trim();
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data];
    };
    const inks = { original: ["original-peak", "original-core"].map(inkOf), processed: ["processed-peak", "processed-core"].map(inkOf) };
    const found = { original: 0, processed: 0, dim: 0 };
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 0) continue;
      for (const side of ["original", "processed"]) if (inks[side].some((ink) => ink[0] === data[i] && ink[1] === data[i + 1] && ink[2] === data[i + 2] && ink[3] === data[i + 3])) found[side]++;
      if (data[i + 3] < 255) found.dim++;
    }
    for (const side in found) found[side] /= width * height;
    return found;`,
    selector,
  );
const LANES = '[data-testid="waveform"]';
const OVERVIEW = '[data-testid="overview"] canvas';

test("sides are named in full, and a quiet recording that is normalised looks loud, in the overview too", async () => {
  assert.deepEqual([await window.text("side-a"), await window.text("side-b")], ["Original", "Processed"]);
  const quiet = { lanes: await drawn(LANES), overview: await drawn(OVERVIEW) };
  await picture("view-01-quiet");
  await write("normalize");
  await until(async () => (await window.attribute("waveform", "data-side")) === "processed", 15_000, "the processed side");
  await exact();
  await until(async () => (await drawn(LANES)).processed > 0.1 && (await drawn(OVERVIEW)).processed > 0.1, 15_000, "a loud picture");
  const loud = { lanes: await drawn(LANES), overview: await drawn(OVERVIEW) };
  await picture("view-02-normalised");
  for (const place of ["lanes", "overview"]) {
    assert.ok(quiet[place].original > 0 && quiet[place].processed === 0, `${place} showed the original: ${JSON.stringify(quiet[place])}`);
    assert.ok(loud[place].processed > 8 * quiet[place].original && loud[place].original === 0, `${place}: ${JSON.stringify([quiet[place], loud[place]])}`);
  }
  assert.equal(await window.text("lanes-side"), "Processed");
  // One key switches to the other side, and nothing of this one remains.
  await press("a");
  await until(async () => (await window.attribute("waveform", "data-side")) === "original", 5_000, "the original");
  await exact();
  const back = async () => {
    const now = await drawn(LANES);
    return now.processed === 0 && Math.abs(now.original - quiet.lanes.original) < 0.002;
  };
  await until(back, 10_000, "the original as it was");
});

test("both sides are shown on wish, one behind the other", async () => {
  await press("Shift", "B");
  await until(async () => (await drawn(LANES)).dim > 0.05, 10_000, "the processed side behind the original");
  assert.ok((await drawn(LANES)).original > 0);
  await picture("view-03-both");
  await press("b");
  await until(async () => (await drawn(LANES)).processed > 0.1, 10_000, "the processed side in front");
  await picture("view-04-both-processed");
  await press("Shift", "B");
  await until(async () => (await drawn(LANES)).dim === 0, 5_000, "the processed side alone");
});

test("the waveform is drawn taller by wheel and keys, fitted to its peak, and stays so with the document", async () => {
  await press("a");
  await until(async () => (await window.attribute("waveform", "data-side")) === "original", 5_000, "the original side");
  await pause(200);
  await exact();
  const before = (await drawn(LANES)).original;
  await until(
    async () => {
      await window.wheel("level-axis", -240);
      return (await drawn(LANES)).original > 1.5 * before;
    },
    15_000,
    "a taller waveform",
  );
  await press("Shift", "z");
  await until(async () => (await drawn(LANES)).original > 10 * before, 15_000, "a waveform as tall as its lane");
  assert.match(await window.text("level-zoomed"), /Waveform \+4[12](\.\d)? dB/);
  await picture("view-05-fitted");
  await press("Shift", "PageDown");
  await until(async () => /\+3[56]/.test(await window.text("level-zoomed")), 5_000, "6 dB less");
  // Another document has a separate height; this one's height is restored.
  await press("Control", "Tab");
  await until(async () => !(await window.has("level-zoomed")), 5_000, "full scale");
  await window.click((await tabs())[0][1]);
  assert.match(await window.text("level-zoomed"), /\+3[56]/);
  await window.click("level-zoomed");
  await until(async () => !(await window.has("level-zoomed")), 5_000, "full scale again");
});

test("near enough, the curve with its dots is that of the processed side", async () => {
  await press("b");
  for (let step = 0; step < 14; step++) await press("Control", "=");
  await exact();
  const heights = async () => (await drawn(LANES)).processed;
  await until(async () => (await heights()) > 0, 10_000, "the processed curve");
  await picture("view-06-near");
  assert.equal((await drawn(LANES)).original, 0);
  await press("Control", "f");
});

test("a chain that stretches time leaves the original's picture and says so", async () => {
  await write("time_stretch(150 %)");
  await until(async () => (await window.attribute("waveform", "data-side")) === "original", 10_000, "the original");
  assert.match(await window.text("lanes-side"), /changes the length/);
  await write("normalize");
  await exact();
});

test("spectrogram, waveform, overview and loudness have one left and one right edge at every width", async () => {
  await press("2");
  await press("Shift", "L");
  await window.find("loudness-lane");
  for (const [width, height] of [[1024, 700], [1111, 760], [1280, 800], [1919, 1000]]) {
    await window.resize(width, height);
    await until(async () => (await window.run("return innerWidth")) === width, 5_000, `a width of ${width}`);
    for (const key of ["1", "2", "3"]) {
      await press(key);
      const places = [LANES, '[data-testid="overview"] canvas', '[data-testid="loudness-curves"]', ...(key === "1" ? [] : ['[data-testid="spectrogram"]'])];
      const boxes = await Promise.all(places.map(box));
      for (const each of boxes) assert.deepEqual([each.left, each.right], [boxes[0].left, boxes[0].right], `${places[boxes.indexOf(each)]} at ${width}, view ${key}`);
    }
  }
});

test("at 1024x700 with all panels open the picture keeps half of the height, in both themes", async () => {
  await press("2");
  await press("v");
  await window.find("analyser");
  for (const theme of ["dark", "light"]) {
    await window.run(`document.documentElement.dataset.theme = arguments[0]`, theme);
    for (const [width, height] of [[1024, 700], [1280, 800], [1920, 1040]]) {
      await window.resize(width, height);
      await until(async () => (await window.run("return innerHeight")) === height, 5_000, `a height of ${height}`);
      await exact();
      const [lanes, loudness, analyser, status] = await Promise.all([LANES, '[data-testid="loudness-lane"]', '[data-testid="analyser"]', '[data-region="status"]'].map(box));
      assert.ok(lanes.height >= height / 2, `${lanes.height} of ${height}`);
      assert.ok(loudness.height >= 50 && analyser.height >= 78, `panels of ${loudness.height} and ${analyser.height}`);
      assert.ok(analyser.top + analyser.height <= status.top + 1, "nothing is cut off below");
      await picture(`view-07-panels-${theme}-${width}`);
    }
  }
  await window.run(`document.documentElement.dataset.theme = "dark"`);
  await press("v");
  await press("Shift", "L");
  await window.resize(1280, 800);
});

test("tabs are readable, tell whole paths, are listed, and reordered by drag and middle click", async () => {
  const [first, second, third] = await tabs();
  assert.deepEqual([first[0], second[0], third[0]], ["quiet.wav", "take.wav", "take.wav"]);
  assert.equal(third[2], join(desktop.home, "other", "take.wav"));
  for (const [, id] of [first, second, third]) assert.ok((await box(`#${id}`)).width >= 90, "a readable width");
  const one = await box(`#${first[1]}`);
  const last = await box(`#${third[1]}`);
  await window.drag(first[1], [0.5, 0.5], [(last.right + 30 - one.left) / one.width, 0.5]);
  await until(async () => (await tabs())[2][0] === "quiet.wav", 5_000, "the first tab at the end");
  await window.click("tab-list");
  await window.find("tab-list-menu");
  await picture("view-08-tab-list");
  await until(async () => /other\/take\.wav/.test(await window.run(`return document.querySelector('[data-testid="tab-list-menu"]').textContent`)), 5_000, "the places of the documents");
  await window.click(third[1].replace("tab-", "tab-list-"));
  await until(async () => (await window.attribute(third[1], "aria-selected")) === "true", 5_000, "the document chosen in the list");
  await until(() => window.run(`return document.querySelector('[data-testid="tab-list-menu"]') === null && getComputedStyle(document.body).pointerEvents !== "none"`), 5_000, "the list closed");
  // WebKit does not recognise the driver's middle button.
  await window.run(`document.getElementById(arguments[0]).dispatchEvent(new MouseEvent("mouseup", { button: 1, bubbles: true }))`, second[1]);
  await until(async () => (await tabs()).length === 2, 5_000, "a tab closed by the middle button");
  await window.click("tab-list");
  await window.click("close-others");
  await until(async () => (await tabs()).length === 1, 5_000, "the others closed");
  assert.equal((await tabs())[0][2], join(desktop.home, "other", "take.wav"), "the only document is still named");
  await picture("view-09-one-tab");
});

test("nothing that was shown needed more than the security policy allows", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
});
