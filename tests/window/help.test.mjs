// Notices, reasons, words and help in the real window; the map's legend; quitting keeps the session and the window's place.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");
const SONGS = 12;

let desktop;
let window;
let place;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  place = join(desktop.env.UNDERTONE_CONFIG_DIR, "window.json");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective))`);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `help-${name}.png`));
const blur = () => window.run("document.activeElement?.blur()");
const texts = (id) => window.run(`return [...document.querySelectorAll('[data-testid="${id}"]')].map((each) => each.textContent.trim())`);
const shown = (id) => window.run(`const box = document.querySelector('[data-testid="${id}"]')?.getBoundingClientRect(); return box ? [box.left, box.top, box.right, box.bottom] : null`);
const size = () => window.run("return [innerWidth, innerHeight]");

async function theme(name) {
  await window.press("Control", "k");
  await window.type("palette-search", `Theme: ${name}`);
  await window.press("Enter");
  await until(async () => !(await window.has("palette")), 5_000, "the palette to close");
  await blur();
}

test("a notice leaves when what it says is over, and is found in the list", async () => {
  const letter = join(desktop.home, "letter.wav");
  writeFileSync(letter, "Dear reader, this is not a recording.\n");
  await window.find("empty-state");
  // A second start hands its file to the first.
  spawnSync(application, [letter], { env: desktop.env });
  assert.match(await window.text("toast"), /letter\.wav/);
  const [left, , , bottom] = await shown("toast");
  const [width, height] = await size();
  assert.ok(left > width / 2 && bottom < height - 28, "at the lower right, above the status bar");
  await picture("01-notice");
  await window.click("open-demo");
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
  await until(async () => !(await window.has("toast")), 10_000, "the notice to leave");
  await window.click("notices-bell");
  const [notice] = await texts("notice");
  assert.match(notice, /letter\.wav.*over/s);
  await picture("02-notices");
  await window.press("Escape");
  assert.equal(await window.has("notices-list"), false);
});

test("what cannot work is off and says why", async () => {
  await blur();
  await window.press("3");
  await window.drag("waveform", [0.1, 0.15], [0.8, 0.3], "Alt");
  await window.find("repair-bar");
  assert.equal(await window.attribute("repair-spectral_heal", "disabled"), "");
  assert.equal(await window.attribute("repair-spectral_heal", "title"), "Heal works on up to 4 s. Select a shorter part.");
  await picture("03-heal-off");
  await blur();
  await window.press("Control", "k");
  await window.type("palette-search", "heal");
  assert.match(await window.text("palette-spectral_heal"), /Heal works on up to 4 s/);
  await picture("04-palette");
  await window.press("Escape");
  await blur();
  await window.press("Escape");
});

test("costs are words, with figures in the tooltip", async () => {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", "gain(-3 dB) | fdn_reverb");
  await window.press("Enter");
  await window.find("cost-2", 30_000);
  for (const slot of [1, 2]) {
    assert.match(await window.text(`cost-${slot}`), /^(light|moderate|heavy)$/);
    assert.match(await window.attribute(`cost-${slot}`, "title"), /real time/);
  }
  await blur();
  await window.press("d");
  await window.find("device-details");
  assert.equal(await window.run(`return document.querySelector('[data-testid="device-details"]').open`), false);
  await window.press("Escape");
  await blur();
});

test("the help opens by its key, is searched, and shows a guide with its pictures", async () => {
  await window.press("F1");
  await window.find("help-article");
  await until(() => window.run(`const first = document.querySelector('[data-testid="help-article"] img'); first?.scrollIntoView(); return first?.complete && first.naturalWidth > 600`), 10_000, "the first picture");
  assert.equal(await window.run(`return document.querySelectorAll('[data-testid="help-article"] img').length`), 10);
  await picture("05-tour");
  await window.type("help-search", "goniom");
  await until(async () => (await texts("help-found")).length > 0, 5_000, "a place");
  await picture("06-help-search");
  await window.click("help-found");
  await until(() => window.run(`return document.activeElement?.id === "help-what-is-heard"`), 5_000, "the place of the guide");
  await picture("07-guide");
  for (const [name, width, height] of [["light-1024", 1024, 700], ["light-1600", 1600, 1000]]) {
    await window.resize(width, height);
    await theme("Light");
    await window.click("guide-effects");
    await pause(300);
    await picture(`08-${name}`);
  }
  await theme("Dark");
  await window.resize(1280, 800);
  await blur();
  await window.press("Escape");
  await until(async () => !(await window.has("help-page")), 5_000, "the editor");
  await window.click("help-tour");
  await until(() => window.run(`return document.activeElement?.id === "help-3-add-effects"`), 5_000, "the guide of the rack");
  await window.press("F1");
  assert.equal(await window.has("help-page"), false);
});

test("the map has directions, a legend, and says how far to trust it", async () => {
  const music = join(desktop.home, "music");
  mkdirSync(music);
  for (let song = 1; song <= SONGS; song += 1) writeSong(join(music, `song-${song}.wav`), song, 6);
  await blur();
  await window.press("Control", "2");
  await window.find("library-empty");
  const clicked = window.click("library-empty-add");
  await answerFileDialog(desktop.env, "Add folders to the library", music);
  await clicked;
  await until(() => window.has("scan-summary"), 240_000, "the end of the scan");
  await window.click("query-help");
  await window.find("query-help-panel");
  await picture("09-query-help");
  await window.run(`[...document.querySelectorAll('[data-testid="query-help-panel"] button')].find((button) => button.textContent === "loudness:<-14").click()`);
  await until(() => window.run(`return document.getElementById("library-query").value === "loudness:<-14"`), 10_000, "the example in the field");
  await window.click("query-clear");
  await window.click("library-tab-map");
  await window.click("map-make");
  await window.find("map-legend", 60_000);
  assert.match(await window.text("map-kept"), /\d+\s%/);
  assert.match(await window.text("map-trust"), /^\d+ % of neighbours kept$/);
  assert.match(await window.text("map-legend"), /darker[\s\S]*one track/);
  assert.ok((await window.text("map-axes")).length > 0);
  await picture("10-map");
  await theme("Light");
  await window.resize(1024, 700);
  await pause(300);
  await picture("11-map-light-1024");
  await theme("Dark");
});

test("nothing that was shown needed more than the security policy allows", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
});

test("quitting keeps the session and the place of the window; a place off all screens is corrected", async () => {
  await window.click("page-editor");
  await window.find("slot-2");
  await window.resize(1180, 740);
  await until(async () => (await size())[0] === 1180, 5_000, "the size");
  await pause(700);
  await blur();
  await window.press("Control", "q").catch(() => null);
  await until(() => window.processes().length === 0, 15_000, "the program to end");
  await window.close();
  const kept = JSON.parse(readFileSync(place, "utf8"));
  assert.deepEqual([kept.width, kept.height, kept.maximised], [1180, 740, false]);
  writeFileSync(place, JSON.stringify({ ...kept, x: 9000, y: -4000 }));
  window = await openApplication(desktop.env, application);
  await window.find("slot-2", 20_000);
  assert.equal(await window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`), "gain(-3 dB) | fdn_reverb");
  await until(async () => (await size())[0] === 1180, 5_000, "the size that was kept");
  assert.equal((await size())[1], 740);
  const at = await window.run("return [screenX, screenY]");
  assert.ok(at[0] >= 0 && at[0] < 1920 - 120 && at[1] >= 0 && at[1] < 1080, `on the screen: ${at}`);
});
