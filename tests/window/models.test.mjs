// The page of models in the real window: folders, their contents, and the licence, confirmed and kept.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { answerFileDialog, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");
const reference = JSON.parse(gunzipSync(readFileSync(resolve("tests/reference/models.json.gz")))).models;

let desktop;
let window;
let folder;
let layout;
let empty;

/** A safetensors file with the names and shapes of a model, and a hole for the numbers. */
function writeModel(path, { tensors }) {
  let end = 0;
  const header = {};
  for (const [name, [, shape]] of Object.entries(tensors)) {
    const start = end;
    end += 4 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: "F32", shape, data_offsets: [start, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  writeFileSync(path, Buffer.concat([length, text]));
  truncateSync(path, 8 + text.length + end);
}

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  folder = join(desktop.home, "models");
  layout = join(desktop.home, "encodec");
  empty = join(desktop.home, "empty");
  for (const each of [folder, layout, empty]) mkdirSync(each);
  writeModel(join(folder, "dac weights"), reference["dac_44khz own"]);
  writeModel(join(layout, "model.safetensors"), reference["encodec_48khz transformers"]);
  writeFileSync(join(layout, "config.json"), JSON.stringify(reference["encodec_48khz transformers"].config));
  copyFileSync(resolve("tests/reference/weights/calls.pt"), join(folder, "calls.pt"));
  writeFileSync(join(folder, "notes.txt"), "not weights");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);
const checked = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.checked ?? null`);
const rows = () => window.run(`return [...document.querySelectorAll('[data-testid^="models-row-"]')].map((row) => row.dataset.kind)`);

async function command(words) {
  await window.press("Control", "k");
  await window.type("palette-search", words);
  await window.press("Enter");
}

test("the palette opens the page, which says what to do", async () => {
  await window.find("empty-state");
  await command("Page: models");
  await window.find("models-page");
  assert.match(await said("models-empty"), /fetches none/);
  assert.match(await said("models-known"), /kyutai offers mimi/);
  await picture("models-01-empty");
});

test("folders are chosen in a dialog, and what is in them is shown", async () => {
  for (const [count, chosen] of [[1, folder], [2, layout], [3, empty]]) {
    const adding = window.click("models-add");
    await answerFileDialog(desktop.env, "Folders of models", chosen, false, "ctrl+l");
    await adding;
    await until(() => window.has(`models-remove-${count - 1}`), 20_000, "the folder");
  }
  assert.deepEqual(await rows(), ["dac_44khz", "encodec_48khz"]);
  const dac = await said("models-row-0");
  for (const part of ["DAC 44.1 kHz", "dac weights", "76.7 million", "MIT"]) assert.ok(dac.includes(part), dac);
  assert.match(await said("models-rejected"), /calls\.pt.*posix\.system.*nothing of it was run/s);
  assert.doesNotMatch(await said("models-rejected"), /notes\.txt/);
  assert.match(await said("models-problem-2"), /no weight files/);
  await picture("models-02-found");
});

test("a licence is confirmed by the keyboard, and stays so", async () => {
  assert.equal(await checked("models-confirm-0"), false);
  await window.run(`document.querySelector('[data-testid="models-confirm-0"]').focus()`);
  await window.press(" ");
  await until(async () => (await checked("models-confirm-0")) === true, 5_000, "the confirmation");
  assert.equal(await checked("models-confirm-1"), false);
  await window.press("Escape");
  await window.find("empty-state");
  await command("Page: models");
  await until(async () => (await rows()).length === 2, 20_000, "the models");
  assert.equal(await checked("models-confirm-0"), true);
  await window.click("models-remove-2");
  await until(async () => !(await window.has("models-remove-2")), 20_000, "the folder to go");
});

test("both themes can be read at both sizes", async () => {
  for (const theme of ["light", "dark"]) {
    await command(`Theme: ${theme}`);
    await until(() => window.run(`return document.documentElement.dataset.theme === "${theme}"`), 5_000, theme);
    for (const [width, height] of [[1280, 800], [960, 600]]) {
      await window.resize(width, height);
      await picture(`models-03-${theme}-${width}`);
      assert.equal(await window.run(`const body = document.querySelector('[data-testid="models-page"] .body'); return body.scrollWidth > body.clientWidth`), false);
    }
  }
});

test("folders and licences are there at the next start", async () => {
  await window.close();
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.find("app");
  await command("Page: models");
  await until(async () => (await rows()).length === 2, 20_000, "the models");
  assert.equal(await checked("models-confirm-0"), true);
});
