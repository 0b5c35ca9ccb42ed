// Versions of a recording in the real window: opened, heard at one moment, their difference, lanes, curves, table, export.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, dropFiles, heardLevel, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");
const SECONDS = 12;

let desktop;
let window;
let folder;
let files;

/** Writes a WAV file of the same form with other samples; `change` gets a sample and its frame. */
function version(name, change, cut = 0) {
  const bytes = readFileSync(files.song);
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length));
  const kept = samples.slice(2 * cut).map((sample, n) => Math.max(-32_768, Math.min(32_767, Math.round(change(sample, n >> 1)))));
  const header = Buffer.from(bytes.subarray(0, 44));
  header.writeUInt32LE(36 + kept.length * 2, 4);
  header.writeUInt32LE(kept.length * 2, 40);
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat([header, Buffer.from(kept.buffer)]));
  return path;
}

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  folder = join(desktop.home, "takes");
  mkdirSync(folder);
  files = { song: join(folder, "original.wav") };
  writeSong(files.song, 3, SECONDS, 44_100);
  let random = 1;
  const noise = () => (random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  files.quiet = version("quieter.wav", (sample) => -0.2 * sample, 900);
  files.noisy = version("noisy.wav", (sample) => sample + 1500 * noise());
  let last = [0, 0];
  let channel = 0;
  // A low-pass of one pole takes the treble away.
  files.dull = version("dull.wav", (sample) => (last[(channel ^= 1)] += 0.12 * (sample - last[channel])));
  files.letter = join(folder, "letter.wav");
  writeFileSync(files.letter, "Dear reader, this is not a recording.\n");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective))`);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);
const states = () => window.run(`return [...document.querySelectorAll('[data-testid^="version-"]')].map((row) => row.dataset.state)`);
const columns = () => window.run(`return [...document.querySelectorAll('[data-testid^="column-"]')].map((head) => head.textContent)`);
const heard = () => window.run(`const row = document.querySelector('[data-heard]'); return row && [row.getAttribute("aria-label"), row.dataset.heard]`);
const hears = (name, kind = "version") => until(async () => String(await heard()) === `${name},${kind}`, 5_000, `${name} to be heard`);
const compared = () => until(async () => (await window.attribute("compare-foot", "data-running")) === "false" && !(await states()).includes("waiting"), 90_000, "the comparison");
const time = () => said("time-code");

test("the page begins empty, with one sentence and two ways on", async () => {
  await window.find("empty-state");
  await window.press("Control", "4");
  await window.find("compare-empty");
  assert.match(await window.text("compare-empty"), /versions of a recording/);
  assert.equal(await window.run(`return document.querySelector('[data-testid="compare-empty-document"]').disabled`), true);
  await picture("compare-01-empty");
});

test("a file that is no recording is listed with the reason, by the keyboard alone", async () => {
  const pressed = window.press("Control", "Shift", "o");
  await answerFileDialog(desktop.env, "Versions to compare", files.letter);
  await pressed;
  await until(async () => (await states()).join() === "failed", 10_000, "the failure");
  assert.match(await window.text("compare-reason"), /letter\.wav: .*audio/);
  await picture("compare-02-failed");
  await window.run(`document.querySelector('[data-testid="versions"]').focus()`);
  await window.press("Delete");
  await window.find("compare-empty");
});

test("dropped files are compared, the first is the reference", async () => {
  const drag = await dropFiles(desktop.env, [files.song], [500, 400]);
  await until(() => window.run(`return document.querySelector('.drop') !== null`), 10_000, "the place to drop on");
  await drag.release();
  await until(async () => (await states()).join() === "reference", 10_000, "the reference");
  const others = await dropFiles(desktop.env, [files.quiet, files.noisy, files.dull], [400, 500]);
  await others.release();
  await until(async () => (await states()).length === 4, 10_000, "four versions");
  await compared();
  assert.deepEqual(await states(), ["reference", "compared", "compared", "compared"]);
  const row = await said("version-1");
  assert.match(row, /−0\.0204 s/);
  assert.match(row, /inverted/);
  assert.match(row, /[−-]14\.0/);
  assert.match(await said("measure-pesq_wb"), /PESQ|—/);
  await until(() => window.run(`return [...document.querySelectorAll('canvas.waveform')].every((each) => each.dataset.drawn === "exact")`), 20_000, "waveforms");
  await until(async () => Number(await window.run(`return document.querySelector('[data-testid="compare-curves"] canvas').dataset.curves`)) === 3, 10_000, "curves");
  // The detail of the chosen version says what was left out.
  await window.run(`document.querySelector('[data-testid="versions"]').focus()`);
  await window.press("Down");
  await until(async () => /of the reference are not in the other/.test(await said("compare-detail")), 5_000, "the note");
  await window.run("document.activeElement?.blur()");
  await picture("compare-03-compared");
});

test("1 to 9 choose what is heard at one moment, at the loudness of the quietest", async () => {
  await window.run("document.activeElement?.blur()");
  await window.press("Space");
  await until(() => window.run(`return document.querySelector('[data-testid="play"]').getAttribute("aria-pressed") === "true"`), 5_000, "playing");
  await pause(700);
  const levels = [];
  for (const [key, name] of [["1", "original.wav"], ["2", "quieter.wav"], ["3", "noisy.wav"]]) {
    await window.press(key);
    await hears(name);
    // The same seconds of each.
    await window.press("Home");
    await pause(400);
    levels.push(heardLevel(desktop.env, 2));
  }
  // Unmatched they would be 14 dB apart; a busy machine drops some of the sound out.
  for (const level of levels) assert.ok(level > -70 && Math.abs(level - levels[0]) < 7, `matched levels: ${levels}`);
  const before = await time();
  await pause(300);
  assert.notEqual(await time(), before, "it plays on");
  await picture("compare-04-playing");
});

test("the difference of a quieter, shifted, inverted copy is silence; of a noisy one it is the noise, with a gain", async () => {
  await window.press("2");
  await hears("quieter.wav");
  await window.press("n");
  await hears("quieter.wav", "difference");
  await pause(250);
  const silent = heardLevel(desktop.env, 1);
  assert.ok(silent < -75, `the null of a copy is at ${silent} dB`);
  await window.press("3");
  await hears("noisy.wav");
  await window.press("n");
  await hears("noisy.wav", "difference");
  await pause(250);
  const noise = heardLevel(desktop.env, 1);
  assert.ok(noise > -55 && noise < -30, `the noise is at ${noise} dB`);
  await window.run(`const field = document.querySelector('[data-testid="compare-gain"]'); field.focus(); field.select();`);
  await window.type("compare-gain", "20");
  await window.press("Enter");
  await pause(400);
  const louder = heardLevel(desktop.env, 1);
  assert.ok(Math.abs(louder - noise - 20) < 6, `${noise} dB with 20 dB is ${louder} dB`);
  await picture("compare-05-difference");
  await window.press("1");
  await hears("original.wav");
});

test("lanes lie beside and over each other, and show the difference of levels", async () => {
  await window.click("compare-drawn-spectrogram");
  const drawn = (lane) => until(() => window.run(`return document.querySelector('[data-testid="compare-lane-${lane}"] [data-testid="spectrogram"]')?.dataset.drawn === "exact"`), 90_000, `${lane} drawn`);
  await window.press("3");
  await hears("noisy.wav");
  await drawn("original");
  await drawn("processed");
  await picture("compare-06-beside");
  await window.press("o");
  await drawn("wipe");
  await picture("compare-07-over");
  await window.press("x");
  await drawn("difference");
  assert.ok((await window.coloursSeen("compare-lane-difference")) > 30, "the difference has colours");
  await picture("compare-08-levels");
  await window.click("compare-drawn-waveform");
  await drawn("difference");
  assert.ok((await window.coloursSeen("compare-lane-difference")) > 30, "the difference has colours beside waveforms too");
  await window.press("u");
  await window.click("compare-drawn-both");
  await window.find("compare-lane-processed");
});

test("the table sorts versions by a measure, by the keyboard", async () => {
  assert.deepEqual(await columns(), ["quieter.wav", "noisy.wav", "dull.wav"]);
  await window.run(`document.querySelector('[data-testid="measures"]').focus()`);
  await window.press("Home");
  await window.press("Down");
  await window.press("Down");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="measures"]').getAttribute("aria-activedescendant")`)) === "measure-si_sdr", 5_000, "the measure");
  await window.press("Enter");
  const best = await columns();
  assert.equal(best[0], "quieter.wav", "the copy has the least distortion");
  await window.press("Enter");
  assert.deepEqual(await columns(), [...best].reverse());
  assert.match(await said("table-order"), /SI-SDR, worst first/);
  await window.press("Enter");
  assert.deepEqual(await columns(), ["quieter.wav", "noisy.wav", "dull.wav"]);
  // A measure without a curve says so, and a missing reading says why.
  await window.press("End");
  const current = () => window.run(`return document.querySelector('[data-testid="measures"]').getAttribute("aria-activedescendant")`);
  for (let rows = 0; rows < 60 && (await current()) !== "measure-pesq_wb"; rows += 1) await window.press("Up");
  await until(async () => /PESQ/.test(await said("measure-why")), 5_000, "the reason");
  assert.match(await said("compare-curves"), /no curve/);
});

