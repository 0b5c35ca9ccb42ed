// Separating a recording: the dialog, the resulting tracks, their playback, and their export.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, heardLevel, pause, until } from "./desktop.mjs";
import { Keys } from "./driver.mjs";
import { chooseByKeys, closeEditor, isDrawn, openEditor, picturesOf } from "./editor.mjs";
import { writeTestTone } from "./recordings.mjs";

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor("song.wav"));
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("stems", () => window);
const has = (id, ms = 10_000) => until(() => window.has(id), ms, id);
const lacks = (id) => until(async () => !(await window.has(id)), 10_000, `no ${id}`);
const says = (id, pattern) => until(async () => ((await window.has(id)) && pattern.test(await window.text(id)) ? window.text(id) : null), 15_000, `"${id}" to say ${pattern}`);
const isPressed = (id, state = "true") => until(async () => (await window.attribute(id, "aria-pressed")) === state, 10_000, `${id} is ${state}`);
const away = () => window.run("document.activeElement?.blur()");

/** Runs a command by the palette. */
async function command(words) {
  await away();
  await window.press(Keys.Control, "k");
  await window.find("palette-search");
  await window.type("palette-search", words);
  await window.press(Keys.Enter);
}

async function theme(name) {
  await command(`Theme: ${name}`);
  await until(() => window.run(`return document.documentElement.dataset.theme === "${name}"`), 5_000, name);
}

/** A picture in both themes and at two sizes. */
async function pictures(name) {
  for (const [width, height] of [[1280, 800], [1920, 1080]]) {
    await window.resize(width, height);
    await pause(400);
    await picture(`${name}-${width}`);
  }
  await window.resize(1280, 800);
}

async function openDialog() {
  await away();
  await window.press(Keys.Control, Keys.Alt, "s");
  await window.find("separate-start");
  await says("separate-device", /: ./);
}

test("the dialog says what it does, where, and that it does not know how long", async () => {
  await theme("dark");
  await openDialog();
  await says("separate-what", /song, 0:12/);
  await says("separate-time", /Not measured/);
  assert.ok((await window.text("separate")).includes("Rough"), "the quick split is said to be rough");
  await pictures("dialog");
  await window.click("separate-stem-voice");
  await window.click("separate-stem-accompaniment");
  assert.equal(await window.attribute("separate-start", "disabled"), "");
  await window.click("separate-models");
  await has("models-page");
  await lacks("separate");
  await window.click("models-back");
  await isDrawn(window);
});

test("the stems come as tracks of a new document", async () => {
  await openDialog();
  await chooseByKeys(window, "separate-residual", "own", ["a"]);
  await window.click("separate-start");
  await lacks("separate");
  await has("track-row-2", 120_000);
  await has("stem-presets");
  await isDrawn(window);
  await pictures("tracks");
  const names = await window.run(`return [1, 2, 3].map((id) => document.querySelector('[data-testid="track-' + id + '"]').textContent)`);
  assert.deepEqual(names, ["Voice", "Accompaniment", "Residual"]);
  await has("track-kind-1");
  await isPressed("stems-all");
  await theme("light");
  await pictures("tracks-light");
  await openDialog();
  await says("separate-time", /About|At once/);
  await pictures("dialog-light");
  await window.press(Keys.Escape);
  await lacks("separate");
  await theme("dark");
});

test("they are heard as for karaoke by one press, and as before by one step back", async () => {
  await away();
  await window.press(Keys.Home);
  await window.press(" ");
  await until(() => heardLevel(desktop.env, 0.5) > -40, 10_000, "the sum");
  await window.press(" ");
  await window.click("stems-karaoke");
  await isPressed("stems-karaoke");
  await isPressed("track-mute-1");
  await isPressed("track-mute-2", "false");
  await away();
  await window.press(Keys.Control, "z");
  await isPressed("stems-all");
  await isPressed("track-mute-1", "false");
});

test("each stem is exported", async () => {
  const out = join(desktop.home, "out");
  mkdirSync(out);
  await command("Export each track");
  await answerFileDialog(desktop.env, "Folder for the tracks", out);
  await until(() => readdirSync(out).filter((name) => name.endsWith(".wav")).length === 3, 30_000, "three files");
  assert.deepEqual(readdirSync(out).sort(), ["01 Voice.wav", "02 Accompaniment.wav", "03 Residual.wav"]);
});

test("separated once more, they are there at once", async () => {
  await command("Previous document");
  await lacks("stem-presets");
  await openDialog();
  await says("separate-time", /At once/);
  await window.click("separate-start");
  await has("stem-presets", 10_000);
});

test("what is there of the stems is heard while the rest is computed, and goes on as a document", async () => {
  const long = join(desktop.home, "long.wav");
  writeTestTone(long, 120);
  await away();
  await window.press(Keys.Control, "o");
  await answerFileDialog(desktop.env, "Open recordings and projects", long);
  await until(() => window.run(`return [...document.querySelectorAll('[role="tab"][aria-selected="true"]')].some((tab) => tab.textContent.includes("long"))`), 20_000, "the recording in front");
  await openDialog();
  await window.click("separate-start");
  await lacks("separate");
  await has("stems-bar", 30_000);
  await until(async () => (await window.attribute("stems-listen", "disabled")) === null, 120_000, "the first seconds");
  await window.click("stems-listen");
  await isPressed("stems-listen");
  await until(() => heardLevel(desktop.env, 0.5) > -40, 10_000, "the stems");
  assert.ok(await window.has("stems-bar"), "the rest is computed yet");
  await pictures("listening");
  await window.click("stems-hear-voice");
  await isPressed("stems-hear-voice", "false");
  assert.ok(heardLevel(desktop.env, 0.5) > -60, "the other stem goes on");

  // One that waits is left out by the keyboard.
  await openDialog();
  await chooseByKeys(window, "separate-residual", "spread", ["s"]);
  await window.click("separate-start");
  await lacks("separate");
  await has("stems-waiting");
  await window.click("stems-waiting");
  await has("stems-list");
  await picture("waiting");
  await window.run(`document.querySelector('[data-testid^="stems-drop-"]').focus()`);
  await window.press(Keys.Enter);
  await lacks("stems-list");
  await lacks("stems-waiting");
  await isPressed("stems-listen");

  // The document has what was switched off muted, and plays on.
  await has("stem-presets", 240_000);
  await lacks("stems-bar");
  await isPressed("track-mute-1");
  await isPressed("track-mute-2", "false");
  await isPressed("play");
  assert.ok(heardLevel(desktop.env, 0.5) > -60, "it goes on");
  await window.press(" ");
});

test("the one that runs is cancelled alone", async () => {
  await command("Previous document");
  await lacks("stem-presets");
  await openDialog();
  await window.click("separate-stem-voice");
  await window.click("separate-start");
  await lacks("separate");
  await has("stems-cancel", 30_000);
  await window.click("stems-cancel");
  await lacks("stems-bar");
  await lacks("stem-presets");
});
