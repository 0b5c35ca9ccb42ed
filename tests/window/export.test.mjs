// Exporting: the offered range, the forecast, files that are never overwritten, and an MP3 with changed tags.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, pause, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { application, chooseByKeys, closeEditor, commandLine, openEditor, picturesOf } from "./editor.mjs";

let desktop;
let window;
let recording;

before(async () => {
  ({ desktop, window, recording } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("export", () => window);
const says = (id, pattern) => until(async () => ((await window.has(id)) && pattern.test(await window.text(id)) ? window.text(id) : null), 15_000, `"${id}" to say ${pattern}`);
const gone = (id) => until(async () => !(await window.has(id)), 10_000, `"${id}" to go`);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await window.run("document.activeElement?.blur()");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`)) === chain, 5_000, `the chain ${chain}`);
}

async function openDialog() {
  await window.run("document.activeElement?.blur()");
  await window.press("Control", "Shift", "e");
  await window.find("export-start");
}

async function closeDialog() {
  await window.press("Escape");
  await gone("export-dialog");
}

const choose = (id, value, letters) => chooseByKeys(window, id, value, letters);

async function exportTo(path) {
  await window.click("export-start");
  await answerFileDialog(desktop.env, "Export", path, true);
  await window.find("export-result", 30_000);
}

function run(...words) {
  const result = spawnSync(commandLine, words, { env: desktop.env, encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  return result.stdout;
}

test("the whole recording is offered, whatever is selected", async () => {
  await window.drag("waveform", [0.2, 0.5], [0.4, 0.5]);
  await until(async () => /RMS/.test(await window.text("status-selection")), 5_000, "the selection");
  await openDialog();
  assert.match(await window.attribute("export-range", "aria-label"), /Whole recording, 0:12\.000/);
  await says("export-length", /^0:12\.000$/);
  const whole = await window.text("export-size");
  assert.match(whole, /^\d/, "the size of PCM is exact");
  await choose("export-range", "selection", ["s"]);
  assert.match(await window.attribute("export-range", "aria-label"), /Selection, 0:02\.\d+–0:04\.\d+/);
  await says("export-from", /^0:02\./);
  await says("export-length", /^0:02\.\d/);
  await picture("01-selection");
  await closeDialog();
  // It is chosen for one export alone.
  await openDialog();
  await says("export-length", /^0:12\.000$/);
  await closeDialog();
});

test("clipping is foreseen, and one click keeps it from the file", async () => {
  await write("gain(12 dB)");
  await openDialog();
  const words = await says("export-level", /samples will clip/);
  assert.match(words, /The peak is \+4\.\d+ dB over full scale/);
  await picture("02-clips");
  const offer = await window.text("export-lower");
  assert.match(offer, /Set output gain to −4\.\d dB/);
  const gain = Number(/−(\d+\.\d)/.exec(offer)[1]);
  await window.click("export-lower");
  await says("export-level", /Nothing clips\. The true peak is −0\.[01] dBTP/);
  await picture("03-mended");
  const fromWindow = join(desktop.home, "mended.wav");
  await exportTo(fromWindow);
  assert.equal(await window.text("export-clipped"), "None");
  const fromCommandLine = join(desktop.home, "mended-too.wav");
  run("process", recording, "-o", fromCommandLine, "-c", "gain(12 dB)", "--gain", `-${gain}`, "--bits", "24", "--dither", "tpdf", "--device", "cpu");
  assert.ok(readFileSync(fromWindow).equals(readFileSync(fromCommandLine)), "the gain is that of the command line, to the last byte");
  await picture("04-done");
  // The other remedy.
  await window.click("export-again");
  await window.run(`const field = document.querySelector('[data-testid="export-output-gain"]'); field.focus(); field.select()`);
  await window.type("export-output-gain", "0 dB");
  await window.press("Enter");
  await says("export-level", /samples will clip/);
  await window.click("export-float");
  await says("export-level", /32-bit float keeps them/);
  assert.match(await window.attribute("export-bits", "aria-label"), /32-bit float/);
  await closeDialog();
  await write("gain(0 dB)");
});

test("the open recording is not written over", async () => {
  const before = readFileSync(recording);
  await openDialog();
  await window.click("export-start");
  const answered = answerFileDialog(desktop.env, "Export", recording, true);
  // The system's dialog asks first whether the file may be replaced.
  await pause(4_500);
  const xdotool = (...args) => spawnSync("xdotool", args, { env: desktop.env, encoding: "utf8" });
  for (const shown of xdotool("search", "--onlyvisible", "--name", ".*").stdout.trim().split("\n")) {
    if (/already exists|Question|^$/.test(xdotool("getwindowname", shown).stdout.trim())) xdotool("windowfocus", shown);
  }
  xdotool("key", "alt+r");
  await answered;
  const words = await says("export-refused", /open recording/);
  assert.match(words, /^This is the open recording\. Choose another name\.$/);
  await picture("05-refused");
  assert.ok(readFileSync(recording).equals(before));
  assert.ok(await window.has("export-start"), "another name can be chosen at once");
  await closeDialog();
});

test("an MP3 has the tags that were typed", async () => {
  await openDialog();
  await choose("export-format", "mp3", ["m"]);
  await window.find("export-mp3-rate");
  assert.equal(await window.has("export-problem"), false, "LAME is there");
  await window.type("export-tag-title", "Two tones");
  await window.type("export-tag-artist", "A generator");
  await window.type("export-tag-tracknumber", "3");
  await window.type("export-tag-date", "2026");
  await says("export-size", /^about /);
  await picture("06-mp3");
  const path = join(desktop.home, "tones.mp3");
  await exportTo(path);
  const [{ codec, frames, tags }] = JSON.parse(run("info", path, "--json")).files;
  assert.match(codec, /MP3|layer 3/i);
  assert.equal(frames, 12 * 44_100, "no frame is lost or added");
  assert.equal(tags.items.TITLE, "Two tones");
  assert.equal(tags.items.ARTIST, "A generator");
  assert.equal(tags.items.TRACKNUMBER, "3");
  assert.equal(tags.items.DATE, "2026");
  // The file is opened in the window.
  await window.click("export-open");
  await gone("export-dialog");
  await until(async () => /tones\.mp3/.test(await window.run("return document.body.textContent")), 10_000, "the exported file");
  rmSync(path);
});

test("without LAME the dialog says how to get it", async () => {
  await window.close();
  window = await openApplication({ ...desktop.env, UNDERTONE_LAME: "libmp3lame-that-nobody-has.so" }, application, [recording]);
  await window.resize(1024, 700);
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
  await openDialog();
  await choose("export-format", "mp3", ["m"]);
  assert.match(await says("export-problem", /LAME/), /Install libmp3lame0 \(Debian/);
  assert.equal(await window.attribute("export-start", "disabled"), "");
  await picture("07-without-lame");
  await choose("export-format", "opus", ["Up"]);
  await gone("export-problem");
  await closeDialog();
});

test("the dialog fits its window in both themes", async () => {
  for (const theme of ["dark", "light"]) {
    await window.run(`document.documentElement.dataset.theme = "${theme}"`);
    for (const [width, height] of [[1024, 700], [1600, 1000]]) {
      await window.resize(width, height);
      await openDialog();
      await window.find("export-level", 15_000);
      const [footer, wide] = await window.run(`const box = document.querySelector('[data-testid="export-start"]').getBoundingClientRect(); return [box.bottom, box.right]`);
      assert.ok(footer <= height && wide <= width, `the button is seen at ${width}x${height}`);
      await picture(`08-${theme}-${width}`);
      await closeDialog();
    }
  }
});
