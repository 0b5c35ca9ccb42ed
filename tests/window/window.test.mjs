// The real window: the built application under a virtual display, driven as a user would drive it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, dropFiles, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

const application = resolve("target/debug/undertone-app");
const commandLine = resolve("target/debug/undertone");
const pictures = resolve("tests/out/window");

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  // A refusal by the content security policy is a fault of ours, seen or not.
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const drawnExactly = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");

// A canvas that shows a waveform has more than one colour.
const coloursOf = (id) =>
  window.run(`
    const canvas = document.querySelector('[data-testid="${id}"] canvas, canvas[data-testid="${id}"]');
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size;`);

test("it begins empty and says what to do", async () => {
  await window.find("empty-state");
  await picture("01-empty");
});

test("a file that is not audio is refused in words", async () => {
  const path = join(desktop.home, "letter.wav");
  writeFileSync(path, "Dear reader, this is not a recording.\n");
  await openByDialog(path);
  const words = await window.text("toast");
  assert.match(words, /letter\.wav/);
  await picture("02-refused");
});

test("a recording chosen in the dialog is opened and drawn", async () => {
  const path = join(desktop.home, "tone.wav");
  writeTestTone(path, 20);
  await openByDialog(path);
  await drawnExactly();
  assert.ok((await coloursOf("waveform")) > 2, "the waveform is drawn");
  await picture("03-opened");
});

test("an effect is added by name and turned by keyboard", async () => {
  await window.click("add-effect");
  await window.type("effect-search", "peaking");
  await picture("04-add-effect");
  await window.press("Enter");
  await window.find("slot-1");
  await setParameter("gain", "6 dB");
  await until(async () => (await chainText()) === "peaking(1 kHz, q=1, gain=6 dB)", 5_000, "the typed gain");
  await window.run(`document.querySelector('[data-testid="slider-gain"]').focus()`);
  await window.press("Right");
  await until(async () => !/gain=6 dB/.test(await chainText()), 5_000, "the gain to change");
  await picture("05-effect");
});

test("undo and redo take the edits back and bring them again", async () => {
  await focusLane();
  await window.press("Control", "z");
  await until(async () => /gain=6 dB/.test(await chainText()), 5_000, "undo");
  await window.press("Control", "z");
  await window.press("Control", "z");
  await until(async () => (await chainText()) === "", 5_000, "undo of everything");
  await window.press("Control", "Shift", "z");
  await window.press("Control", "Shift", "z");
  await until(async () => /gain=6 dB/.test(await chainText()), 5_000, "redo");
});

test("it plays: time goes on, the meters move, it stops", async () => {
  assert.ok(desktop.sound, "a sound server runs");
  await focusLane();
  await window.press("Space");
  const before = await window.text("time-code");
  await until(async () => (await window.text("time-code")) > before, 10_000, "the time to go on");
  await pause(700);
  await picture("06-playing");
  await window.press("Space");
  await pause(400);
  const stopped = await window.text("time-code");
  await pause(400);
  assert.equal(await window.text("time-code"), stopped);
});

test("A and B are the same moment of the original and of the processed sound", async () => {
  await focusLane();
  await window.press("Space");
  await until(async () => (await seconds()) > 0.2, 10_000, "the time to go on");
  let last = await seconds();
  for (const side of ["a", "b", "a", "b"]) {
    const begun = Date.now();
    await window.press(side);
    await until(async () => (await window.attribute(`side-${side}`, "aria-pressed")) === "true", 5_000, `side ${side}`);
    // Time advances, without jumps back or ahead. A busy machine may play late, which is counted as drop-outs.
    const now = await until(async () => ((await seconds()) > last + 0.1 ? await seconds() : 0), 10_000, "the time to go on");
    const passed = (Date.now() - begun) / 1000;
    assert.ok(now - last < passed + 0.25, `${now - last} s were played in ${passed} s`);
    last = now;
  }
  await window.press("Shift", "m");
  await until(async () => /dB/.test(await window.text("matched")), 10_000, "the matched gain");
  await picture("06b-matched");
  await window.press("Shift", "m");
  await window.click("stop");
});

test("an output that is unplugged hands over to the one that is left", async () => {
  const pactl = (...args) => spawnSync("pactl", args, { env: desktop.env, encoding: "utf8" }).stdout.trim();
  const other = pactl("load-module", "module-null-sink", "sink_name=headphones", "rate=44100", "channels=2", "format=float32le", "norewinds=1");
  pactl("set-default-sink", "headphones");
  await focusLane();
  await window.press("Home");
  await window.press("Space");
  await until(async () => (await seconds()) > 0.3, 30_000, "the time to go on");
  pactl("unload-module", other);
  const unplugged = await seconds();
  const went = await until(async () => (await seconds()) > unplugged + 0.5 || (await window.has("sound-problem")), 15_000, "playback to go on, or to say why not");
  assert.ok(went);
  assert.equal(await window.has("sound-problem"), false, "it went on");
  await picture("06c-unplugged");
  await window.click("stop");
});