test("versions are measured at equal levels, and as they are again", async () => {
  const own = await said("measure-snr");
  const press = () => window.run(`document.querySelector('[data-testid="compare-equal"]').click()`);
  const pressed = (wanted) => until(async () => (await window.attribute("compare-equal", "aria-pressed")) === String(wanted), 5_000, "the button");
  await press();
  await pressed(true);
  await compared();
  await until(async () => (await said("measure-snr")) !== own, 10_000, "another ratio");
  await picture("compare-equal-levels");
  await press();
  await pressed(false);
  await compared();
  await until(async () => (await said("measure-snr")) === own, 10_000, "the ratio of before");
});

test("a click on the curves plays from there, and the top bar's A and B choose reference and version", async () => {
  await window.run(`document.querySelector('[data-testid="measure-segmental_snr"]').click()`);
  await until(async () => Number(await window.run(`return document.querySelector('[data-testid="compare-curves"] canvas').dataset.curves`)) === 3, 5_000, "curves");
  await window.clicks("compare-curves", [0.5, 0.5], 1);
  await until(() => window.run(`return document.querySelector('[data-testid="play"]').getAttribute("aria-pressed") === "true"`), 5_000, "playing");
  await until(async () => /00:0[6-8]\./.test(await time()), 5_000, "the moment that was clicked");
  await window.run("document.activeElement?.blur()");
  await window.press("a");
  await hears("original.wav");
  await window.press("b");
  await hears("noisy.wav");
  await window.press("Space");
  await until(() => window.run(`return document.querySelector('[data-testid="play"]').getAttribute("aria-pressed") !== "true"`), 5_000, "a stop");
});

