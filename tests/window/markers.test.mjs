// Markers: set, named, dragged, listed, jumped to, looped, exported and opened again; and kept through a kill.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { application, closeEditor, commandLine, isDrawn, openEditor, picturesOf } from "./editor.mjs";

const RATE = 44_100;

let desktop;
let window;
let recording;

before(async () => {
  ({ desktop, window, recording } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("markers", () => window);
const drawn = () => isDrawn(window);
const says = (id, pattern) => until(async () => ((await window.has(id)) && pattern.test(await window.text(id)) ? window.text(id) : null), 15_000, `"${id}" to say ${pattern}`);
const press = (...keys) => window.press(...keys);
const rest = () => window.run("document.activeElement?.blur()");
/** The markers in the strip: names for screen readers, in their order. */
const strip = () => window.run(`return [...document.querySelectorAll('[data-testid="marker-strip"] button')].map((each) => each.ariaLabel)`);
const stands = (...patterns) => until(async () => {
  const found = await strip();
  return found.length === patterns.length && patterns.every((pattern, index) => pattern.test(found[index]));
}, 10_000, `a strip of ${patterns.join(", ")}`).catch(async (error) => {
  throw new Error(`${error.message}; there is ${JSON.stringify(await strip())}`);
});
const typed = async (id, text) => {
  await window.find(id);
  await window.run(`const field = document.querySelector('[data-testid="${id}"]'); field.focus(); field.select()`);
  await window.type(id, text);
  await press("Enter");
};

/** Puts the cursor at a share of the lanes. */
async function cursorAt(share) {
  await rest();
  await press("Escape");
  await window.drag("waveform", [share, 0.5], [share, 0.5]);
}

function run(...words) {
  const result = spawnSync(commandLine, words, { env: desktop.env, encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  return result.stdout;
}

test("a recording without markers has no strip, and the list says how to set one", async () => {
  assert.ok(!(await window.has("marker-strip")));
  await press("Control", "Shift", "m");
  await says("markers-empty", /M sets one at the cursor.*Ctrl\+B makes a region/);
  await picture("01-empty");
  await press("Control", "Shift", "m");
});

test("M sets a marker at the cursor, and its name is typed at once", async () => {
  await cursorAt(0.25);
  await press("m");
  await window.find("marker-name");
  await press("V", "e", "r", "s", "e");
  await press("Enter");
  await stands(/^Marker Verse, at 0:0[23]/);
  await window.drag("waveform", [0.5, 0.5], [0.75, 0.5]);
  await press("Control", "b");
  await window.find("marker-name");
  await window.type("marker-name", "Chorus");
  await press("Enter");
  await stands(/^Marker Verse/, /^Region Chorus, 0:0[56].* to 0:0[89]/);
  await rest();
  await picture("02-strip");
});

test("while playing, M marks what is heard and asks for no name", async () => {
  await cursorAt(0.02);
  await press(" ");
  await until(async () => window.run(`return document.querySelector('[data-region="lanes"] .head')?.style.display === ''`), 5_000, "a play head");
  await press("m");
  await stands(/^Marker Marker 2/, /Verse/, /Chorus/);
  assert.ok(!(await window.has("marker-name")));
  await press(" ");
});

test("markers are dragged, and undone", async () => {
  const [, verse] = await strip();
  const id = await window.run(`return [...document.querySelectorAll('[data-testid="marker-strip"] button')].find((each) => /Verse/.test(each.ariaLabel)).dataset.testid`);
  const box = await window.run(`const strip = document.querySelector('[data-testid="marker-strip"]').getBoundingClientRect(); const item = document.querySelector('[data-testid="${id}"]').getBoundingClientRect(); return [strip.width, item.width]`);
  const by = (box[0] * 0.1) / box[1];
  await window.drag(id, [3 / box[1], 0.5], [3 / box[1] + by, 0.5]);
  await until(async () => (await strip())[1] !== verse, 5_000, "another place");
  assert.match((await strip())[1], /^Marker Verse, at 0:04/);
  await rest();
  await press("Control", "z");
  await until(async () => (await strip())[1] === verse, 5_000, "the place before");
});

test("the list finds, goes to, names and moves them, and loops a region", async () => {
  await press("Control", "Shift", "m");
  await says("markers-count", /3 markers/);
  await typed("markers-search", "cho");
  await says("markers-count", /1 of 3/);
  await says("status-selection", /RMS/);
  await picture("03-list-found");
  await window.run(`const field = document.querySelector('[data-testid="markers-search"]'); field.focus(); field.select()`);
  await press("Escape");
  await says("markers-count", /3 markers/);
  await typed("markers-start-0", "0:01.5");
  await stands(/at 0:01\.500/, /Verse/, /Chorus/);
  await window.run(`document.querySelector('[data-testid="markers-row-0"]').focus()`);
  await press("\uE032");
  await window.find("markers-name");
  await window.type("markers-name", "Intro");
  await press("Enter");
  await stands(/^Marker Intro, at 0:01\.500/, /Verse/, /Chorus/);
  await typed("markers-end-0", "0:02");
  await stands(/^Region Intro, 0:01\.500 to 0:02\.000/, /Verse|Chorus/, /Chorus|Verse/);
  await picture("04-list");
  await window.click("markers-loop-0");
  await until(async () => window.run(`return document.querySelector('[data-region="lanes"] .head')?.style.display === ''`), 5_000, "a play head");
  const seconds = async () => Number(/translateX\(([-\d.]+)px/.exec(await window.run(`return document.querySelector('[data-region="lanes"] .head').style.transform`))?.[1]);
  const width = await window.run(`return document.querySelector('[data-testid="waveform"]').getBoundingClientRect().width`);
  // Longer than the region: it goes round within it.
  for (let times = 0; times < 8; times++) {
    const at = ((await seconds()) / width) * 12;
    assert.ok(at > 1.4 && at < 2.15, `${at} s`);
    await new Promise((done) => setTimeout(done, 120));
  }
  await rest();
  await press(" ");
  await press("l");
});

test("Alt with the arrow keys goes from one to the next", async () => {
  await press("Escape");
  await press("Home");
  await press("Alt", "\uE014");
  await says("status-selection", /RMS/);
  await press("Alt", "\uE014");
  const chosen = () => window.run(`return document.querySelector('[data-testid="marker-strip"] [aria-pressed="true"]')?.ariaLabel ?? ""`);
  await until(async () => /Verse/.test(await chosen()), 5_000, "the second");
  await press("Alt", "\uE012");
  await until(async () => /Intro/.test(await chosen()), 5_000, "the first");
});

test("markers move with the sound that is deleted before them", async () => {
  await rest();
  await press("Escape");
  await window.drag("waveform", [0.005, 0.5], [0.1, 0.5]);
  await press("Delete");
  await stands(/^Region Intro, 0:00\.[34]/, /^Marker Verse, at 0:01/, /^Region Chorus/);
  await press("Control", "z");
  await stands(/^Region Intro, 0:01\.500/, /Verse/, /Chorus/);
});

test("markers go to a file, come from one, and into an export", async () => {
  const labels = join(desktop.home, "labels.txt");
  await window.click("markers-export");
  await answerFileDialog(desktop.env, "Export markers", labels, true);
  await until(() => existsSync(labels), 10_000, "the labels");
  const more = join(desktop.home, "more.csv");
  writeFileSync(more, "start,name\n10.5,Coda\n");
  await window.click("markers-import");
  await answerFileDialog(desktop.env, "Import markers", more);
  await stands(/Intro/, /Verse/, /Chorus/, /^Marker Coda, at 0:10\.500/);
  const target = join(desktop.home, "marked.flac");
  await press("Control", "Shift", "e");
  await window.find("export-markers");
  await window.run(`document.querySelector('[data-testid="export-format"]').focus()`);
  await press("Enter");
  await window.find("export-format-flac");
  await new Promise((done) => setTimeout(done, 200));
  await press("f");
  await press("Enter");
  await says("export-marker-limit", /ends of 2 regions/);
  await picture("05-export");
  await window.click("export-start");
  await answerFileDialog(desktop.env, "Export", target, true);
  await until(() => existsSync(target), 15_000, "the file");
  const { markers } = JSON.parse(run("markers", target, "--json"));
  assert.deepEqual(markers.map(({ name, start_frame }) => [name, Math.round((start_frame / RATE) * 100) / 100]).filter(([name]) => name !== "Verse" && name !== "Chorus"), [["Intro", 1.5], ["Coda", 10.5]]);
  await press("Escape");
  await press("Escape");
});

test("a kill loses no marker, and an exported file shows its own", async () => {
  const before = await strip();
  for (const pid of window.processes()) process.kill(pid, "SIGKILL");
  await window.close();
  window = await openApplication(desktop.env, application, [join(desktop.home, "marked.flac")]);
  await window.resize(1280, 800);
  await drawn();
  await stands(/^Marker Intro/, /^Marker Verse/, /^Marker Chorus/, /^Marker Coda/);
  await press("Control", "Tab");
  await until(async () => JSON.stringify(await strip()) === JSON.stringify(before), 10_000, "the markers from before the kill");
});

test("strip and list in both themes and at both sizes", async () => {
  const theme = async (name) => {
    await rest();
    await press("Control", "k");
    await window.type("palette-search", `Theme: ${name}`);
    await press("Enter");
    await until(() => window.run(`return document.documentElement.dataset.theme === "${name}"`), 5_000, name);
  };
  for (const [width, height] of [[1280, 800], [1024, 700]]) {
    await window.resize(width, height);
    for (const name of ["dark", "light"]) {
      await theme(name);
      await picture(`06-${name}-${width}`);
      // The picture keeps at least half of the window.
      const share = await window.run(`return document.querySelector('[data-region="lanes"]').getBoundingClientRect().height / innerHeight`);
      assert.ok(share >= 0.5, `${share} at ${width}`);
    }
  }
});
