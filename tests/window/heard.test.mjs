// The displays during playback, in the real window: the analyser, the stereo image, loudness.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pause, startDesktop, until } from "./desktop.mjs";
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
  // Without effects both sides would be one line.
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", "highpass(120 Hz, order=2) | peaking(2 kHz, q=1, gain=-9 dB) | gain(-3 dB)");
  await window.press("Enter");
  await window.find("slot-3");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const focusLane = () => window.run("document.activeElement?.blur()");
const number = async (id) => Number((await window.text(id)).replace("−", "-"));

/** How many colours a canvas holds, transparency among them: a blank one has one. */
const coloursOf = (id) =>
  window.run(`
    const canvas = document.querySelector('[data-testid="${id}"]');
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;`);

async function play() {
  await focusLane();
  await window.press("Home");
  await window.press("Space");
  await until(async () => (await window.attribute("play", "aria-pressed")) === "true", 10_000, "playing");
}

async function stop() {
  await focusLane();
  await window.press("Space");
  await until(async () => (await window.attribute("play", "aria-pressed")) === "false", 10_000, "the end of playing");
}

test("the analyser says what to do while nothing was played", async () => {
  await focusLane();
  await window.press("v");
  assert.match(await window.text("analyser-empty"), /Play \(Space\)/);
  await picture("30-analyser-empty");
});

test("it shows what is heard: traces, image, loudness", async () => {
  assert.ok(desktop.sound, "a sound server runs");
  await play();
  await until(async () => (await window.attribute("analyser-traces", "data-drawn")) === "sound", 10_000, "traces");
  assert.equal(await window.has("analyser-empty"), false);
  await until(async () => Number.isFinite(await number("heard-integrated")), 10_000, "an integrated loudness");
  const [momentary, integrated, peak] = [await number("heard-momentary"), await number("heard-integrated"), await number("heard-truePeak")];
  for (const value of [momentary, integrated]) assert.ok(value > -60 && value < 0, `${value} LUFS`);
  assert.ok(peak > momentary, "a peak is above the loudness");
  assert.match(await window.attribute("correlation", "aria-valuetext"), /^Correlation [+−]\d/);
  assert.ok((await coloursOf("analyser-traces")) > 20, "traces are drawn");
  assert.ok((await coloursOf("goniometer")) > 5, "points are drawn");
  await picture("31-analyser");
  await window.run(`document.querySelector('[data-testid="analyser-plot"]').focus()`);
  await window.press("Right");
  const readout = () => window.run(`return document.querySelector('[data-testid="analyser-readout"]')?.textContent ?? ""`);
  await until(async () => /Hz, .*: A .* dB, B .* dB/.test(await readout()), 5_000, "a read-out of both sides");
  await stop();
});

test("the last sound stays when playing stops, and nothing is asked for any more", async () => {
  assert.match(await window.text("analyser"), /Stopped/);
  await pause(500);
  const seen = await number("heard-integrated");
  await pause(300);
  assert.equal(await number("heard-integrated"), seen);
  await picture("32-analyser-stopped");
});

test("channels, peak hold and slope are changed by key", async () => {
  await focusLane();
  for (const key of ["c", "h", "o", "a"]) await window.press("Shift", key);
  await play();
  await pause(1500);
  await picture("33-analyser-each");
  await focusLane();
  await window.press("Shift", "v");
  await window.find("analyser-panel");
  await picture("34-analyser-settings");
  await window.press("Escape");
  await stop();
});

test("loudness over time is measured of both sides and read at the cursor", async () => {
  await focusLane();
  await window.press("Shift", "l");
  await until(async () => (await window.attribute("loudness-curves", "data-drawn")) === "exact", 30_000, "whole curves");
  assert.match(await window.text("loudness-original"), /I −\d+\.\d/);
  await window.drag("loudness-curves", [0.5, 0.5], [0.5, 0.5]);
  assert.match(await window.text("loudness-readout"), /Original: M −?\S+, S/);
  assert.ok((await coloursOf("loudness-curves")) > 10, "curves are drawn");
  await picture("35-loudness");
});

test("all of it looks right at both sizes and in all themes", async () => {
  await play();
  for (const name of ["dark", "light", "contrast"]) {
    await focusLane();
    await window.press("Control", ",");
    await window.find("settings");
    await window.run(`document.querySelector('[data-testid="settings-theme"]').focus()`);
    await window.press("Enter");
    await window.find(`settings-theme-${name}`);
    await pause(200);
    await window.press({ dark: "d", light: "l", contrast: "h" }[name]);
    await window.press("Enter");
    await until(async () => (await window.run("return document.documentElement.dataset.theme")) === name, 5_000, `the ${name} theme`);
    await window.press("Escape");
    for (const [width, height] of [[1280, 800], [1920, 1080], [1024, 640]]) {
      await window.resize(width, height);
      await pause(700);
      await picture(`36-heard-${name}-${width}`);
    }
  }
  await window.resize(1280, 800);
  if ((await window.attribute("play", "aria-pressed")) === "true") await stop();
});

test("what was opened is open again after a restart, and nothing broke the security policy", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
  await pause(700);
  await window.close();
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.find("analyser");
  await window.find("loudness-lane");
  await picture("37-restarted");
  await window.click("analyser-close");
  await until(async () => !(await window.has("analyser")), 5_000, "the analyser to close");
});
