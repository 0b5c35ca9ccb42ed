// The real window as assistive technology gets it: the tree of AT-SPI, as a screen reader reads it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { dropFiles, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeSong } from "./songs.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");

// Roles of controls, as AT-SPI names them. Each needs a name for users to find it.
const controls = new Set([
  "push button", "button", "toggle button", "check box", "radio button", "combo box", "entry", "password text", "spin button", "slider",
  "scroll bar", "page tab", "menu", "menu item", "check menu item", "radio menu item", "link", "switch", "splitter", "list item",
  "tree item", "column header",
]);
// Other roles that need a name: pictures need words, and regions a title.
const described = new Set(["image", "canvas", "landmark", "dialog", "table", "list box", "menu bar", "tool bar", "page tab list", "progress bar", "level bar"]);
const ranged = new Set(["slider", "spin button", "splitter", "progress bar", "level bar"]);

let desktop;
let window;

before(async () => {
  desktop = await startDesktop("1920x1080", { accessible: true });
  const music = join(desktop.home, "music");
  mkdirSync(music);
  for (let song = 1; song <= 3; song += 1) writeSong(join(music, `song-${song}.wav`), song);
  copyFileSync(join(music, "song-2.wav"), join(music, "song-2 again.wav"));
  writeTestTone(join(desktop.home, "take.wav"), 2);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

/** The nodes of the tree, in reading order. */
function tree() {
  const read = spawnSync("/usr/bin/python3", ["tests/window/accessibility_tree.py", basename(application)], { env: desktop.env, encoding: "utf8", maxBuffer: 1 << 27 });
  assert.equal(read.status, 0, read.stderr);
  const nodes = read.stdout.trim().split("\n").map((line) => JSON.parse(line));
  return nodes.filter((node) => !node.states.includes("defunct"));
}

/** Returns the fault of a node, or null. */
function fault(node) {
  const named = node.name.trim() !== "";
  if ((controls.has(node.role) || described.has(node.role)) && !named) return "no name";
  if (node.states.includes("focusable") && !named && !["document web", "frame", "scroll pane", "filler"].includes(node.role)) return "takes the focus and has no name";
  if (ranged.has(node.role)) {
    if (node.value === null) return "no value";
    const { now, least, most } = node.value;
    if (!(least <= now && now <= most && least < most)) return `the value ${now} is not within ${least} to ${most}`;
  }
  if (node.role === "entry" && node.text === null) return "no text";
  return null;
}

/** Checks all that the window shows now. `least` is how many controls there are at least, so that an empty tree fails. */
async function check(page, least) {
  // The tree follows the page at the next event.
  let nodes;
  await until(() => (nodes = tree()).filter((node) => controls.has(node.role)).length >= least, 10_000, `${least} controls on ${page}`);
  const wrong = nodes.map((node) => [node, fault(node)]).filter(([, why]) => why !== null);
  const lines = wrong.map(([node, why]) => `${node.path.slice(-4).join(" > ")} "${node.name}": ${why} ${JSON.stringify(node.attributes)}`);
  assert.deepEqual(lines, [], `${page}: ${lines.length} of ${nodes.length} nodes`);
  return nodes;
}

const has = (nodes, role, name) => nodes.some((node) => node.role === role && (typeof name === "string" ? node.name === name : name.test(node.name)));

test("the start page", async () => {
  await window.find("open-demo");
  await check("the start page", 8);
});

test("the editor, with a rack", async () => {
  await window.click("open-demo");
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", "highpass(120 Hz, order=2) | peaking(2 kHz, q=1, gain=-9 dB) | compressor(-20 dB, ratio=4) | parametric_eq");
  await window.press("Enter");
  await window.find("slot-4");
  const nodes = await check("the editor", 60);
  const sliders = nodes.filter((node) => node.role === "slider");
  assert.ok(sliders.length > 5, `${sliders.length} sliders`);
  const live = nodes.filter((node) => ["polite", "assertive"].includes(node.attributes.live));
  assert.ok(live.length > 0, "live regions");
  assert.ok(nodes.some((node) => node.role === "timer"), "a read-out of the time");
});

/** Opens a dialog by keys, checks what it adds to the window, and closes it. */
async function checkDialog(name, keys, title, least) {
  await window.press(...keys);
  await until(() => window.run(`return document.querySelector('[role="dialog"]') !== null`), 10_000, `the dialog ${name}`);
  await pause(200);
  const nodes = await check(`the dialog ${name}`, least);
  assert.ok(nodes.some((node) => node.role === "dialog" && title.test(node.name)), `${name} has its title: ${nodes.filter((node) => node.role === "dialog").map((node) => node.name)}`);
  await window.press("Escape");
  await until(() => window.run(`return document.querySelector('[role="dialog"]') === null`), 10_000, `the end of the dialog ${name}`);
}

test("the dialogs of export, settings, effects and keys", async () => {
  await window.run("document.activeElement?.blur()");
  await checkDialog("export", ["Control", "Shift", "e"], /Export/, 5);
  await checkDialog("settings", ["Control", ","], /Settings/, 5);
  await checkDialog("effects", ["e"], /Add effect/, 10);
  await checkDialog("shortcuts", ["Control", "/"], /shortcuts/, 2);
});

test("a menu", async () => {
  await window.run(`document.querySelector('[role="menubar"] [role="menuitem"]').focus()`);
  await window.press("Down");
  await until(() => window.run(`return document.querySelector('[role="menu"]') !== null`), 10_000, "a menu");
  const nodes = await check("a menu", 5);
  assert.ok(nodes.filter((node) => node.role === "menu item").length > 5, "its items");
  await window.press("Escape");
});

test("the library", async () => {
  await window.press("Control", "2");
  await window.find("library-empty");
  await check("the empty library", 5);
  const drag = await dropFiles(desktop.env, [join(desktop.home, "music")], [500, 400]);
  await drag.release();
  await until(() => window.has("scan-summary"), 120_000, "the end of the scan");
  await until(() => window.run(`return document.querySelectorAll('[data-testid="track-table"] [aria-selected]').length >= 4`), 10_000, "the tracks");
  await window.run(`document.getElementById("library-table").focus()`);
  await window.press("Down");
  await window.find("dimensions");
  await check("the library", 30);
});

test("the batch page", async () => {
  await window.press("Control", "Shift", "b");
  await window.find("batch-empty");
  const drag = await dropFiles(desktop.env, [join(desktop.home, "take.wav")], [500, 400]);
  await drag.release();
  await until(() => window.run(`return document.querySelectorAll('[id^="input-"]').length === 1`), 10_000, "the file");
  await check("the batch page", 15);
});
