// The rack in the real window: two racks, groups by keyboard, order by mouse, presets, the list of effects.

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
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective))`);
  await window.click("open-demo");
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const focusLane = () => window.run("document.activeElement?.blur()");
const focus = (id) => window.run(`document.querySelector('[data-testid="${id}"]').focus()`);
const chainText = () => window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`);
const shows = (text) => until(async () => (await chainText()) === text, 5_000, `the chain ${text}`);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await shows(chain);
  await focusLane();
}

test("two racks are heard in turn while the recording plays", async () => {
  await write("highpass(80 Hz) | gain(-3 dB)");
  await window.press("Space");
  await until(async () => (await window.attribute("play", "aria-pressed")) === "true", 10_000, "playing");
  await window.press("q");
  await shows("");
  await write("lowpass(2 kHz)");
  for (const [rack, chain] of [["a", "highpass(80 Hz) | gain(-3 dB)"], ["b", "lowpass(2 kHz)"], ["a", "highpass(80 Hz) | gain(-3 dB)"]]) {
    await window.press("q");
    await shows(chain);
    assert.equal(await window.attribute(`rack-${rack}`, "aria-pressed"), "true");
  }
  assert.equal(await window.attribute("play", "aria-pressed"), "true", "playing goes on");
  await window.press("Space");
  await picture("rack-01-two-racks");
});

test("slots are grouped by keyboard and the group is dissolved", async () => {
  await write("highpass(80 Hz) | gain(-3 dB) | lowpass(8 kHz)");
  await focus("grip-1");
  await window.press("Shift", "Down");
  await window.press("Control", "Shift", "g");
  await shows("(highpass(80 Hz) + gain(-3 dB)) | lowpass(8 kHz)");
  await picture("rack-02-group");
  await window.press("Control", "u");
  await shows("highpass(80 Hz) | gain(-3 dB) | lowpass(8 kHz)");
});

test("a slot is moved with the mouse", async () => {
  const far = await window.run(`
    const box = (id) => document.querySelector('[data-testid="' + id + '"]').getBoundingClientRect();
    return (box("slot-1").top + 2 - box("grip-2").top) / box("grip-2").height;`);
  await window.drag("grip-2", [0.5, 0.5], [0.5, far]);
  await shows("gain(-3 dB) | highpass(80 Hz) | lowpass(8 kHz)");
});

test("a preset is found by its task and loaded", async () => {
  await focusLane();
  await window.press("Shift", "e");
  await window.type("preset-search", "mains 60");
  await picture("rack-03-presets");
  await window.click("preset-load-Remove mains hum, 60 Hz");
  await until(async () => /notch\(60 Hz/.test(await chainText()), 5_000, "the preset");
  await focusLane();
  await window.press("Control", "z");
});

test("an effect that was added stands among the most used", async () => {
  await focusLane();
  await window.press("e");
  await window.type("effect-search", "gain");
  await window.press("Enter");
  await until(async () => !(await window.has("effect-dialog")), 5_000, "the list to close");
  await focusLane();
  await window.press("e");
  await window.find("effect-search");
  const first = await window.run(`return document.querySelector('[role="option"]').getAttribute("data-testid")`);
  await picture("rack-04-most-used");
  await window.press("Escape");
  assert.equal(first, "effect-gain");
});

test("nothing that was shown needed more than the security policy allows", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
});
