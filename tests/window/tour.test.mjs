// A newcomer's first hour in the real window: playback levels, playing a selection, menus in a small window, tooltips,
// the order of effects, the tab in front after a restart.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");
const NAMES = ["first.wav", "second.wav", "third.wav"];

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  const files = NAMES.map((name) => join(desktop.home, name));
  files.forEach((path) => writeTestTone(path, 20));
  window = await openApplication(desktop.env, application, files);
  await window.resize(1280, 800);
  await exact();
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const exact = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
const picture = (name) => window.picture(join(pictures, `tour-${name}.png`));
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);
const blur = () => window.run("document.activeElement?.blur()");
const playing = async () => (await window.attribute("play", "aria-pressed")) === "true";
const tabs = () => window.run(`return [...document.querySelectorAll('[role="tab"]')].map((tab) => [tab.textContent.trim(), tab.getAttribute("aria-selected") === "true"])`);
const front = async () => (await tabs()).find(([, selected]) => selected)?.[0];
const bringToFront = (name) => window.run(`[...document.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent.includes("${name}")).click()`);

async function write(chain, slots) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await blur();
  await window.find(`slot-${slots}`);
}

/** The peak of the selection, once it is known. */
async function peak(which) {
  await until(async () => /peak/.test(await said("status-selection")), 20_000, `levels of the ${which} side`);
  return Number(/peak\s*([+−]?[\d.]+)/.exec(await said("status-selection"))[1].replace("−", "-"));
}

