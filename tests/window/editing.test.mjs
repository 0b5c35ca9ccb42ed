// Editing: the first things that a user of another editor tries, by mouse and by keyboard, as seen, heard in a file,
// and kept.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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

const picture = picturesOf("editing", () => window);
const drawn = () => isDrawn(window);
const says = (id, pattern) => until(async () => ((await window.has(id)) && pattern.test(await window.text(id)) ? window.text(id) : null), 15_000, `"${id}" to say ${pattern}`);
const press = (...keys) => window.press(...keys);
const length = async () => Number(await window.attribute("waveform", "data-frames")) / RATE;
const lasts = (seconds, within = 0.03) => until(async () => Math.abs((await length()) - seconds) < within, 5_000, `a length of ${seconds} s`);
const joins = (count) => until(async () => (await window.attribute("waveform", "data-joins")) === String(count), 5_000, `${count} joins`);

async function select(from, to) {
  await window.run("document.activeElement?.blur()");
  // An edge of a selection that is there would be dragged.
  await press("Escape");
  await window.drag("waveform", [from, 0.5], [to, 0.5]);
  await says("status-selection", /RMS/);
}

function run(...words) {
  const result = spawnSync(commandLine, words, { env: desktop.env, encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  return result.stdout;
}

test("what is selected is deleted, and comes back", async () => {
  await lasts(12);
  await select(0.25, 0.5);
  await press("Delete");
  await lasts(9, 0.1);
  await drawn();
  await picture("01-deleted");
  assert.ok(!/length/.test(await window.text("status-selection")), "nothing is selected");
  await press("Control", "z");
  await lasts(12, 1e-6);
  await press("Control", "y");
  await lasts(9, 0.1);
  await press("Control", "z");
  await lasts(12, 1e-6);
});

test("what is cut is pasted elsewhere", async () => {
  await select(0.25, 0.5);
  await press("Control", "x");
  await lasts(9, 0.1);
  await press("Home");
  await press("Control", "v");
  await lasts(12, 0.1);
  await drawn();
  assert.equal(await window.attribute("waveform", "data-joins"), "2");
  await picture("02-pasted");
  await press("Control", "z");
  await lasts(9, 0.1);
  await press("Control", "z");
  await lasts(12, 1e-6);
});

test("silence, trim, duplicate, reverse, split and join are in the menu and have their keys", async () => {
  await select(0.25, 0.5);
  await press("Control", "l");
  await drawn();
  // The fades at both ends are all that is left.
  await says("status-selection", /RMS\s*−([4-9]\d|\d{3})/);
  await picture("03-silence");
  await press("Control", "z");
  await press("Control", "d");
  await lasts(15, 0.1);
  await press("Control", "z");
  await lasts(12, 1e-6);
  await press("Control", "t");
  await lasts(3, 0.1);
  await press("Control", "z");
  await lasts(12, 1e-6);
  await press("Control", "i");
  await joins(2);
  await picture("04-split");
  await press("Control", "j");
  await joins(0);
  await press("Control", "z");
  await joins(2);
  await press("Control", "z");
  await joins(0);
});

test("a double click selects the clip, a third click all, and Z moves the edges to zero crossings", async () => {
  await select(0.25, 0.5);
  await press("Control", "i");
  await joins(2);
  await press("Escape");
  const clicks = (count) => window.clicks("waveform", [0.4, 0.5], count);
  const bounds = async () => [await window.run(`return document.querySelector('[data-testid="selection-start"]')?.value`), await window.run(`return document.querySelector('[data-testid="selection-end"]')?.value`)];
  await clicks(2);
  const [from, to] = await until(async () => ((await bounds())[0] ? bounds() : null), 5_000, "a selection");
  assert.match(from, /0:0[23]\./);
  assert.match(to, /0:0[56]\./);
  await clicks(3);
  await until(async () => /0:00\.000/.test((await bounds())[0]), 5_000, "all");
  await press("Control", "z");
  await joins(0);
  await select(0.26, 0.48);
  const before = await bounds();
  await press("z");
  await until(async () => `${await bounds()}` !== `${before}`, 5_000, "edges elsewhere");
  await press("Escape");
});

test("silence of a typed length is inserted", async () => {
  await press("Escape");
  await press("Home");
  await press("Control", "Alt", "l");
  await window.find("insert-silence-length");
  await window.run(`const field = document.querySelector('[data-testid="insert-silence-length"]'); field.focus(); field.select()`);
  await window.type("insert-silence-length", "2.5 s");
  await press("Enter");
  await window.click("insert-silence-insert");
  await lasts(14.5, 1e-3);
  await picture("05-silence-inserted");
  await press("Control", "z");
  await lasts(12, 1e-6);
});

test("edits are exported as heard, saved and restored", async () => {
  await select(0.25, 0.5);
  await press("Delete");
  await lasts(9, 0.1);
  const expected = await length();
  const project = join(desktop.home, "edited.undertone");
  await press("Control", "s");
  await answerFileDialog(desktop.env, "Save project", project, true);
  await until(() => existsSync(project), 10_000, "the project");
  const target = join(desktop.home, "edited.wav");
  run("process", project, "-o", target, "--device", "cpu");
  const [{ frames }] = JSON.parse(run("info", target, "--json")).files;
  assert.ok(Math.abs(frames / RATE - expected) < 1e-4, `${frames} frames`);
  const again = join(desktop.home, "again.wav");
  run("process", project, "-o", again, "--device", "cpu");
  assert.ok(readFileSync(target).equals(readFileSync(again)));
  await window.close();
  window = await openApplication(desktop.env, application, []);
  await window.resize(1280, 800);
  await drawn();
  await lasts(expected, 1e-6);
});