test("another version becomes the reference, by the keyboard", async () => {
  await window.run(`document.querySelector('[data-testid="versions"]').focus()`);
  await window.press("Down");
  await window.press("Shift", "Enter");
  await until(async () => (await states())[2] === "reference", 10_000, "another reference");
  await compared();
  assert.deepEqual(await states(), ["compared", "compared", "reference", "compared"]);
  await window.press("Up");
  await window.press("Up");
  await window.press("Shift", "Enter");
  await until(async () => (await states())[0] === "reference", 10_000, "the first reference");
  await compared();
});

test("the comparison is exported as CSV, and as a page with pictures", async () => {
  const save = async (format, name) => {
    await window.click("compare-export");
    const chosen = window.click(`compare-export-${format}`);
    const path = join(folder, name);
    await answerFileDialog(desktop.env, "Export comparison", path, true);
    await chosen;
    return until(() => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return null;
      }
    }, 60_000, name);
  };
  const csv = await save("csv", "table.csv");
  assert.equal(csv.trim().split("\n").length, 4);
  assert.match(csv, /^reference,other,offset_s/);
  const html = await save("html", "page.html");
  assert.equal(html.match(/data:image\/png;base64,/g).length, 7, "the reference, three versions, three differences");
  assert.match(html, /<svg/);
});

test("what was cut out of a version is listed with its times, and channels stand below the chosen measure", async () => {
  const bytes = readFileSync(files.song);
  const frame = 4;
  const [from, to] = [5.25, 7.5].map((seconds) => 44 + frame * Math.round(seconds * 44_100));
  const kept = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  kept.writeUInt32LE(kept.length - 8, 4);
  kept.writeUInt32LE(kept.length - 44, 40);
  const path = join(folder, "shorter.wav");
  writeFileSync(path, kept);
  const drag = await dropFiles(desktop.env, [path], [400, 500]);
  await drag.release();
  await until(async () => (await states()).length === 5, 10_000, "five versions");
  await compared();
  await window.run(`document.querySelector('[data-testid="versions"]').focus()`);
  await window.press("End");
  const parts = () => window.run(`return [...document.querySelectorAll('[data-testid^="part-"]')].map((part) => part.textContent.trim())`);
  const cut = await until(async () => (await parts()).find((part) => part.startsWith("Cut")), 5_000, "the cut");
  assert.match(cut, /^Cut0:05\.2\d\d to 0:07\.[45]\d\d$/);
  await window.run(`[...document.querySelectorAll('[data-testid^="part-"]')].find((part) => part.textContent.includes("Cut")).click()`);
  await until(async () => (await time()).startsWith("00:00:05.2"), 5_000, "the place of the cut");
  await window.run(`document.querySelector('[data-testid="measures"]').focus()`);
  await window.press("Home");
  await window.find("channel-snr-1");
  await picture("compare-11-parts");
  await window.run(`document.querySelector('[data-testid="versions"]').focus()`);
  await window.press("Delete");
  await until(async () => (await states()).length === 4, 5_000, "four versions again");
});

test("both themes can be read at both sizes", async () => {
  for (const theme of ["light", "dark"]) {
    await window.press("Control", "k");
    await window.type("palette-search", `Theme: ${theme}`);
    await window.press("Enter");
    await until(() => window.run(`return document.documentElement.dataset.theme === "${theme}"`), 5_000, theme);
    for (const [width, height] of [[1280, 800], [1920, 1080]]) {
      await window.resize(width, height);
      await pause(1500);
      await picture(`compare-09-${theme}-${width}`);
      assert.equal(await window.run("return document.documentElement.scrollWidth > innerWidth"), false, "nothing sticks out");
    }
  }
  await window.resize(1024, 640);
  await pause(600);
  await picture("compare-10-small");
});

test("nothing that was shown needed more than the security policy allows", async () => {
  assert.deepEqual(await window.run("return window.refused"), []);
});
