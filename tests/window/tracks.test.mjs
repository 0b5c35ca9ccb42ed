// Several tracks: imported, seen beside each other, chosen, heard alone and together, edited, moved between, kept.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, heardLevel, until } from "./desktop.mjs";
import { Keys } from "./driver.mjs";
import { closeEditor, isDrawn, openEditor, picturesOf } from "./editor.mjs";
import { writeTestTone } from "./recordings.mjs";

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor("voice.wav"));
  writeTestTone(join(desktop.home, "guitar.wav"), 8);
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("tracks", () => window);
const drawn = () => isDrawn(window);
const pressed = (id) => window.attribute(id, "aria-pressed");
const isPressed = (id, state = "true") => until(async () => (await pressed(id)) === state, 10_000, `${id} is ${state}`);
const has = (id) => until(() => window.has(id), 10_000, id);
const lacks = (id) => until(async () => !(await window.has(id)), 10_000, `no ${id}`);
/** Waits until the window knows that playback has stopped. */
const atRest = () => isPressed("play", "false");
const away = () => window.run("document.activeElement?.blur()");

/** Runs a command by the palette. */
async function command(words) {
  await away();
  await window.press(Keys.Control, "k");
  await window.find("palette-search");
  await window.type("palette-search", words);
  await window.press(Keys.Enter);
}

test("a recording is imported as a second track, and both have headers", async () => {
  assert.ok(!(await window.has("track-1")), "one track has no header");
  await command("Import tracks");
  await answerFileDialog(desktop.env, "Import as tracks", join(desktop.home, "guitar.wav"));
  await has("track-row-2");
  await isPressed("track-1");
  await drawn();
  await picture("two");
});

test("another track is chosen by click, the sum by key, and each has its rack", async () => {
  await window.click("track-2");
  await isPressed("track-2");
  await has("track-row-1");
  await away();
  await window.press("e");
  await window.find("effect-search");
  await window.type("effect-search", "gain");
  await window.press(Keys.Enter);
  await has("slot-1");
  await away();
  await window.press(Keys.Control, Keys.Alt, Keys.Down);
  await isPressed("track-sum");
  await drawn();
  await lacks("slot-1");
  await picture("sum");
  await window.press(Keys.Control, Keys.Alt, Keys.Up);
  await isPressed("track-2");
  await has("slot-1");
});

test("tracks are heard together, muted and alone", async () => {
  await away();
  await window.press(Keys.Home);
  await window.press(" ");
  await until(() => heardLevel(desktop.env, 0.5) > -40, 10_000, "both");
  await window.click("track-mute-1");
  await window.click("track-mute-2");
  await isPressed("track-mute-2");
  await until(() => heardLevel(desktop.env, 0.5) < -70, 10_000, "silence");
  await window.click("track-mute-2");
  await until(() => heardLevel(desktop.env, 0.5) > -40, 10_000, "one of them");
  await window.press(" ");
  await window.click("track-mute-1");
  await isPressed("track-mute-1", "false");
});

test("the gain is one step of undo, by keyboard", async () => {
  await window.run(`document.querySelector('[data-testid="track-gain-2"]').focus()`);
  await window.press(Keys.Up);
  await window.press(Keys.Up);
  const gain = () => window.run(`return document.querySelector('[data-testid="track-gain-2"]').getAttribute("aria-valuetext") ?? document.querySelector('[data-testid="track-gain-2"]').ariaValueNow`);
  await until(async () => !/^(\+|−)?0(\.0+)?( dB)?$/.test(await gain()), 5_000, "a changed gain");
  await away();
  await window.press(Keys.Control, "z");
  await until(async () => /^(\+|−)?0(\.0+)?( dB)?$/.test(await gain()), 5_000, "the gain of before");
});

test("a part moves to the other track", async () => {
  await window.drag("waveform", [0.25, 0.5], [0.5, 0.5]);
  await window.press(Keys.Control, Keys.Alt, Keys.Shift, Keys.Up);
  await isPressed("track-1");
  await until(async () => Number(await window.attribute("waveform", "data-joins")) > 1, 10_000, "clips in the other track");
  await drawn();
  await picture("moved");
  await window.press(Keys.Control, "z");
  await until(async () => Number(await window.attribute("waveform", "data-joins")) < 2, 10_000, "the clips of before");
});

