// Keys and menus in the real window: space wherever the focus is, pausing, times that are typed, the menus at the top and at
// the pointer, the tool of the lanes. Keys are pressed on the display, as a keyboard does.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
  const files = ["first.wav", "second.wav"].map((name) => join(desktop.home, name));
  files.forEach((path) => writeTestTone(path, 20));
  window = await openApplication(desktop.env, application, files);
  await window.resize(1280, 800);
  await window.run(`
    window.refused = [];
    addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective));
    window.shown = 0;
    addEventListener("contextmenu", (event) => setTimeout(() => event.defaultPrevented || window.shown++));`);
  await drawn("waveform");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const drawn = (id) => until(async () => (await window.attribute(id, "data-drawn")) === "exact", 30_000, `an exact ${id}`);
const picture = (name) => window.picture(join(pictures, `keys-${name}.png`));
const xdotool = (...args) => spawnSync("xdotool", args, { env: desktop.env, encoding: "utf8" }).stdout.trim();

const shown = () => xdotool("search", "--onlyvisible", "--name", "Undertone").split("\n").pop();

/** Clicks with the right button on the display; the driver never releases it once a menu has opened. */
async function rightClick(id, [x, y] = [0.5, 0.5]) {
  await window.find(id);
  const at = await window.pointOf(id, [x, y]);
  xdotool("mousemove", "--window", shown(), String(at.x), String(at.y));
  await pause(100);
  xdotool("click", "3");
}

/** Presses keys on the display: "ctrl+space", "Menu". */
async function press(...combos) {
  xdotool("windowfocus", "--sync", shown());
  for (const combo of combos) {
    xdotool("key", "--clearmodifiers", combo);
    await pause(120);
  }
}

