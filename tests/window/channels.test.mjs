// Mixing copied sound into existing sound, and edits of some of the channels: by mouse, by keyboard and by menu.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./desktop.mjs";
import { Keys } from "./driver.mjs";
import { closeEditor, isDrawn, openEditor, picturesOf } from "./editor.mjs";

const RATE = 44_100;
const FRAMES = 12 * RATE;

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("channels", () => window);
const drawn = () => isDrawn(window);
const number = async (name) => Number(await window.attribute("waveform", name));
const joins = (count) => until(async () => (await number("data-joins")) === count, 10_000, `${count} joins`);
const lasts = (frames) => until(async () => (await number("data-frames")) === frames, 10_000, `${frames} frames`);
const channels = (words) => until(async () => ((await window.run(`return document.querySelector('[data-testid="status-channels"]')?.textContent ?? ""`)) ?? "") === words, 5_000, `the channels "${words}"`);
const parts = () => window.run(`return [...document.querySelectorAll('[data-testid="selection-part"]')].map((part) => { const r = part.getBoundingClientRect(); return [Math.round(r.top), Math.round(r.height)]; })`);
const lane = () => window.run(`const r = document.querySelector('[data-testid="waveform"]').getBoundingClientRect(); return [r.top, r.height]`);
const selected = (end) => window.run(`return document.querySelector('[data-testid="selection-${end}"]')?.value ?? null`);

test("what was copied is mixed into what is there, and reaches beyond the end", async () => {
  await window.drag("waveform", [0.25, 0.5], [0.5, 0.5]);
  await until(() => selected("start"), 5_000, "a selection");
  await window.press("Control", "c");
  await window.drag("waveform", [0.5, 0.5], [0.55, 0.5]);
  await window.press("Control", Keys.Alt, "v");
  await joins(2);
  await lasts(FRAMES);
  await drawn();
  await picture("01-mixed");
  await window.press("Control", "z");
  await joins(0);
  await window.drag("waveform", [0.9, 0.5], [0.95, 0.5]);
  await window.press("Control", Keys.Alt, "v");
  await joins(1);
  await until(async () => (await number("data-frames")) > FRAMES + RATE, 10_000, "a longer recording");
  await window.press("Control", "z");
  await lasts(FRAMES);
});

test("Alt and a drag select one channel, and the selection is drawn in its lane alone", async () => {
  const [top, height] = await lane();
  await window.drag("waveform", [0.2, 0.75], [0.4, 0.8], "Alt");
  await channels("R only");
  const [part, ...others] = await parts();
  assert.deepEqual(others, []);
  assert.ok(part[0] > top + height * 0.45 && part[1] < height * 0.55, `${part} of ${top}, ${height}`);
  assert.equal(await window.attribute("channel-0", "aria-pressed"), "false");
  assert.equal(await window.attribute("channel-1", "aria-pressed"), "true");
  await picture("02-right");
});

test("Delete leaves silence in the selected channel, and says so", async () => {
  await window.press("Delete");
  await joins(2);
  await lasts(FRAMES);
  await until(() => window.run(`return [...document.querySelectorAll('[role="status"], [role="alert"], .toast')].some((each) => each.textContent.includes("silence is left in R"))`), 5_000, "the notice");
  await drawn();
  await picture("03-silent");
  await window.press("Control", "z");
  await joins(0);
});

test("what moves sound is off, with its reason, while only some channels are selected", async () => {
  await window.press("Control", "t");
  await window.press("Control", "d");
  await lasts(FRAMES);
  await joins(0);
  await window.run("document.activeElement?.blur()");
  await window.press("Control", "k");
  await window.type("palette-search", "Trim to selection");
  await until(() => window.run(`return document.body.textContent.includes("Only some of the channels are selected")`), 5_000, "the reason");
  await picture("04-reason");
  await window.press(Keys.Escape);
});

test("the buttons beside the lanes and the keys choose the channels", async () => {
  await window.click("channel-0");
  await channels("");
  await window.click("channel-1");
  await channels("L only");
  // One has to stay.
  await window.click("channel-0");
  await channels("L only");
  await window.run(`document.querySelector('[data-region=lanes] [data-region-focus]').focus()`);
  await window.press("Down");
  await channels("R only");
  await window.press("Down");
  await channels("");
  await window.press("Up");
  await channels("R only");
  await window.press("Control", Keys.Alt, "c");
  await channels("");
  await window.press("Up");
  await channels("R only");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="live"]').textContent`)).startsWith("R only."), 5_000, "the spoken channels");
  await window.press("Escape");
  await channels("");
  assert.equal(await selected("start"), null);
});

test("a channel is copied, and mixed into the other one", async () => {
  await window.drag("waveform", [0.1, 0.2], [0.3, 0.2], "Alt");
  await channels("L only");
  await window.press("Control", "c");
  await window.drag("waveform", [0.6, 0.8], [0.65, 0.8], "Alt");
  await channels("R only");
  await window.press("Control", Keys.Alt, "v");
  await joins(2);
  await drawn();
  await picture("05-left-in-right");
  await window.press("Control", "z");
  await joins(0);
  // Reversed alone, and pasted as it is where all are selected.
  await window.press("Escape");
  await channels("");
  await window.press(Keys.Home);
  await window.press("Control", "v");
  await joins(1);
  await until(async () => (await number("data-frames")) > FRAMES, 10_000, "a longer recording");
  await window.press("Control", "z");
  await lasts(FRAMES);
});

test("Escape while dragging brings back what was selected", async () => {
  await window.drag("waveform", [0.2, 0.5], [0.4, 0.5]);
  await until(() => selected("start"), 5_000, "a selection");
  const before = [await selected("start"), await selected("end")];
  await window.hold("waveform", [0.6, 0.2], [0.8, 0.2]);
  await until(async () => (await selected("start")) !== before[0], 5_000, "another selection");
  await window.press("Escape");
  await until(async () => (await selected("start")) === before[0], 5_000, "the selection of before");
  await window.release();
  assert.deepEqual([await selected("start"), await selected("end")], before);
});

test("a small window has room for the buttons", async () => {
  await window.drag("waveform", [0.5, 0.2], [0.7, 0.2], "Alt");
  await channels("L only");
  await window.resize(1024, 700);
  await drawn();
  await picture("06-small");
  await window.resize(1280, 800);
});
