// The grid of codecs in the real window: recordings, codecs, a folder, results, and a version that is compared.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;
let song;
let out;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  const folder = join(desktop.home, "songs");
  out = join(desktop.home, "out");
  mkdirSync(folder);
  mkdirSync(out);
  song = join(folder, "song.wav");
  writeSong(song, 3, 6, 48_000);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);
const rows = () => window.run(`return [...document.querySelectorAll('[data-testid^="codecs-row-"]')].map((row) => row.textContent)`);

test("the Compare page leads to the codecs, where a start says what is missing", async () => {
  await window.find("empty-state");
  await window.press("Control", "4");
  await window.click("compare-empty-codecs");
  await window.find("codecs-setup");
  assert.match(await window.attribute("codecs-start", "title"), /Add recordings/);
  await picture("codecs-01-empty");
});

test("a recording goes through codecs at several rates", async () => {
  const adding = window.click("codecs-files");
  await answerFileDialog(desktop.env, "Recordings to send through codecs", song);
  await adding;
  await until(async () => (await said("codecs-recordings")).includes("song.wav"), 10_000, "the recording");
  const choosing = window.click("codecs-choose");
  await answerFileDialog(desktop.env, "Folder of the results", out, false, "ctrl+l");
  await choosing;
  await until(async () => (await said("codecs-output")).endsWith("out"), 10_000, "the folder");
  await window.run(`const field = document.querySelector('[data-testid="codecs-words"]'); field.value = "opus:32,96 pcm:8 flac"; field.dispatchEvent(new Event("input", { bubbles: true })); field.dispatchEvent(new Event("change", { bubbles: true }));`);
  if (!(await window.run(`return document.querySelector('[data-testid="codecs-keep"]').checked`))) await window.click("codecs-keep");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="codecs-start"]').disabled`)) === false, 5_000, "nothing to be missing");
  await window.click("codecs-start");
  await until(async () => (await window.attribute("codecs-foot", "data-phase")) === "done", 120_000, "the end");
  assert.equal((await rows()).length, 4);
  await window.find("codecs-plot");
  assert.ok(readdirSync(out).includes("results.json"));
  await picture("codecs-02-results");
});

test("a neural codec of a model's folder runs beside the others", async () => {
  const model = resolve("tests/reference/codec_models/encodec_24khz");
  const words = (text) => window.run(`const field = document.querySelector('[data-testid="codecs-words"]'); field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event("input", { bubbles: true })); field.dispatchEvent(new Event("change", { bubbles: true }));`);
  await words(`"encodec:${model}@7"`);
  await until(async () => /0\.3 to 1\.2 kbit\/s/.test(await said("codecs-problem")), 10_000, "the bandwidths of the model");
  await words(`"encodec:${model}@0.3,1.2" opus:32`);
  // The licence of a model is read before it is used.
  await until(async () => /licence of EnCodec 24 kHz is not confirmed/.test(await said("codecs-problem")), 10_000, "the reason");
  const held = () => window.run(`return document.querySelector('[data-testid="codecs-start"]').disabled`);
  assert.equal(await held(), true);
  await picture("codecs-04-licence");
  await window.click("codecs-models");
  await window.find("models-add");
  const folders = window.click("models-add");
  await answerFileDialog(desktop.env, "Folders of models", model, false, "ctrl+l");
  await folders;
  await until(() => window.has("models-confirm-0"), 20_000, "the model");
  await window.run(`document.querySelector('[data-testid="models-confirm-0"]').focus()`);
  await window.press(" ");
  await until(() => window.run(`return document.querySelector('[data-testid="models-confirm-0"]')?.checked === true`), 10_000, "the confirmation");
  await window.press("Escape");
  await window.find("codecs-start");
  await until(async () => !(await held()), 10_000, "nothing to be missing");
  await window.run(`document.querySelector('[data-testid="codecs-start"]').focus()`);
  await window.press("Enter");
  // The previous run is finished too: the rows distinguish its end from this one's.
  const isDone = async () => (await window.attribute("codecs-foot", "data-phase")) === "done" && (await rows()).some((row) => row.includes("encodec"));
  await until(isDone, 240_000, "the end");
  const all = await rows();
  assert.equal(all.length, 3);
  assert.equal(all.filter((row) => row.includes("encodec")).length, 2);
  await picture("codecs-03-neural");
});

test("a cell opens its version in the comparison", async () => {
  await window.run(`document.querySelector('[data-testid="codecs-whose"]').focus()`);
  await window.press("Enter");
  const recording = await until(() => window.run(`return [...document.querySelectorAll('[data-testid^="codecs-whose-"]')].find((each) => each.textContent.includes("song.wav"))?.dataset.testid`), 5_000, "the recording's name");
  await pause(200);
  for (const letter of "song.") await window.press(letter);
  await window.press("Enter");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="${recording}"]')`)) === null, 5_000, "the list to close");
  await window.find("codecs-cells");
  await window.click("codecs-open-opus:32");
  await window.find("compare-foot");
  const states = () => window.run(`return [...document.querySelectorAll('[data-testid^="version-"]')].map((row) => row.dataset.state).join()`);
  await until(async () => (await states()) === "reference,compared", 60_000, "the comparison");
  assert.match(await said("version-0"), /song\.wav/);
  assert.match(await said("version-1"), /song\.wav, opus:32/);
  await picture("codecs-04-compared");
});
