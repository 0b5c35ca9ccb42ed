// Blind tests in the real window: ABX and a ranking by the keyboard, nothing revealed before the end, left and resumed,
// results.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { dropFiles, heardLevel, pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const pictures = resolve("tests/out/window");

let desktop;
let window;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  const folder = join(desktop.home, "takes");
  mkdirSync(folder);
  const song = join(folder, "original.wav");
  writeSong(song, 3, 8, 44_100);
  const bytes = readFileSync(song);
  const changed = Buffer.from(bytes);
  let random = 1;
  for (let at = 44; at + 1 < bytes.length; at += 2) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    const sample = bytes.readInt16LE(at) + Math.round(3000 * (random / 2 ** 32 - 0.5));
    changed.writeInt16LE(Math.max(-32_768, Math.min(32_767, sample)), at);
  }
  const noisy = join(folder, "noisy.wav");
  writeFileSync(noisy, changed);
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.find("empty-state");
  await window.press("Control", "4");
  await window.find("compare-empty");
  const drag = await dropFiles(desktop.env, [song, noisy], [500, 400]);
  await until(() => window.run(`return document.querySelector('.drop') !== null`), 10_000, "the place to drop on");
  await drag.release();
  await until(async () => (await window.attribute("compare-foot", "data-running")) === "false" && (await states()).includes("compared"), 90_000, "the comparison");
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const states = () => window.run(`return [...document.querySelectorAll('[data-testid^="version-"]')].map((row) => row.dataset.state)`);
const said = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.textContent ?? ""`);
const pressed = (id) => window.run(`return document.querySelector('[data-testid="${id}"]')?.getAttribute("aria-pressed")`);
const isHeard = (id) => until(async () => (await pressed(id)) === "true", 5_000, `${id} to be heard`);
const answered = (count) => until(async () => (await said("blind-number")).includes(`Trial ${count + 1} `), 5_000, `trial ${count + 1}`);

test("the rule and what it means stand there before the first trial", async () => {
  await window.press("Control", "b");
  await window.find("blind-begin");
  await until(async () => (await said("blind-odds")).includes("12 of 16"), 5_000, "the odds");
  assert.match(await said("blind-odds"), /guesser passes in 3\.8 %/);
  await picture("blind-01-setup");
});

test("a test is begun and heard by keys, and shows nothing that tells", async () => {
  await window.click("blind-begin");
  await window.find("blind-abx");
  await until(async () => (await pressed("blind-play")) === "true", 10_000, "playing");
  assert.ok(heardLevel(desktop.env, 1) > -60, "sound");
  for (const [key, id] of [["x", "blind-hear-x"], ["b", "blind-hear-b"], ["a", "blind-hear-a"]]) {
    await window.press(key);
    await isHeard(id);
  }
  const shown = await window.run(`return document.querySelector('[data-testid="blind-hear-x"]').textContent`);
  assert.doesNotMatch(shown, /original|noisy/);
  assert.equal(await window.run(`return document.querySelector('[data-testid="meters"]')`), null, "meters would tell");
  await picture("blind-02-abx");
  await window.press("Space");
  await until(async () => (await pressed("blind-play")) === "false", 5_000, "the pause");
  await window.press("1");
  await answered(1);
});

test("a test that is left is resumed where it was", async () => {
  await window.press("Escape");
  await window.find("blind-begin");
  assert.match(await said("blind-session"), /ABX: original\.wav, noisy\.wav.*1 of 16 answered/s);
  await window.run(`document.querySelector('[data-testid^="blind-resume-"]').click()`);
  await window.find("blind-abx");
  await answered(1);
});

test("after the last trial its result stands with all answers", async () => {
  for (let count = 1; count < 16; count += 1) {
    await answered(count);
    await window.press("2");
    await pause(50);
  }
  await window.find("blind-results");
  assert.match(await said("blind-verdict"), /[Pp]assed/);
  assert.match(await said("blind-right"), /\d+ of 16 right/);
  assert.ok(Number(await said("blind-p")) > 0);
  assert.equal(await window.run(`return document.querySelectorAll('[data-testid="blind-results"] tbody tr').length`), 16);
  await picture("blind-03-result");
  await window.press("Escape");
  await window.find("blind-begin");
});

test("a ranking is scored by keys, with the reference and anchors hidden among the versions", async () => {
  await window.click("blind-kind-ranking");
  await window.find("blind-add-passage");
  await window.click("blind-begin");
  await window.find("blind-ranking");
  await until(async () => (await pressed("blind-play")) === "true", 10_000, "playing");
  await window.press("Enter");
  assert.match(await window.text("blind-ranking"), /Trial 1 of 1/, "nothing is scored yet");
  for (let place = 0; place < 4; place += 1) {
    await window.press(`${place + 1}`);
    await isHeard(`blind-hear-${place}`);
    await window.press("PageUp");
    await window.press("PageUp");
    await window.press("Down");
    await until(async () => (await said(`blind-value-${place}`)) === "59", 5_000, "the score");
  }
  await window.press("0");
  await isHeard("blind-hear-reference");
  await picture("blind-04-ranking");
  await window.press("Enter");
  await window.find("blind-ranks");
  assert.match(await window.text("blind-ranks"), /original\.wav \(hidden reference\)/);
  assert.match(await window.text("blind-ranks"), /Anchor 3\.5 kHz/);
  await picture("blind-05-ranks");
});

test("a test that is ended early has no result", async () => {
  await window.press("Escape");
  await window.find("blind-begin");
  await window.click("blind-kind-abx");
  await window.click("blind-begin");
  await window.find("blind-abx");
  await window.click("blind-give-up");
  await window.click("blind-give-up-yes");
  await window.find("blind-results");
  assert.match(await said("blind-verdict"), /no result/);
  await window.press("Escape");
  await window.press("Escape");
  await window.find("compare");
});
