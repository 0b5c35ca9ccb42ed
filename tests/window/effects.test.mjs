// Effects in the real window: everyday ranges, the selection, search by everyday words, the reference, the palette.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.click("open-demo");
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const focusLane = () => window.run("document.activeElement?.blur()");
const chainText = () => window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`);
const options = () => window.run(`return [...document.querySelectorAll('[role="option"]')].map((option) => option.dataset.testid)`);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await focusLane();
}

test("a slider at its default is not at an end of its travel", async () => {
  await write("compressor(-20 dB, 4) | gate(-50 dB) | delay(1/8) | normalize | chorus");
  await until(async () => (await chainText()).endsWith("chorus"), 5_000, "the chain");
  await window.run(`for (const more of document.querySelectorAll('[data-testid="more-parameters"]')) more.click()`);
  const sliders = await window.run(`
    return [...document.querySelectorAll('[data-region="rack"] .body .slider')].map((slider) => ({
      label: slider.getAttribute("aria-label"),
      text: slider.getAttribute("aria-valuetext"),
      resting: slider.dataset.resting !== undefined,
      place: (slider.querySelector(".thumb").getBoundingClientRect().x - slider.querySelector(".track").getBoundingClientRect().x) / slider.querySelector(".track").clientWidth,
    }))`);
  assert.ok(sliders.length > 30, `${sliders.length} sliders`);
  for (const { label, text, resting, place } of sliders) {
    // A resting slider says so in a word; a share may be 0 % or 100 %.
    const whole = text === "0 %" || text === "100 %";
    assert.ok(resting || whole || (place > 0.01 && place < 0.99), `${label} (${text}) is at ${place}`);
    if (resting) assert.match(text, /^[A-Z][a-z ]+$/, label);
  }
  assert.ok(!sliders.some(({ label }) => /Ceiling, Normalise|Percentile|RMS time/.test(label)), "what peak mode does not use is not shown");
  await picture("effects-01-ranges");
});

test("denoise takes the selection, and gives it back", async () => {
  await write("gain(0 dB)");
  await window.drag("waveform", [0.2, 0.5], [0.3, 0.5]);
  await focusLane();
  await window.press("e");
  await window.type("effect-search", "noise reduction");
  await until(async () => (await options())[0] === "effect-denoise", 5_000, "denoise first");
  await window.press("Enter");
  await until(async () => /denoise\(.* s, .* s\)/.test(await chainText()), 5_000, "denoise with the selection");
  assert.match(await window.text("selection-use-2"), /^Noise from [\d.:]+–[\d.:]+/);
  await picture("effects-02-selection");
  await window.click("selection-clear-2");
  await until(async () => (await chainText()).endsWith("denoise"), 5_000, "the quietest parts");
  assert.match(await window.text("selection-use-2"), /Noise from the quietest parts/);
  assert.match(await window.text("selection-take-2"), /Noise from the selection \([\d.:]+–[\d.:]+\)/);
  await window.click("selection-take-2");
  await until(async () => /denoise\(/.test(await chainText()), 5_000, "the selection again");
});

test("an effect for the whole recording says so beside a selection", async () => {
  await focusLane();
  await window.press("e");
  await window.type("effect-search", "amplify");
  await until(async () => (await options())[0] === "effect-gain", 5_000, "gain first");
  await window.press("Enter");
  await until(async () => window.has("selection-use-3"), 5_000, "the line");
  assert.match(await window.text("selection-use-3"), /^Acts on the whole recording/);
  assert.match(await window.text("selection-only-3"), /Only the selection/);
});

test("everyday words find the effect that does it first", async () => {
  for (const [words, first] of [["low cut", "highpass"], ["amplify", "gain"], ["echo", "delay"], ["loudness", "normalize"]]) {
    await focusLane();
    await window.press("e");
    await window.type("effect-search", words);
    await until(async () => (await options())[0] === `effect-${first}`, 5_000, `${first} for ${words}`);
    if (words === "low cut") await picture("effects-03-search");
    await window.press("Escape");
  }
});

test("the palette answers words of other programs", async () => {
  for (const [word, wanted] of [["save", "palette-export"], ["cut", "palette-sound-cut"], ["trim", "palette-sound-trim"], ["record", "palette-record"]]) {
    await focusLane();
    await window.press("Control", "k");
    await window.type("palette-search", word);
    await until(async () => (await options()).slice(0, 8).includes(wanted), 5_000, `${wanted} for ${word}`);
    if (word === "cut") await picture("effects-04-palette");
    await window.press("Escape");
  }
});

test("the reference shows defaults and never scrolls sideways", async () => {
  await focusLane();
  await window.press("Shift", "F1");
  for (const [words, name] of [["fir filter", "fir"], ["parametric", "parametric_eq"], ["low-pass", "lowpass"]]) {
    await window.run(`const field = document.querySelector('[data-testid="reference-search"]'); field.value = ""; field.dispatchEvent(new Event("input", { bubbles: true }))`);
    await window.type("reference-search", words);
    await window.find(`reference-${name}`);
    const page = await window.run(`const page = document.querySelector('[data-testid="reference-${name}"]'); return { wide: page.scrollWidth - page.clientWidth, defaults: page.querySelectorAll(".default").length, parameters: page.querySelectorAll("dt").length }`);
    assert.equal(page.wide, 0, name);
    assert.ok(page.defaults > 0 && page.defaults >= page.parameters - 1, `${name}: ${page.defaults} defaults of ${page.parameters}`);
    await picture(`effects-05-reference-${name}`);
  }
  await window.press("Escape");
});
