// No click loses work: closed tabs come back with everything, undo belongs to the tab in front, and a document is saved
// as a project, opened again and named in the title bar.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  const recordings = ["first.wav", "second.wav"].map((name) => join(desktop.home, name));
  recordings.forEach((path) => writeTestTone(path, 5));
  window = await openApplication(desktop.env, application, recordings);
  await window.resize(1280, 800);
  await titled("second.wav — Undertone");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `project-${name}.png`));
const focusLane = () => window.run("document.activeElement?.blur()");
const chainText = () => window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`);
const shows = (text) => until(async () => (await chainText()) === text, 5_000, `the chain ${text}`);
const drawnExactly = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");

/** The bounds of the selection; its levels are measured a moment later. */
const selection = () => window.run(`return [...document.querySelectorAll('[data-testid="status-selection"] input')].map((field) => field.value).join(" ")`);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await shows(chain);
  await focusLane();
}

/** Waits until the native window has this title. */
async function titled(title) {
  const xdotool = (...words) => spawnSync("xdotool", words, { env: desktop.env, encoding: "utf8" }).stdout.trim();
  let last = "";
  await until(
    () => {
      const window = xdotool("search", "--onlyvisible", "--name", "Undertone$").split("\n").pop();
      last = window ? xdotool("getwindowname", window) : "";
      return last === title;
    },
    10_000,
    `the title "${title}"`,
  ).catch((error) => assert.equal(last, title, error.message));
}

const bringToFront = (name) => window.run(`[...document.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent.includes("${name}")).click()`);

test("undo after a close does nothing to the next tab, and the closed one comes back with chain and history", async () => {
  await write("gain(-1 dB)");
  await bringToFront("first.wav");
  await titled("first.wav — Undertone");
  await drawnExactly();
  await window.drag("waveform", [0.25, 0.5], [0.5, 0.5]);
  await write("highpass(80 Hz)");
  await write("highpass(80 Hz) | gain(-3 dB)");
  const selected = await selection();
  assert.match(selected, /\d.* .*\d/);

  await window.press("Control", "w");
  await titled("second.wav — Undertone");
  await shows("gain(-1 dB)");
  await window.press("Control", "z");
  assert.match(await window.text("toast"), /first\.wav was closed/);
  await window.press("Control", "Shift", "z");
  await window.press("Control", "z");
  assert.equal(await chainText(), "gain(-1 dB)");
  await picture("01-closed");

  await window.press("Control", "Shift", "t");
  await titled("first.wav — Undertone");
  await shows("highpass(80 Hz) | gain(-3 dB)");
  await until(async () => (await selection()) === selected, 5_000, "the selection as it was");
  await window.press("Control", "z");
  await shows("highpass(80 Hz)");
  await window.press("Control", "Shift", "z");
  await shows("highpass(80 Hz) | gain(-3 dB)");
});

test("a document is saved as a project, and the title says whether it was changed since", async () => {
  const project = join(desktop.home, "mix.undertone");
  await focusLane();
  await window.press("Control", "s");
  await answerFileDialog(desktop.env, "Save project", project, true);
  await titled("mix.undertone — Undertone");
  const saved = JSON.parse(readFileSync(project, "utf8"));
  assert.equal(saved.sources[0].path, "first.wav");
  await write("lowpass(2 kHz)");
  await titled("• mix.undertone — Undertone");
  await picture("02-changed");
  await window.press("Control", "s");
  await titled("mix.undertone — Undertone");
  assert.match(readFileSync(project, "utf8"), /lowpass/);
});

test("a closed project opened by the dialog has what it had", async () => {
  const project = join(desktop.home, "mix.undertone");
  await window.press("Control", "w");
  await titled("second.wav — Undertone");
  await window.press("Control", "o");
  await answerFileDialog(desktop.env, "Open", project);
  await titled("mix.undertone — Undertone");
  await shows("lowpass(2 kHz)");
  await window.press("Control", "z");
  await shows("highpass(80 Hz) | gain(-3 dB)");
  await titled("• mix.undertone — Undertone");
});

test("an empty window offers the document that was closed last, also at the next start", async () => {
  await window.press("Control", "w");
  await titled("second.wav — Undertone");
  await window.press("Control", "w");
  await titled("Undertone");
  assert.match(await window.text("reopen"), /second\.wav/);
  await picture("03-empty");
  await window.close();
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.click("reopen");
  await titled("second.wav — Undertone");
  await shows("gain(-1 dB)");
  await window.press("Control", "Shift", "t");
  await titled("• mix.undertone — Undertone");
  await shows("highpass(80 Hz) | gain(-3 dB)");
  assert.ok(existsSync(join(desktop.home, "first.wav")), "the recording is where it was");
});