async function pointAt(id, [x, y] = [0.5, 0.5]) {
  const at = await window.pointOf(id, [x, y]);
  await fetch(`${window.url}/actions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: [{ type: "pointerMove", duration: 60, ...at }] }] }) });
}

test("levels of a selection are those of the side that is heard, also when it is described", async () => {
  await window.drag("waveform", [0.3, 0.3], [0.6, 0.3]);
  const original = await peak("original");
  await write("gain(6 dB)", 1);
  await until(async () => Math.abs((await peak("processed")) - original - 6) < 0.11, 20_000, "6 dB more");
  assert.equal(await window.has("status-of-original"), false);
  await picture("01-processed-levels");
  await blur();
  await window.press("a");
  await until(async () => Math.abs((await peak("original")) - original) < 0.11, 20_000, "the original's level");
  await window.press("b");
  // The description begins with the side that is heard.
  await until(async () => (await window.attribute("side-b", "aria-pressed")) === "true", 5_000, "the processed side");
  await window.press("i");
  const described = async () => Number(/peak (-?[\d.]+) dBFS/.exec(await said("description"))?.[1] ?? NaN);
  await until(async () => Number.isFinite(await described()), 20_000, "a description");
  const processed = await described();
  await picture("02-described");
  await window.run(`document.querySelector('[data-testid="describe-side"] [data-option="original"]').click()`);
  await until(async () => Math.abs(processed - (await described()) - 6) < 0.11, 20_000, "the original described");
  await window.press("Escape");
});

test("playing begins and ends with the selection, and the button pauses", async () => {
  const seconds = async () => Number(/(\d+\.\d+)$/.exec(await said("time-code"))[1]);
  await window.run(`document.querySelector(".stage").focus()`);
  await window.press("Escape");
  await window.drag("waveform", [0.1, 0.3], [0.2, 0.3]);
  const from = await seconds();
  await window.press("Space");
  await until(playing, 10_000, "playing");
  await until(async () => !(await playing()), 20_000, "the end of the selection");
  assert.equal(await seconds(), from, "the cursor is where it was");
  await window.press("Space");
  await until(playing, 10_000, "playing again");
  assert.equal(await window.attribute("play", "aria-label"), "Pause");
  await window.click("play");
  await until(async () => !(await playing()), 10_000, "a pause");
  assert.equal(await window.attribute("play", "aria-label"), "Play");
  await window.click("stop");
});

test("what the lanes show is chosen beside the tabs, and a part in time and frequency is a range of time in the waveform", async () => {
  await window.click("lanes-spectrogram");
  await until(async () => (await window.attribute("spectrogram", "data-drawn")) === "exact", 30_000, "an exact spectrogram");
  await blur();
  await window.press("t");
  await window.drag("waveform", [0.4, 0.2], [0.7, 0.35]);
  await window.find("status-band");
  const marks = () => window.run(`return document.querySelectorAll('[data-region="lanes"] .marks > .part').length`);
  assert.equal(await marks(), 0);
  await picture("03-band");
  await window.click("lanes-waveform");
  await until(async () => (await marks()) === 1, 5_000, "the range of time");
  await picture("04-band-in-waveform");
  await blur();
  await window.press("t");
});

test("the status bar has room for all that it shows, at every width", async () => {
  await window.click("lanes-both");
  for (const width of [1920, 1280, 1024]) {
    await window.resize(width, 700);
    await until(async () => (await window.run("return innerWidth")) === width, 5_000, `a width of ${width}`);
    await pointAt("waveform", [0.5, 0.3]);
    await until(async () => /\d Hz/.test(await said("status-hz")), 10_000, "what is under the pointer");
    await pause(500);
    const faults = await window.run(`
      const bar = document.querySelector('[data-region="status"]');
      const parts = [...bar.querySelectorAll("span, input, button")].filter((each) => each.getClientRects().length > 0);
      return [bar.scrollWidth > bar.clientWidth ? "the bar" : null, ...parts.filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5).map((each) => each.textContent)].filter(Boolean);`);
    assert.deepEqual(faults, [], `at ${width}`);
    await picture(`05-status-${width}`);
  }
  await window.click("lanes-waveform");
});

test("every menu fits into a small window, with the theme and what the lanes show in reach", async () => {
  for (const [width, height] of [[1280, 800], [1024, 700]]) {
    await window.resize(width, height);
    await until(async () => (await window.run("return innerHeight")) === height, 5_000, `a height of ${height}`);
    for (const menu of ["file", "edit", "view", "transport", "effects", "help"]) {
      await window.click(`menu-${menu}`);
      await window.find(`menu-of-${menu}`);
      const [scrolls, bottom] = await window.run(`const menu = document.querySelector('[data-testid="menu-of-${menu}"]'); return [menu.scrollHeight > menu.clientHeight + 1, menu.getBoundingClientRect().bottom]`);
      assert.equal(scrolls, false, `${menu} at ${width}x${height}`);
      assert.ok(bottom <= height, `${menu} ends at ${bottom}`);
      if (menu === "view") await picture(`06-view-${width}`);
      await window.press("Escape");
      await until(async () => !(await window.has(`menu-of-${menu}`)), 5_000, "the menu to close");
    }
  }
  await window.resize(1280, 800);
  await window.click("menu-view");
  await window.click("sub-theme");
  await window.click("command-theme-light");
  await until(() => window.run(`return document.documentElement.dataset.theme === "light"`), 5_000, "the light theme");
  await window.click("menu-view");
  await window.click("sub-theme");
  await window.click("command-theme-dark");
  await until(() => window.run(`return document.documentElement.dataset.theme === "dark"`), 5_000, "the dark theme");
});

test("a tooltip comes with the pointer, and goes with a click, a key and what opens beneath it", async () => {
  const shown = async () => ((await window.has("tooltip")) ? said("tooltip") : null);
  const gone = (why) => until(async () => (await shown()) === null, 3_000, `the tooltip to go with ${why}`);
  await pointAt("matched");
  await until(async () => /Match/.test((await shown()) ?? ""), 5_000, "the tooltip of Match");
  await picture("07-tooltip");
  await window.press("F10");
  await gone("a key");
  await until(() => window.has("menu-of-file"), 5_000, "the menu");
  await window.press("Escape");
  await pointAt("waveform");
  await pointAt("rack-fold");
  await until(async () => (await shown()) !== null, 5_000, "another tooltip");
  await window.run(`document.querySelector('[data-testid="menu-file"]').focus()`);
  await window.press("Control", "k");
  await window.find("palette");
  await gone("a dialog");
  await pause(900);
  assert.equal(await shown(), null);
  await window.press("Escape");
});

test("Normalise says that effects behind it change its level, and moves to the end", async () => {
  await write("normalize(-1 dB) | highpass(80 Hz)", 2);
  assert.match(await said("order-hint-1"), /Effects below this one/);
  await picture("08-order");
  await window.click("to-end-1");
  await until(async () => !(await window.has("order-hint-1")) && !(await window.has("order-hint-2")), 5_000, "the hint to go");
  assert.match(await said("slot-2"), /Normalise/);
});

test("dragging the edge of the rack selects no text", async () => {
  const box = await window.run(`const r = document.querySelector('[role="separator"]').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]`);
  const at = (x, y) => ({ x: Math.round(x), y: Math.round(y) });
  const actions = [{ type: "pointerMove", duration: 0, ...at(...box) }, { type: "pointerDown", button: 0 }, { type: "pointerMove", duration: 200, ...at(box[0] + 150, box[1] + 200) }, { type: "pointerMove", duration: 200, ...at(box[0] - 60, box[1]) }, { type: "pointerUp", button: 0 }];
  await fetch(`${window.url}/actions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] }) });
  assert.equal(await window.run("return getSelection().toString()"), "");
});

test("the tab in front is in front again after a restart, whatever was closed behind it", async () => {
  await bringToFront("first.wav");
  await until(async () => (await front()) === "first.wav", 5_000, "the first tab");
  await window.run(`document.querySelectorAll('[data-testid^="tab-close-"]')[2].click()`);
  await until(async () => (await tabs()).length === 2, 5_000, "two tabs");
  assert.equal(await front(), "first.wav");
  await window.close();
  window = await openApplication(desktop.env, application);
  await until(async () => (await tabs()).length === 2, 10_000, "two tabs again");
  assert.equal(await front(), "first.wav");
});
