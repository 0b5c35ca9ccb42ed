// Recording and live sound in the real window: the input is the monitor of the desktop's only output.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { heardLevel, pause, playInto, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const commandLine = resolve("target/debug/undertone");
const pictures = resolve("tests/out/window");

let desktop;
let window;
let tone;
let folder;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  assert.ok(desktop.sound, "a sound server runs");
  spawnSync("pactl", ["set-default-source", "undertone.monitor"], { env: desktop.env });
  // No music folder: recordings go into the data folder.
  folder = join(desktop.home, "data", "Recordings");
  tone = join(desktop.home, "tone.wav");
  writeTestTone(tone, 30);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `recording-${name}.png`));
// The driver leaves out text in boxes that may cut it off.
const content = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent.trim() ?? null`);
const says = (id, pattern, ms = 15_000) => until(async () => pattern.test((await content(id)) ?? ""), ms, `"${id}" to say ${pattern}`);
const gone = (id) => until(async () => !(await window.has(id)), 15_000, `"${id}" to go`);
const files = () => (existsSync(folder) ? readdirSync(folder).sort() : []);
const length = async () => Number(await window.attribute("waveform", "data-frames")) / 48_000;
const drawn = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");

function info(path) {
  const { stdout, stderr } = spawnSync(commandLine, ["info", "--json", path], { env: desktop.env, encoding: "utf8" });
  assert.ok(stdout, stderr);
  return JSON.parse(stdout);
}

test("the start page records what is heard, and the recording opens", async () => {
  await window.find("start-record");
  await picture("01-start");
  const player = playInto(desktop.env, tone);
  await window.click("start-record");
  await says("recording-state", /^Recording/);
  await says("recording-time", /^0:0[2-9]/);
  assert.match(await content("recording-clips"), /No clipping/);
  await says("recording-disk", /left on disk/);
  await picture("02-recording");
  await window.click("recording-stop");
  await gone("recording-bar");
  player.kill();
  await drawn();
  assert.ok((await length()) > 2, "what was recorded is open");
  await picture("03-recorded");
  assert.deepEqual(files(), ["Recording.wav"]);
  const described = JSON.stringify(info(join(folder, "Recording.wav")));
  assert.match(described, /48000/);
  // The file has sound: after the header there is more than silence.
  const bytes = readFileSync(join(folder, "Recording.wav"));
  assert.ok(bytes.subarray(200).some((byte) => byte !== 0), "there is sound in it");
});

test("R records, Shift+R at the end of the document, and undo takes that back", async () => {
  const before = await length();
  await window.run("document.activeElement?.blur()");
  await window.press("Shift", "r");
  await says("recording-state", /at the end of Recording\.wav/);
  await says("recording-time", /^0:0[1-9]/);
  await window.press("Control", "Shift", "r");
  await says("recording-state", /^Paused/);
  await window.press("Control", "Shift", "r");
  await says("recording-state", /^Recording/);
  await window.press("r");
  await gone("recording-bar");
  await until(async () => (await length()) > before + 0.9, 10_000, "a longer document");
  assert.deepEqual(files(), ["Recording 2.wav", "Recording.wav"]);
  await drawn();
  await picture("04-appended");
  await window.press("Control", "z");
  await until(async () => Math.abs((await length()) - before) < 1e-6, 10_000, "the length before");
});

test("the input is shown only when asked for, with its choices", async () => {
  assert.equal(await window.has("recording-bar"), false);
  await window.click("recording-settings");
  await window.find("recording-panel");
  await says("recording-input-choice", /System default/);
  await picture("05-choices");
  await window.click("recording-arm");
  await says("recording-input", /Null Output|undertone/i);
  const player = playInto(desktop.env, tone);
  await until(async () => /peak −(\d|1\d)\./.test((await window.attribute("input-meter", "aria-label")) ?? ""), 10_000, "a level");
  player.kill();
  await window.press("Escape");
  await picture("06-armed");
  await window.click("recording-disarm");
  await gone("recording-bar");
});

test("live sound is muted at first, then heard through the effects, with its latency", async () => {
  // The output comes back through the monitor: quieter each time.
  await window.click("recording-settings");
  await window.click("live-toggle");
  await says("live-state", /^Muted\. Use headphones/);
  await window.press("Escape");
  await says("live-latency", /Latency \d+\.\d ms/);
  assert.match(await content("live-chain"), /effects \d+\.\d ms/);
  await picture("07-live");
  assert.ok(heardLevel(desktop.env, 1) < -80, "nothing is heard");
  await window.click("live-mute");
  await says("live-state", /What you hear comes from the input/);
  await window.click("live-mute");
  await says("live-state", /^Muted/);
  // The input is the output's monitor, as if by a cable.
  await window.click("live-measure");
  await says("live-round-trip", /Round trip \d+\.\d\d ms/);
  await window.click("live-stop");
  await gone("live-bar");
});

// By keyboard, as a list that has just opened may still be moving under the pointer.
async function choose(id, value) {
  await window.find(id);
  await window.run(`document.querySelector('[data-testid="${id}"]').focus()`);
  await window.press("Enter");
  await window.find(`${id}-${value}`);
  await pause(200);
  const chosen = () => window.run(`return document.querySelector('[data-testid="${id}-${value}"]').hasAttribute("data-highlighted")`);
  for (let steps = 0; steps < 6 && !(await chosen()); steps++) await window.press("Down");
  await window.press("Enter");
  await gone(`${id}-${value}`);
}

/** The samples of a WAV with 24 bits, in steps. */
function samplesOf(path, count) {
  const bytes = readFileSync(path);
  const at = bytes.indexOf("data", 12, "latin1") + 8;
  return Array.from({ length: count }, (_, i) => bytes.readIntLE(at + 3 * i, 3));
}

test("live sound is recorded before and after the effects, from the same sample on", async () => {
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", "gain(-6.0206 dB)");
  await window.press("Enter");
  await until(() => window.run(`return document.querySelector('[data-testid^="slot-"]') !== null`), 5_000, "the effect");
  await window.click("recording-settings");
  await choose("live-records", "both");
  await window.click("live-limiter");
  await says("recording-panel", /Off: feedback/);
  await window.click("live-toggle");
  await says("live-no-limiter", /No limiter/);
  await window.press("Escape");
  await says("live-latency", /Latency/);
  const before = files();
  const player = playInto(desktop.env, tone);
  await window.run("document.activeElement?.blur()");
  await window.press("r");
  await says("recording-state", /live input, and with effects/);
  await says("recording-time", /^0:0[2-9]/);
  await picture("07-live-recording");
  await window.press("r");
  await gone("recording-bar");
  player.kill();
  const made = files().filter((name) => !before.includes(name));
  assert.equal(made.length, 2, made.join());
  const [wet, dry] = made.sort((a, b) => Number(b.includes("effects")) - Number(a.includes("effects"))).map((name) => samplesOf(join(folder, name), 96_000));
  const loudest = Math.max(...dry.map(Math.abs));
  assert.ok(loudest > 1 << 16, `the input was heard: ${loudest}`);
  const furthest = Math.max(...dry.map((sample, i) => Math.abs(sample / 2 - wet[i])));
  assert.ok(furthest < loudest / 1000, `the files are aligned: ${furthest} of ${loudest}`);
  await window.click("live-stop");
  await gone("live-bar");
  await window.press("Control", "z");
});

test("what a kill left is offered at the next start and recovered", async () => {
  await window.run("document.activeElement?.blur()");
  await window.press("r");
  await says("recording-time", /^0:0[3-9]/);
  const before = files();
  window.processes().forEach((pid) => process.kill(Number(pid), "SIGKILL"));
  await window.close().catch(() => null);
  await pause(1_000);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await says("left-recording", /Recording \d\.wav was not finished when Undertone ended: 0:0[2-9]/);
  await picture("08-left");
  await window.click("left-recover");
  await gone("left-recording");
  await drawn();
  assert.ok((await length()) > 2, `${await length()} s were recovered`);
  assert.deepEqual(files(), before);
});

test("an input that goes away ends the recording, and what was recorded stays", async () => {
  await window.run("document.activeElement?.blur()");
  await window.press("r");
  await says("recording-time", /^0:0[1-9]/);
  spawnSync("pactl", ["unload-module", "module-null-sink"], { env: desktop.env });
  await gone("recording-bar");
  await until(async () => window.run("return /The recording has ended after 0:0/.test(document.body.textContent)"), 15_000, "a notice");
  await picture("09-unplugged");
  await drawn();
  assert.ok((await length()) > 0.9, "it is open");
});

test("it fits a small window, in both themes", async () => {
  const sink = ["module-null-sink", "sink_name=undertone", "rate=48000", "channels=2", "format=float32le", "norewinds=1"];
  spawnSync("pactl", ["load-module", ...sink], { env: desktop.env });
  spawnSync("pactl", ["set-default-source", "undertone.monitor"], { env: desktop.env });
  await window.resize(1024, 700);
  await window.run("document.activeElement?.blur()");
  for (const theme of ["dark", "light"]) {
    await window.run(`document.documentElement.dataset.theme = "${theme}"`);
    await window.press("Control", ",");
    await window.find("settings");
    await picture(`10-settings-${theme}`);
    await window.press("Escape");
    await gone("settings");
    await window.press("Shift", "r");
    await says("recording-time", /^0:0[1-9]/);
    await picture(`11-recording-${theme}`);
    assert.ok(await window.run("return document.querySelector('[data-testid=\"recording-stop\"]').getBoundingClientRect().right <= innerWidth"), "stop can be reached");
    await window.press("r");
    await gone("recording-bar");
  }
});
