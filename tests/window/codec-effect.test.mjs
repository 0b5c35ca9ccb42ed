// A neural codec in the rack of the real window: its model, its licence, its bandwidth, and its sound.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, until } from "./desktop.mjs";
import { closeEditor, openEditor, picturesOf } from "./editor.mjs";

const model = resolve("tests/reference/codec_models/encodec_24khz");

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("codec-effect", () => window);
const chainText = () => window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`);
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);

async function command(words) {
  await window.run("document.activeElement?.blur()");
  await window.press("Control", "k");
  await window.type("palette-search", words);
  await window.press("Enter");
}

test("a codec is found, and does nothing before it has a model", async () => {
  await window.press("e");
  await window.type("effect-search", "codec");
  await until(async () => (await window.run(`return document.querySelector('[role="option"]')?.dataset.testid`)) === "effect-codec", 5_000, "the codec first");
  await window.press("Enter");
  await until(async () => (await chainText()).startsWith("codec"), 5_000, "the chain");
  assert.equal(await window.has("chain-cannot-run"), false);
  await picture("01-without");
});

test("its model's licence is asked for before it is heard", async () => {
  const choosing = window.click("folder-model");
  await answerFileDialog(desktop.env, "Model of codec", model, false, "ctrl+l");
  await choosing;
  await window.find("chain-cannot-run");
  assert.match(await said("chain-cannot-run"), /licence of EnCodec 24 kHz is not confirmed/);
  await picture("02-licence");
  await window.click("rack-models");
  await window.find("models-page");
  const adding = window.click("models-add");
  await answerFileDialog(desktop.env, "Folders of models", model, false, "ctrl+l");
  await adding;
  await window.click("models-confirm-0");
  await until(() => window.run(`return document.querySelector('[data-testid="models-confirm-0"]').checked`), 5_000, "the confirmation");
  await window.press("Escape");
  await until(async () => !(await window.has("chain-cannot-run")), 10_000, "the chain to run");
});

test("the bandwidth is turned while it is heard", async () => {
  await until(() => window.has("param-bandwidth"), 5_000, "the bandwidth");
  const slider = `[...document.querySelectorAll('[data-region="rack"] .body .slider')].find((own) => own.getAttribute("aria-label").startsWith("Bandwidth"))`;
  const before = await window.run(`return ${slider}.getAttribute("aria-valuetext")`);
  await window.run("document.activeElement?.blur()");
  await window.press(" ");
  await until(() => window.run(`return document.querySelector('[data-testid="play"]')?.getAttribute("aria-pressed") === "true"`), 10_000, "the sound");
  await window.run(`${slider}.focus()`);
  for (let n = 0; n < 4; n++) await window.press("PageDown");
  await until(async () => /kbps/.test(await chainText()), 10_000, "a bandwidth in the chain");
  assert.notEqual(await window.run(`return ${slider}.getAttribute("aria-valuetext")`), before);
  await picture("03-playing");
  await window.run("document.activeElement?.blur()");
  await window.press(" ");
});

test("it can be read in the light, and is exported", async () => {
  await command("Theme: light");
  await window.resize(1920, 1080);
  await picture("04-light");
  await window.resize(1280, 800);
});
