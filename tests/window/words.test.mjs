// The window in other languages: every page and dialog in one that is 40 % longer than English, and in German. No word is cut
// off, at the smallest size that is comfortable and at the usual one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { CLIPPED } from "./clipped.mjs";
import { dropFiles, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";
import { scenesOf } from "./scenes.mjs";
import { writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const commandLine = resolve("target/debug/undertone");
const pictures = resolve("tests/out/window");
const SIZES = [[1024, 700], [1280, 800]];
const SONGS = 12;

let desktop;
let window;
let takes;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  const recording = join(desktop.home, "tone.wav");
  writeTestTone(recording, 12);
  takes = join(desktop.home, "takes");
  mkdirSync(takes);
  for (const take of [1, 2]) writeTestTone(join(takes, `take ${take}.wav`), 3);
  const music = join(desktop.home, "music");
  mkdirSync(music);
  for (let song = 1; song <= SONGS; song += 1) writeSong(join(music, `song-${song}.wav`), song);
  const scanned = spawnSync(commandLine, ["library", "scan", music], { env: desktop.env, encoding: "utf8" });
  assert.equal(scanned.status, 0, scanned.stderr);
  window = await openApplication(desktop.env, application, [recording]);
  await window.resize(1280, 800);
  await exact();
  await write("highpass(60 Hz, order=4) | compressor(-20 dB, ratio=4) | parametric_eq() | delay(0.3)");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const exact = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
const blur = () => window.run("document.activeElement?.blur()");
const gone = (id) => until(async () => !(await window.has(id)), 10_000, `"${id}" to go`);
// While the page is loaded again there is nobody to answer.
const language = () => window.run("return document.documentElement.lang").catch(() => "");
const scenes = scenesOf(() => window);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await blur();
  await window.find("slot-4");
}

async function key(...keys) {
  await blur();
  await window.press(...keys);
}

async function dialog(id, ...keys) {
  await key(...keys);
  await window.find(id);
  return async () => {
    await window.press("Escape");
    await gone(id);
  };
}

/**
 * Returns the texts that are cut off. A row fits its parts when it is drawn, so what a look finds between a change and
 * its drawing has to be there at the next look too.
 */
async function cutOff() {
  const first = await window.run(CLIPPED);
  if (first.length === 0) return first;
  await pause(500);
  const second = await window.run(CLIPPED);
  return first.filter((words) => second.includes(words));
}

/** Opens every scene at every size and returns the texts that are cut off. */
async function look(name) {
  const cut = [];
  for (const [width, height] of SIZES) {
    await window.resize(width, height);
    await pause(300);
    for (const [scene, open] of Object.entries(scenes)) {
      const close = await open();
      await window.settled();
      for (const words of await cutOff()) cut.push(`${width} ${scene}: ${words}`);
      await window.picture(join(pictures, `words-${name}-${width}-${scene}.png`));
      await close?.();
      await window.settled();
    }
  }
  return cut;
}

const report = (cut) => `${cut.length} words are cut off:\n${cut.join("\n")}`;

test("no word is cut off in a language that is 40 % longer", async () => {
  await window.run(`location.search = "?language=qps-ploc"`);
  await until(async () => (await language()) === "qps-ploc", 20_000, "the pseudo-locale");
  await exact();
  assert.doesNotMatch(await window.run(`return document.querySelector('[data-testid="menu-file"]').textContent`), /File/);
  await key("Control", "Shift", "b");
  await window.find("batch-empty");
  const drag = await dropFiles(desktop.env, [takes], [500, 400]);
  await until(() => window.run(`return document.querySelector('.drop') !== null`), 10_000, "the place to drop on");
  await drag.release();
  await until(() => window.has("input-1"), 10_000, "two inputs");
  const cut = await look("pseudo");
  assert.equal(cut.length, 0, report(cut));
});

test("a word that is cut off would be found", async () => {
  await key("Control", "1");
  await window.run(`document.querySelector('[data-testid="menu-file"]').style.cssText = "width: 20px; overflow: hidden"`);
  const cut = await window.run(CLIPPED);
  assert.equal(cut.filter((words) => words.includes("menu-file")).length > 0, true, report(cut));
});

test("German is chosen in the settings, at once, and nothing is lost", async () => {
  await window.run(`location.search = ""`);
  await until(async () => (await language()) === "en", 20_000, "English");
  await exact();
  const chain = await window.run(`return document.querySelector('[data-testid="chain-text"]').value`);
  await dialog("settings", "Control", ",");
  await window.run(`document.querySelector('[data-testid="settings-language"]').focus()`);
  await window.press("Enter");
  await window.find("settings-language-de");
  await pause(200);
  await window.press("d");
  await window.press("Enter");
  await until(async () => (await language()) === "de", 20_000, "German");
  assert.match(await window.text("settings"), /Einstellungen/, "the dialog is open again");
  assert.match(await window.attribute("settings-language", "aria-label"), /Sprache: Deutsch/);
  await window.press("Escape");
  await gone("settings");
  await exact();
  assert.equal(await window.run(`return document.querySelector('[data-testid="chain-text"]').value`), chain);
  assert.match(await window.run(`return document.querySelector('[data-testid="slot-1"]').textContent`), /Hochpass/);
});

test("no word is cut off in German", async () => {
  const cut = await look("de");
  assert.equal(cut.length, 0, report(cut));
  // Words in place of values, such as for a compressor without limit.
  await key("Control", "1");
  await exact();
  assert.deepEqual(await window.run(`return [...document.querySelectorAll('input[data-testid^="param-"]')].filter((field) => field.scrollWidth > field.clientWidth + 1).map((field) => field.value)`), []);
});

test("the language is kept, and another start speaks it", async () => {
  await window.close();
  window = await openApplication(desktop.env, application);
  await until(async () => (await language()) === "de", 20_000, "German");
  await exact();
  assert.match(await window.run(`return document.querySelector('[data-testid="menu-edit"]').textContent`), /Bearbeiten/);
});
