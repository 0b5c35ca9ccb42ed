// Recording onto tracks in the real window: the input is the monitor of the only output, as if by a cable.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { wavHeader } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");
const RATE = 48_000;
const SECONDS = 12;
/**
 * How far a take may lie from what was heard, in frames: the times that a sound server tells differ by some milliseconds
 * whenever a stream is opened, and by more on a busy machine. That an exact device is met exactly is shown without one.
 */
const NEAR = 960;

let desktop;
let window;
let noise;
let project;

/** Noise that is the same in both channels, in 16 bits. */
function writeNoise(path) {
  const frames = RATE * SECONDS;
  const bytes = Buffer.alloc(44 + frames * 4);
  wavHeader(RATE, frames).copy(bytes);
  const samples = new Float32Array(frames);
  let state = 1;
  for (let frame = 0; frame < frames; frame += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const value = (state >>> 18) - 8_192;
    samples[frame] = value / 32_768;
    bytes.writeInt16LE(value, 44 + frame * 4);
    bytes.writeInt16LE(value, 46 + frame * 4);
  }
  writeFileSync(path, bytes);
  return samples;
}

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  assert.ok(desktop.sound, "a sound server runs");
  spawnSync("pactl", ["set-default-source", "undertone.monitor"], { env: desktop.env });
  project = join(desktop.home, "takes.undertone");
  const path = join(desktop.home, "noise.wav");
  noise = writeNoise(path);
  window = await openApplication(desktop.env, application, [path]);
  await window.resize(1280, 800);
  await drawn();
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `overdub-${name}.png`));
const content = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent.trim() ?? null`);
const says = (id, pattern, ms = 15_000) => until(async () => pattern.test((await content(id)) ?? ""), ms, `"${id}" to say ${pattern}`);
const gone = (id, ms = 20_000) => until(async () => !(await window.has(id)), ms, `"${id}" to go`);
const drawn = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");
const away = () => window.run("document.activeElement?.blur()");
const frames = async () => Number(await window.attribute("waveform", "data-frames"));

/** The first channel of a WAV with 24 bits. */
function samplesOf(path) {
  const bytes = readFileSync(path);
  const channels = bytes.readUInt16LE(bytes.indexOf("fmt ", 12, "latin1") + 10);
  const at = bytes.indexOf("data", 12, "latin1") + 8;
  return Float32Array.from({ length: Math.floor((bytes.length - at) / 3 / channels) }, (_, i) => bytes.readIntLE(at + 3 * channels * i, 3) / (1 << 23));
}

/** Saves the document and returns its tracks, each clip with its file and the frame at which it begins. */
async function saved(first) {
  const before = existsSync(project) ? statSync(project).mtimeMs : 0;
  await away();
  await window.press("Control", "s");
  if (first) await answerFileDialog(desktop.env, "Save project", project, true);
  await until(() => existsSync(project) && statSync(project).mtimeMs > before, 15_000, "the project to be saved");
  await pause(300);
  const { sources, document } = JSON.parse(readFileSync(project, "utf8"));
  return document.tracks.map(({ clips }) => {
    let at = 0;
    return clips.map((clip) => {
      const begins = at;
      at += clip.end_frame - clip.start_frame;
      return { ...clip, at: begins, path: clip.source == null ? null : resolve(desktop.home, sources[clip.source].path) };
    });
  });
}

/** By how many frames a clip is off from the noise that was heard when it was captured. */
function beside({ path, at, start_frame, end_frame }) {
  const take = samplesOf(path);
  const middle = Math.floor((end_frame - start_frame) / 2);
  const length = Math.min(8_000, end_frame - start_frame - 4_000);
  assert.ok(length > 1_000, `the take has ${end_frame - start_frame} frames`);
  let best = { lag: NaN, sum: 0 };
  for (let lag = -2_000; lag <= 2_000; lag += 1) {
    let sum = 0;
    for (let k = 0; k < length; k += 1) sum += take[start_frame + middle + k - length / 2 + lag] * noise[at + middle + k - length / 2];
    if (Math.abs(sum) > Math.abs(best.sum)) best = { lag, sum };
  }
  let energy = 0;
  for (let k = 0; k < length; k += 1) energy += noise[at + middle + k - length / 2] ** 2;
  assert.ok(Math.abs(best.sum) > 0.3 * energy, `the take has what was heard: ${best.sum} of ${energy}`);
  console.log(`${best.lag} frames beside, in a clip of ${end_frame - start_frame}`);
  return best.lag;
}

/** The longest clip: where a busy machine let the playback run dry, a take has several, each in time. */
const longest = (clips) => clips.sort((one, other) => other.end_frame - other.start_frame - (one.end_frame - one.start_frame))[0];

test("the offset of the devices is measured from output to input, and kept", async () => {
  await window.click("recording-settings");
  await window.find("recording-panel");
  await says("recording-offset-said", /not measured/);
  await window.run(`document.querySelector('[data-testid="recording-offset"]').scrollIntoView({ block: "center" })`);
  await picture("01-settings");
  await window.click("recording-offset-measure");
  await says("recording-offset-said", /: measured, −?\d/, 45_000).catch(async (error) => {
    throw new Error(`${error.message}; ${await window.run(`return [...document.querySelectorAll('[data-testid=toast], [data-testid=recording-panel]')].map((each) => each.textContent).join(' | ')`)}`);
  });
  await picture("02-measured");
  await window.press("Escape");
  await gone("recording-panel");
});

test("Alt+Shift+R records onto a new track while the document plays, in time with it", async () => {
  await away();
  await window.press("Home");
  await window.press("Alt", "Shift", "r");
  await says("recording-state", /onto a new track of noise\.wav/);
  assert.equal(await window.has("recording-no-offset"), false, "the offset is known");
  await says("recording-time", /^0:0[4-9]/);
  await picture("03-recording");
  await window.press("Space");
  await gone("recording-bar");
  await window.find("track-row-1");
  await drawn();
  await picture("04-new-track");
  const [original, take] = await saved(true);
  assert.equal(original.length, 1);
  const lag = beside(longest(take.filter(({ path }) => path !== null)));
  assert.ok(Math.abs(lag) <= NEAR, `the take lies ${lag} frames beside what was heard`);
});

test("Alt+R within a selection plays before it, replaces it, and ends by itself", async () => {
  const before = await frames();
  const [, first] = await saved(false);
  const known = new Set(first.map(({ path }) => path));
  const isNew = ({ path }) => path !== null && !known.has(path);
  await window.drag("waveform", [0.25, 0.5], [0.35, 0.5]);
  await until(() => window.run(`return document.querySelector('[data-testid="selection-start"]')?.value`), 5_000, "a selection");
  await window.press("Alt", "r");
  await says("recording-state", /^Pre-roll/);
  await picture("05-pre-roll");
  await says("recording-state", /^Recording/);
  await gone("recording-bar", 30_000);
  assert.equal(await frames(), before, "the document is as long as before");
  await drawn();
  await picture("06-punched");
  const [, take] = await saved(false);
  const punched = longest(take.filter(isNew));
  assert.ok(punched, `the second take is on the track: ${JSON.stringify(take)}`);
  // It has only the other track: its old sound is silent within the selection.
  const lag = beside(punched);
  assert.ok(Math.abs(lag) <= NEAR, `the take lies ${lag} frames beside what was heard`);
  await away();
  await window.press("Control", "z");
  await pause(500);
  const [, undone] = await saved(false);
  assert.ok(!undone.some(isNew), "one step takes it back");
});

test("nothing else plays meanwhile, and what is stopped before its place stays in its file alone", async () => {
  const before = await frames();
  await window.press("Alt", "r");
  await says("recording-state", /^Pre-roll/);
  await window.press("r");
  await gone("recording-bar");
  await until(() => window.run(`return /ended before the place/.test(document.body.textContent)`), 5_000, "the message");
  assert.equal(await frames(), before);
  assert.match(await window.run("return document.body.textContent"), /What came before is in Recording \d+\.wav/);
  await pause(200);
  await picture("07-nothing");
});