test("a range is selected by dragging and read out", async () => {
  await window.drag("waveform", [0.25, 0.5], [0.5, 0.5]);
  await until(async () => /RMS .*dBFS/s.test(await window.text("status-selection")), 5_000, "the read-out");
  await picture("07-selection");
  await focusLane();
  await window.press("Escape");
  await until(async () => /nothing/.test(await window.text("status-selection")), 5_000, "the selection to go");
});

test("the export is what the command line writes for the same chain", async () => {
  const chain = await chainText();
  const fromWindow = join(desktop.home, "from-window.wav");
  await focusLane();
  await window.press("Control", "Shift", "e");
  await window.find("export-start");
  await picture("08-export");
  await window.click("export-start");
  await answerFileDialog(desktop.env, "Export", fromWindow, true);
  await window.find("export-result", 30_000);
  await picture("09-exported");

  const fromCommandLine = join(desktop.home, "from-command-line.wav");
  const words = ["process", join(desktop.home, "tone.wav"), "-o", fromCommandLine, "-c", chain, "--bits", "24", "--dither", "tpdf", "--device", "cpu"];
  const result = spawnSync(commandLine, words, { env: desktop.env, encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  assert.ok(readFileSync(fromWindow).equals(readFileSync(fromCommandLine)), "the files are the same to the last byte");
  await window.press("Escape");
});

test("each main state looks right at both sizes and in all themes", async () => {
  for (const theme of ["dark", "light", "contrast"]) {
    await chooseTheme(theme);
    for (const [width, height] of [[1280, 800], [1920, 1080], [1024, 640]]) {
      await window.resize(width, height);
      await pause(400);
      await drawnExactly();
      await picture(`10-${theme}-${width}`);
    }
  }
  await chooseTheme("dark");
  await window.resize(1280, 800);
  await window.click("device-chip");
  await window.find("device-panel");
  await picture("11-devices");
  await window.press("Escape");
  await focusLane();
  await window.press("Control", "/");
  await window.find("shortcuts");
  await picture("12-shortcuts");
  await window.press("Escape");
});

const spectrogramDrawn = () => until(async () => (await window.attribute("spectrogram", "data-drawn")) === "exact", 30_000, "an exact spectrogram");

test("the spectrogram is drawn, beside the waveform and alone, and compared", async () => {
  await focusLane();
  await window.press("3");
  await spectrogramDrawn();
  assert.ok((await window.coloursSeen("spectrogram")) > 100, "the spectrogram is drawn");
  await picture("17-spectrogram");
  await window.press("2");
  await spectrogramDrawn();
  await picture("18-both");
  await window.press("Control", "=");
  await window.press("Control", "=");
  await window.press("Control", "=");
  await spectrogramDrawn();
  await picture("19-zoomed");
  await window.press("Control", "f");
  await window.press("3");
  await window.press("k");
  await window.find("wipe");
  await spectrogramDrawn();
  await picture("20-wipe");
  await window.press("k");
  await spectrogramDrawn();
  await window.press("k");
  await window.press("g");
  await window.find("spectrogram-panel");
  await picture("21-spectrogram-settings");
  await window.press("Escape");
});

test("a part that is selected in time and frequency is edited, heard and undone", async () => {
  await focusLane();
  await window.press("Control", "f");
  await window.press("3");
  await window.drag("waveform", [0.6, 0.38], [0.75, 0.49], "Control");
  await window.find("repair-bar");
  await spectrogramDrawn();
  await picture("23-selected-part");
  await window.click("repair-spectral_gain");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="chain-text"]').value`)).startsWith("spectral_gain("), 10_000, "the edit in the chain");
  await window.press("k");
  await window.find("wipe");
  await spectrogramDrawn();
  await picture("24-edited-part");
  await window.press("k");
  await window.press("k");
  await window.press("Control", "z");
  await until(async () => !(await window.run(`return document.querySelector('[data-testid="chain-text"]').value`)).includes("spectral"), 10_000, "the chain without it");
  await window.press("Escape");
  await until(async () => !(await window.has("repair-bar")), 5_000, "the bar to go");
});

test("a recording is described in words", async () => {
  await focusLane();
  await window.press("i");
  await until(async () => /20\.0 s long, stereo/.test(await window.run("return document.body.textContent")), 20_000, "the description");
  await picture("22-description");
  await window.press("Escape");
  await focusLane();
  await window.press("1");
  await until(async () => !(await window.has("spectrogram")), 5_000, "the waveform alone");
});

test("files dropped on the window are opened", async () => {
  const paths = ["dropped one.wav", "dropped two.wav"].map((name) => join(desktop.home, name));
  paths.forEach((path) => writeTestTone(path, 2));
  const drop = await dropFiles(desktop.env, paths, [640, 400]);
  await picture("14-drop");
  await drop.release();
  await until(async () => (await tabs()).includes("dropped two.wav"), 10_000, "the dropped files");
  assert.ok((await tabs()).includes("dropped one.wav"));
  await drawnExactly();
});

test("a second start hands its files to the window that is open", async () => {
  const path = join(desktop.home, "handed over.wav");
  writeTestTone(path, 2);
  const second = spawnSync(application, [path], { env: desktop.env, timeout: 20_000 });
  assert.equal(second.status, 0, "the second start ends by itself");
  await until(async () => (await tabs()).includes("handed over.wav"), 10_000, "the file");
  for (const name of ["handed over.wav", "dropped two.wav", "dropped one.wav"]) {
    assert.ok((await tabs()).includes(name));
    await focusLane();
    await window.press("Control", "w");
    await until(async () => !(await tabs()).includes(name), 5_000, `${name} to close`);
  }
});

test("an effect's documentation is at hand", async () => {
  await focusLane();
  await window.press("Shift", "F1");
  await window.type("reference-search", "peak");
  await window.find("reference-peaking");
  await picture("15-reference");
  await window.press("Escape");
});

test("a recording that is damaged in the middle says where", async () => {
  const whole = join(desktop.home, "whole.flac");
  const damaged = join(desktop.home, "damaged.flac");
  spawnSync(commandLine, ["process", join(desktop.home, "tone.wav"), "-o", whole, "-c", "gain(-3 dB)", "--device", "cpu"], { env: desktop.env });
  const bytes = readFileSync(whole);
  bytes[Math.floor(bytes.length / 2)] ^= 0x55;
  writeFileSync(damaged, bytes);
  await openByDialog(damaged);
  const words = await window.text("damaged");
  assert.match(words, /One place .* silent/s);
  await window.click("show-damage");
  await until(async () => /RMS/.test(await window.text("status-selection")), 5_000, "the damaged place to be selected");
  await picture("16-damaged");
  await focusLane();
  await window.press("Control", "w");
});

test("nothing that was shown needed more than the security policy allows", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
});