test("each track has a meter while it is heard, and a mark once it was beyond full scale", async () => {
  await away();
  await window.press(Keys.Home);
  const level = (id) => window.attribute(`track-meter-${id}`, "data-level");
  assert.deepEqual([await level(1), await level(2)], ["", ""]);
  await window.press(" ");
  await until(async () => Number((await level(1)) || -99) > -40 && Number((await level(2)) || -99) > -40, 10_000, "levels of both");
  await picture("meters");
  assert.ok(!(await window.has("track-clipped-2")));
  await window.click("track-mute-2");
  await until(async () => (await level(2)) === "", 10_000, "no level of a muted track");
  await window.click("track-mute-2");
  await window.press(" ");
  await atRest();
  assert.equal(await level(1), "");
  // 24 dB more are beyond full scale.
  await window.click("track-2");
  await isPressed("track-2");
  await window.run(`document.querySelector('[data-testid="track-gain-2"]').focus()`);
  await window.press(Keys.End);
  await away();
  await window.press(" ");
  await has("track-clipped-2");
  await picture("clipped");
  // So loud a level mutes, which ends playing by itself: the key would begin it again.
  await atRest();
  assert.equal(await level(2), "");
  await window.click("track-clipped-2");
  await lacks("track-clipped-2");
  await away();
  await window.press(Keys.Control, "z");
  const gain = () => window.run(`return document.querySelector('[data-testid="track-gain-2"]').getAttribute("aria-valuetext") ?? document.querySelector('[data-testid="track-gain-2"]').ariaValueNow`);
  await until(async () => /^(\+|−)?0(\.0+)?( dB)?$/.test(await gain()), 5_000, "the gain of before");
});

test("a clip is dragged to another track, with its place shown, and Escape leaves it", async () => {
  await window.click("track-1");
  await isPressed("track-1");
  await drawn();
  const joins = async () => Number(await window.attribute("waveform", "data-joins"));
  await window.drag("waveform", [0.3, 0.5], [0.6, 0.5]);
  await until(() => window.has("selection-start"), 5_000, "a selection");
  await away();
  await window.press(Keys.Control, "i");
  await until(async () => (await joins()) === 2, 10_000, "three clips");
  // From the bar of the second clip to the row of the other track, some way to the right.
  const way = () =>
    window.run(`
      const bar = document.querySelector('[data-testid="clip-1"]').getBoundingClientRect();
      const row = document.querySelector('[data-testid="track-row-2"] .strip').getBoundingClientRect();
      return [0.5 + 60 / bar.width, (row.top + row.height / 2 - bar.top) / bar.height];`);
  const start = Number(await window.attribute("clip-1", "data-start"));
  await window.hold("clip-1", [0.5, 0.5], await way());
  await has("track-drop");
  await picture("drop");
  await window.press(Keys.Escape);
  await lacks("track-drop");
  await window.release();
  assert.equal(await joins(), 2);
  assert.ok(await window.has("track-row-2"), "the same track is in front");
  await window.drag("clip-1", [0.5, 0.5], await way());
  await isPressed("track-2");
  await until(async () => (await joins()) >= 1, 10_000, "clips in the other track");
  const moved = await window.run(`return [...document.querySelectorAll('[data-testid^="clip-"][data-start]')].map((clip) => Number(clip.dataset.start))`);
  assert.ok(moved.some((each) => each > start), `${moved} beyond ${start}`);
  await drawn();
  await picture("dropped");
  // One undo step takes it back, and another the split.
  await away();
  await window.press(Keys.Control, "z");
  await isPressed("track-1");
  await until(async () => (await joins()) === 2, 10_000, "the clips of before");
  await window.press(Keys.Control, "z");
  await until(async () => (await joins()) === 0, 10_000, "one clip");
});

test("a track is renamed and deleted, and one left has no header", async () => {
  await window.click("track-2");
  await isPressed("track-2");
  await window.run(`document.querySelector('[data-testid="track-2"]').focus()`);
  await window.press("\uE032");
  await window.find("track-name");
  await window.type("track-name", "Guitar left");
  await window.press(Keys.Enter);
  await until(() => window.run(`return document.querySelector('[data-testid="track-2"]')?.textContent === "Guitar left"`), 10_000, "the new name");
  await picture("named");
  await command("Delete track");
  await lacks("track-2");
  await lacks("track-1");
});