const playing = async () => (await window.attribute("play", "aria-pressed")) === "true";
const plays = (on, after) => until(async () => (await playing()) === on, 5_000, `${on ? "playing" : "silence"} after ${after}`);
const seconds = async () => {
  const [, minutes, rest] = /\d+:(\d+):([\d.]+)/.exec(await window.text("time-code"));
  return Number(minutes) * 60 + Number(rest);
};
const focus = (id) => window.run(`document.querySelector('[data-testid="${id}"]').focus()`);
const focusLanes = () => window.run(`document.querySelector(".stage").focus()`);
const focused = (id) => window.run(`return document.activeElement === document.querySelector('[data-testid="${id}"]')`);
const expanded = (id) => window.attribute(id, "aria-expanded");
const chain = () => window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`);
const entries = () => window.run(`return [...document.querySelectorAll('[data-testid="context-menu"] [role="menuitem"]')].map((each) => each.textContent.trim())`);
const tabIds = () => window.run(`return [...document.querySelectorAll('[role="tab"][data-testid]')].map((tab) => tab.dataset.testid)`);

async function chooseTheme(theme) {
  await window.press("Control", "k");
  await window.type("palette-search", `Theme: ${theme}`);
  await press("Return");
  await until(async () => (await window.run("return document.documentElement.dataset.theme")) === theme, 5_000, `the ${theme} theme`);
}

async function type(id, words) {
  await focus(id);
  await window.run(`document.querySelector('[data-testid="${id}"]').select()`);
  await window.type(id, words);
  await press("Return");
}

test("space plays and stops after a click on anything", async () => {
  assert.ok(desktop.sound, "a sound server runs");
  await window.click("add-effect");
  await window.type("effect-search", "gain");
  await press("Return");
  await until(() => focused("slot-1"), 5_000, "the focus on the new slot");
  const once = async (after) => {
    await press("space");
    await plays(true, after);
    await press("space");
    await plays(false, after);
  };
  await once("adding an effect");
  const [tab] = await tabIds();
  await window.click(tab);
  await once("a click on a tab");
  await window.click("add-effect");
  await window.type("effect-search", "gain");
  await press("Return");
  await until(() => focused("slot-1"), 5_000, "the focus on the new slot");
  for (const id of ["bypass-1", "slider-gain", "rack-b", "rack-a", "side-b", "presets", "spectrogram-open"]) {
    await (id === "presets" ? focus(id) : window.click(id));
    await once(id);
  }
  await press("Escape");
  assert.match(await chain(), /^off\(gain|^gain/);
});

test("a pause keeps the place, and playing goes on from there", async () => {
  await focusLanes();
  await press("Home", "ctrl+space");
  await until(async () => (await seconds()) > 0.5, 10_000, "the time to go on");
  await press("ctrl+space");
  await plays(false, "the pause");
  const place = await seconds();
  assert.ok(place > 0.4, `paused at ${place} s`);
  await pause(300);
  assert.equal(await seconds(), place);
  await press("space");
  await until(async () => (await seconds()) > place + 0.1, 10_000, "playing to go on");
  await press("space");
  await plays(false, "space");
  assert.equal(await seconds(), 0, "stopping returns to the cursor");
});

test("times are typed: go to, the time code, the selection", async () => {
  await focusLanes();
  await press("ctrl+g");
  await window.type("go-to-place", "soon");
  await press("Return");
  await until(async () => /Not a time/.test(await window.text("go-to-help")), 5_000, "the reason");
  await picture("01-go-to");
  await window.run(`document.querySelector('[data-testid="go-to-place"]').select()`);
  await window.type("go-to-place", "0:05.5");
  await press("Return");
  await until(async () => (await seconds()) === 5.5, 5_000, "the typed place");
  await window.click("time-code");
  await type("time-field", "250 ms");
  await until(async () => (await seconds()) === 0.25, 5_000, "the place of the time code");

  await window.drag("waveform", [0.25, 0.5], [0.5, 0.5]);
  await window.find("selection-start");
  await type("selection-start", "0:02");
  await type("selection-length", "1.5 s");
  const value = (id) => window.run(`return document.querySelector('[data-testid="${id}"]').value`);
  await until(async () => (await value("selection-end")) === "0:03.500", 5_000, "the end by start and length");
  await type("selection-end", "0:01");
  await until(async () => /must be after the start/.test(await window.text("selection-end-problem")), 5_000, "the reason");
  await picture("02-refused");
  await press("Escape");
  assert.equal(await value("selection-end"), "0:03.500", "Escape brings back what was");
  assert.equal(await window.has("selection-end-problem"), false);
  // Letters and space in a field are text.
  const before = await playing();
  await window.type("selection-end", "e l?");
  assert.deepEqual([await playing(), await window.has("effect-dialog"), await window.has("shortcuts")], [before, false, false]);
  await press("Escape");
});

test("the menus open by keys, and Escape closes one thing at a time", async () => {
  await focus("slot-1");
  await press("F10");
  await until(async () => (await expanded("menu-file")) === "true", 5_000, "the first menu");
  await press("Right");
  await until(async () => (await expanded("menu-edit")) === "true", 5_000, "its neighbour");
  await press("Down", "Escape");
  await until(async () => (await expanded("menu-edit")) === "false", 5_000, "the menu to close");
  await until(() => focused("slot-1"), 5_000, "the focus to return");
  await press("alt+t");
  await until(async () => (await expanded("menu-transport")) === "true", 5_000, "the menu of its letter");
  await press("Escape");
  await until(() => focused("slot-1"), 5_000, "the focus to return");

  const selected = async () => /nothing/.test(await window.text("status-selection")) === false;
  assert.ok(await selected());
  await focusLanes();
  await press("3", "g");
  await window.find("spectrogram-panel");
  await window.click("scale");
  await window.find("scale-mel");
  await press("Escape");
  await until(async () => !(await window.has("scale-mel")), 5_000, "the list to close");
  assert.ok(await window.has("spectrogram-panel"), "the panel stays");
  await press("Escape");
  await until(async () => !(await window.has("spectrogram-panel")), 5_000, "the panel to close");
  assert.ok(await selected(), "the selection stays");
  await focusLanes();
  await press("Escape");
  await until(async () => !(await selected()), 5_000, "the selection to go");

  await window.run("document.activeElement?.blur()");
  for (const key of ["question", "F1"]) {
    await press(key);
    await window.find("help-page");
    await window.run("document.activeElement?.blur()");
    await press("Escape");
    await until(async () => !(await window.has("help-page")), 5_000, "the help to close");
  }
});

test("a drag takes time or time and frequency, as the tool says, and with Ctrl the other", async () => {
  await drawn("spectrogram");
  const banded = (on, how) => until(async () => (await window.has("repair-bar")) === on, 5_000, `${on ? "frequencies" : "time alone"} by ${how}`);
  await window.drag("waveform", [0.3, 0.2], [0.4, 0.3], "Control");
  await banded(true, "Ctrl");
  await window.drag("waveform", [0.5, 0.2], [0.6, 0.3]);
  await banded(false, "the tool for time");
  await press("t");
  await until(async () => (await window.attribute("band-tool", "aria-pressed")) === "true", 5_000, "the tool");
  await window.drag("waveform", [0.3, 0.2], [0.4, 0.3]);
  await banded(true, "the tool for both");
  await type("selection-low", "A6");
  await until(async () => /1\D?760\.0 Hz/.test(await window.run(`return document.querySelector('[data-testid="selection-low"]').value`)), 5_000, "the note as a frequency");
  await picture("03-tool");
  await window.drag("waveform", [0.7, 0.2], [0.8, 0.3], "Control");
  await banded(false, "Ctrl");
  await focusLanes();
  await press("t", "Escape");
});

for (const theme of ["dark", "light"]) {
  test(`menus open where they are asked for, ${theme}`, async () => {
    await chooseTheme(theme);
    await rightClick("waveform", [0.5, 0.4]);
    await window.find("context-menu");
    assert.ok((await entries()).some((name) => /^Play or stop.*Space$/.test(name)), "a command with its key");
    await pause(200);
    await picture(`04-${theme}-lanes`);
    await press("Escape");
    await until(async () => !(await window.has("context-menu")), 5_000, "the menu to close");

    await window.drag("waveform", [0.3, 0.5], [0.6, 0.6]);
    await rightClick("waveform", [0.45, 0.4]);
    await window.find("command-play-selection");
    await window.click("colours");
    await window.find("command-colours-magma");
    await pause(200);
    await picture(`05-${theme}-selection`);
    await press("Escape", "Escape");
    await until(async () => !(await window.has("context-menu")), 5_000, "the menu to close");
    await focusLanes();
    await press("Escape");

    const [tab] = await tabIds();
    await rightClick(tab);
    await window.find("command-close-others");
    await pause(200);
    await picture(`06-${theme}-tab`);
    await press("Escape");
    await rightClick("slider-gain");
    await window.find("parameter-reset");
    await pause(200);
    await picture(`07-${theme}-parameter`);
    await press("Escape");
    await rightClick("frequency-axis");
    await window.find("command-frequency-ruler-notes");
    await pause(200);
    await picture(`08-${theme}-ruler`);
    await press("Escape");

    await focus("slot-1");
    await press("Menu");
    await window.find("slot-rename");
    await pause(200);
    await picture(`09-${theme}-slot`);
    await press("Escape");
    await until(() => focused("slot-1"), 5_000, "the focus to return");
    await press("shift+F10");
    await window.find("slot-rename");
    await press("Escape");
    await until(async () => !(await window.has("context-menu")), 5_000, "the menu to close");
  });
}

test("a text field has its own menu, whose entries act on it", async () => {
  await window.click("chain-text");
  await press("ctrl+a");
  await window.type("chain-text", "gain(-7 dB)");
  await rightClick("chain-text");
  await window.find("field-all");
  await picture("10-field");
  await window.click("field-all");
  await until(async () => !(await window.has("context-menu")), 5_000, "the menu to close");
  assert.ok(await focused("chain-text"));
  await rightClick("chain-text");
  await window.click("field-cut");
  await until(async () => (await chain()) === "", 5_000, "the text to be cut");
  await rightClick("chain-text");
  await window.click("field-paste");
  await until(async () => (await chain()) === "gain(-7 dB)", 5_000, "the text to be pasted");
  await press("Escape");
});

test("a tab's menu closes the others", async () => {
  const [first, second] = await tabIds();
  await rightClick(second);
  await window.click("command-close-others");
  await until(async () => !(await window.has(first)), 5_000, "the other to close");
});

test("no menu of the web view was shown, and nothing needed more than the security policy allows", async () => {
  assert.equal(await window.run("return window.shown"), 0);
  assert.deepEqual(await window.run("return window.refused"), []);
});