test("killed without warning, it comes back as it was", async () => {
  const chain = await chainText();
  spawnSync("pkill", ["-KILL", "-f", application], { env: desktop.env });
  await window.close();
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await drawnExactly();
  assert.equal(await chainText(), chain);
  await focusLane();
  await window.press("Control", "z");
  await until(async () => (await chainText()) !== chain, 5_000, "undo after the restart");
  await picture("13-restored");
});

async function openByDialog(path) {
  await window.press("Control", "o");
  await answerFileDialog(desktop.env, "Open", path);
}

// Keys go to the window as a whole when no control has the focus.
async function focusLane() {
  await window.run("document.activeElement?.blur()");
}

function chainText() {
  return window.run(`const field = document.querySelector('[data-testid="chain-text"]'); return (field.value ?? field.textContent).trim()`);
}

/** The time code, in seconds. */
async function seconds() {
  const [, hours, minutes, rest] = /(\d+):(\d+):([\d.]+)/.exec(await window.text("time-code"));
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
}

/** The names of the open documents. */
function tabs() {
  return window.run(`return [...document.querySelectorAll('[role="tab"]')].map((tab) => tab.textContent.trim())`);
}

async function setParameter(name, text) {
  await window.run(`const field = document.querySelector('[data-testid="param-${name}"]'); field.focus(); field.select()`);
  await window.type(`param-${name}`, text);
  await window.press("Enter");
  await pause(300);
}

async function chooseTheme(theme) {
  await focusLane();
  await window.press("Control", ",");
  await window.find("settings");
  // By keyboard, as a list that has just opened may still be moving under the pointer.
  await window.run(`document.querySelector('[data-testid="settings-theme"]').focus()`);
  await window.press("Enter");
  await window.find(`settings-theme-${theme}`);
  await pause(200);
  await window.press({ dark: "d", light: "l", contrast: "h" }[theme]);
  await window.press("Enter");
  await until(async () => (await window.run("return document.documentElement.dataset.theme")) === theme, 5_000, `the ${theme} theme`);
  await window.press("Escape");
  await until(async () => !(await window.has("settings")), 5_000, "the settings to close");
}
