// Effects on a part of the recording: put on the selection, seen as a bar, moved, stretched, bypassed, undone, moved with
// the sound, kept.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { application, closeEditor, isDrawn, openEditor, picturesOf } from "./editor.mjs";

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("parts", () => window);
const drawn = () => isDrawn(window);
const chainText = () => window.run(`return document.querySelector('[data-testid="chain-text"]')?.value.trim() ?? ""`);
const reads = (pattern) => until(async () => (pattern.test(await chainText()) ? chainText() : null), 10_000, `the chain ${pattern}`);
const bar = () => until(() => window.run(`return document.querySelector('[data-testid^="part-"][data-menu="slot"]')?.dataset.testid`), 5_000, "a bar");
const times = async () => {
  const [, from, to] = /during\(([\d.]+) (?:s|ms), ([\d.]+) s/.exec(await chainText());
  return [Number(from), Number(to)];
};

async function select(from, to) {
  await window.run("document.activeElement?.blur()");
  await window.press("Escape");
  await window.drag("waveform", [from, 0.5], [to, 0.5]);
}

test("an effect is put on the selection, and seen over the waveform", async () => {
  await window.run("document.activeElement?.blur()");
  await window.press("e");
  await window.find("effect-search");
  await window.type("effect-search", "gain");
  await window.press("Enter");
  await reads(/^gain/);
  await select(0.25, 0.5);
  // The slot that is selected offers it.
  await window.run(`document.querySelector('[data-testid="slot-1"]').focus()`);
  await window.click("selection-only-1");
  await reads(/^during\([23]\.\d+ s, 6\.\d* ?s?, gain/);
  await bar();
  await drawn();
  await picture("01-bar");
});

test("the bar is dragged, stretched and moved by keys, each one step of undo", async () => {
  const id = await bar();
  const [from, to] = await times();
  await window.drag(id, [0.5, 0.5], [1, 0.5]);
  await until(async () => (await times())[0] > from + 1, 5_000, "a later part");
  const [moved, end] = await times();
  assert.ok(Math.abs(end - moved - (to - from)) < 1e-5, "the length stays");
  await window.drag(id, [0.985, 0.5], [1.3, 0.5]);
  await until(async () => (await times())[1] > end + 0.5, 5_000, "a longer part");
  assert.ok(Math.abs((await times())[0] - moved) < 1e-5, "its beginning stays");
  await window.run(`document.querySelector('[data-testid="${id}"]').focus()`);
  await window.press("Left");
  await until(async () => (await times())[0] < moved, 5_000, "an earlier part");
  await window.run("document.activeElement?.blur()");
  for (let step = 0; step < 3; step += 1) {
    await window.press("Control", "z");
  }
  await until(async () => Math.abs((await times())[0] - from) < 1e-5 && Math.abs((await times())[1] - to) < 1e-5, 5_000, "where it was");
});

test("its times are typed, it is bypassed, and goes with the sound", async () => {
  await window.run(`const field = document.querySelector('[data-testid="part-from-1"]'); field.focus(); field.select()`);
  await window.type("part-from-1", "4 s");
  await window.press("Enter");
  await until(async () => (await times())[0] === 4, 5_000, "4 s");
  await window.run(`const field = document.querySelector('[data-testid="part-from-1"]'); field.focus(); field.select()`);
  await window.type("part-from-1", "11 s");
  await window.press("Enter");
  await window.find("part-from-1-problem");
  await window.press("Escape");
  await window.click("bypass-1");
  await reads(/^off\(during/);
  await picture("02-bypassed");
  await window.click("bypass-1");
  await reads(/^during/);
  await select(0, 0.125);
  await window.press("Delete");
  await until(async () => (await times())[0] < 2.7, 5_000, "an earlier part");
  await window.press("Control", "z");
  await until(async () => (await times())[0] === 4, 5_000, "4 s again");
});

test("it is kept over a restart, and acts on everything again", async () => {
  const before = await chainText();
  await window.close();
  window = await openApplication(desktop.env, application, []);
  await window.resize(1024, 700);
  await drawn();
  assert.equal(await chainText(), before);
  await bar();
  await picture("03-small");
  await window.run(`document.querySelector('[data-testid="slot-1"]').focus()`);
  await window.press("Control", "u");
  await reads(/^gain/);
});
