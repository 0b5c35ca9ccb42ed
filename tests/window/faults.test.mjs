// The window's messages and offers on problems: a chain that would read files, sound that would hurt, a missing
// recording, a second window beside the first.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;
let recording;
let response;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  recording = join(desktop.home, "tone.wav");
  response = join(desktop.home, "room.wav");
  writeTestTone(recording, 10);
  writeTestTone(response, 1);
  window = await openApplication(desktop.env, application, [recording]);
  await window.resize(1280, 800);
  await drawnExactly();
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `faults-${name}.png`));
const drawnExactly = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
const focusLane = () => window.run("document.activeElement?.blur()");
const chainText = () => window.run(`return document.querySelector('[data-testid="chain-text"]').value.trim()`);
const shows = (text) => until(async () => (await chainText()) === text, 5_000, `the chain ${text}`);
const isPlaying = async () => (await window.attribute("play", "aria-pressed")) === "true";
const gone = (id) => until(async () => !(await window.has(id)), 10_000, `"${id}" to go`);

async function write(chain) {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", chain);
  await window.press("Enter");
  await focusLane();
}

test("a pasted chain reads no file before it is allowed", async () => {
  await write(`gain(-3 dB) | convolve("${response}")`);
  assert.match(await window.text("asked-files"), /room\.wav/);
  await picture("01-asks");
  await window.click("leave-out");
  await gone("asked-files");
  await shows("gain(-3 dB)");
  await write(`gain(-3 dB) | convolve("${response}")`);
  await window.click("allow-files");
  await gone("asked-files");
  assert.equal(await window.has("chain-cannot-run"), false);
  assert.match(await chainText(), /convolve/);
  await picture("02-allowed");
});

test("sound far beyond full scale is muted, and the window says so", async () => {
  assert.ok(desktop.sound, "a sound server runs");
  await write("gain(48 dB)");
  await shows("gain(48 dB)");
  await focusLane();
  await window.press("Home");
  await window.press("Space");
  const words = await window.text("muted");
  assert.match(words, /Muted: the level rose to \+\d+ dB/);
  await until(async () => !(await isPlaying()), 5_000, "the end of playback");
  await picture("03-muted");
  await write("gain(-6 dB)");
  await shows("gain(-6 dB)");
  await focusLane();
  await window.press("Home");
  await window.press("Space");
  await gone("muted");
  await until(isPlaying, 5_000, "playback");
  await window.press("Space");
});

test("a recording that is gone can be tried again once it is back", async () => {
  const aside = join(desktop.home, "aside.wav");
  await window.close();
  renameSync(recording, aside);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  assert.match(await window.text("missing"), /tone\.wav/);
  assert.ok(!(await window.has("lanes-rendering")), "what cannot be read is not being rendered");
  await picture("04-missing");
  await window.click("retry");
  await pause(500);
  assert.ok(await window.has("missing"), "it is still gone");
  renameSync(aside, recording);
  await window.click("retry");
  await gone("missing");
  await drawnExactly();
  assert.equal(await chainText(), "gain(-6 dB)");
  await picture("05-tried-again");
});

test("a start while the instance of before is just ending comes to a window", async () => {
  await window.close();
  const former = spawn("/usr/bin/python3", ["tests/window/ending_instance.py"], { env: desktop.env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(former, "exit");
  const [there] = await Promise.race([once(former.stdout, "data"), ended]);
  assert.equal(String(there).trim(), "there");
  window = await openApplication(desktop.env, application);
  assert.deepEqual((await ended)[0], 0, "it was handed the files, and ended");
  await drawnExactly();
});

test("two windows without a session bus keep documents of their own", async () => {
  const { DBUS_SESSION_BUS_ADDRESS: _, ...env } = desktop.env;
  const alone = { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(desktop.home, "no-bus")}` };
  const first = window;
  await first.close();
  window = await openApplication(alone, application);
  await drawnExactly();
  const second = await openApplication(alone, application);
  try {
    await second.resize(1280, 800);
    await second.find("empty-state");
    assert.match(await second.text("toast"), /another window/);
    await second.picture(join(pictures, "faults-06-second-window.png"));
    assert.equal(await chainText(), "gain(-6 dB)", "the first window kept its document");
  } finally {
    // This ends both.
    await second.close();
  }
});
