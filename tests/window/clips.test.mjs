// Clips by mouse and by keyboard: moved, trimmed, faded, turned, cross-faded, each one step; and where drags snap.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./desktop.mjs";
import { closeEditor, isDrawn, openEditor, picturesOf } from "./editor.mjs";

const RATE = 44_100;

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("clips", () => window);
const drawn = () => isDrawn(window);
const press = (...keys) => window.press(...keys);
const seconds = async (id, name) => ((await window.has(id)) ? Number(await window.attribute(id, name)) / RATE : NaN);
const starts = (index, at, within = 0.02) => until(async () => Math.abs((await seconds(`clip-${index}`, "data-start")) - at) < within, 5_000, `clip ${index} at ${at} s`);
const lasts = (index, length, within = 0.02) => until(async () => Math.abs((await seconds(`clip-${index}`, "data-frames")) - length) < within, 5_000, `clip ${index} of ${length} s`);
const title = (index) => window.attribute(`clip-${index}`, "aria-label");
const says = (index, pattern) => until(async () => pattern.test((await title(index)) ?? ""), 5_000, `clip ${index} to say ${pattern}`);
const whole = "[data-testid=waveform]";
const selected = async (end) => window.run(`return document.querySelector('[data-testid="selection-${end}"]')?.value`);
/** Drags an element by some pixels. */
async function dragBy(id, dx, dy = 0, held = null) {
  await window.find(id);
  const [width, height] = await window.run(`const r = document.querySelector('[data-testid="${id}"]').getBoundingClientRect(); return [r.width, r.height]`);
  await window.drag(id, [0.5, 0.5], [0.5 + dx / width, 0.5 + dy / height], held);
}
const second = async () => (await window.run(`return document.querySelector('${whole}').getBoundingClientRect().width`)) / (Number(await window.attribute("waveform", "data-frames")) / RATE);
async function undo() {
  await press("Control", "z");
}

test("a recording that was only opened shows no clips; after a cut they have bars", async () => {
  assert.equal(await window.has("clips"), false);
  await window.drag("waveform", [0.25, 0.5], [0.5, 0.5]);
  await until(() => selected("start"), 5_000, "a selection");
  await press("Delete");
  await starts(1, 3, 0.1);
  await lasts(1, 6, 0.1);
  await drawn();
  await picture("01-bars");
});

test("the gain line, the fade corners and the ends are dragged, one step each", async () => {
  await dragBy("clip-gain-1", 0, 40);
  await says(1, /, −\d+(\.\d)? dB/);
  await undo();
  await says(1, /^[^−]*$/);
  await press("Home");
  await dragBy("clip-fade_in-0", 80);
  await says(0, /Fade-in/);
  await dragBy("clip-fade_out-0", -60);
  await says(0, /Fade-in.*Fade-out/);
  await drawn();
  await picture("02-fades");
  await window.clicks("clip-fade_in-0", [0.5, 0.5], 2);
  await says(0, /^(?!.*Fade-in).*Fade-out/);
  await undo();
  await undo();
  await undo();
  await says(0, /^(?!.*Fade)/);

  const px = await second();
  const start = await seconds("clip-1", "data-start");
  // Silence is left, and nothing else moves; with Shift the rest moves up.
  await dragBy("clip-end-0", -px);
  await lasts(0, start - 1, 0.05);
  await starts(2, start);
  await picture("03-trimmed");
  await undo();
  await starts(1, start);
  await dragBy("clip-end-0", -px, 0, "Shift");
  await starts(1, start - 1, 0.05);
  await undo();
  // Longer: more of the recording, over what follows.
  await starts(1, start);
  await dragBy("clip-end-0", px);
  await starts(1, start + 1, 0.05);
  await undo();
  await starts(1, start);
});

test("a clip is dragged behind another; Escape leaves it where it was", async () => {
  const length = await seconds("clip-0", "data-frames");
  const from = await window.pointOf("clip-0", [0.5, 0.5]);
  const px = await second();
  const act = async (actions) => {
    const answer = await fetch(`${window.url}/actions`, { method: "POST", body: JSON.stringify({ actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] }) });
    assert.ok(answer.ok);
  };
  await act([{ type: "pointerMove", duration: 0, ...from }, { type: "pointerDown", button: 0 }, { type: "pointerMove", duration: 100, x: Math.round(from.x + 5 * px), y: from.y }]);
  await window.find("clip-note");
  await picture("04-moving");
  await press("Escape");
  await until(async () => !(await window.has("clip-note")), 5_000, "no drag");
  await act([{ type: "pointerUp", button: 0 }]);
  await lasts(0, length);
  await dragBy("clip-0", 5 * px);
  await lasts(1, length);
  await undo();
  await lasts(0, length);
  // The same by keys.
  await press("Home");
  await press("Alt", "Shift", "Right");
  await lasts(1, length);
  await undo();
  await lasts(0, length);
});

test("keys turn, fade and trim the clip at the cursor, and go from edge to edge", async () => {
  await press("Escape");
  await press("Home");
  await press("Alt", "Shift", "Down");
  await says(0, /−1 dB/);
  await press("Alt", "Shift", "Up");
  await says(0, /^[^−]*$/);
  await window.run("document.activeElement?.blur()");
  await press("Right");
  await press("Alt", "Shift", "i");
  await says(0, /Fade-in 1 s/);
  await press("Alt", "Shift", "o");
  await says(0, /Fade-in 1 s, Fade-out 2/);
  await undo();
  await undo();
  await press("Alt", "[");
  await starts(1, 1);
  await undo();
  await starts(0, 0);
  await press("Alt", ".");
  await press("Alt", "Shift", "Down");
  await says(1, /−1 dB/);
  await undo();
});

test("the cross-fade of a join is typed, and dragged", async () => {
  await press("Alt", "Shift", "x");
  await window.find("crossfade-length");
  await window.run(`const field = document.querySelector('[data-testid="crossfade-length"]'); field.focus(); field.select()`);
  await window.type("crossfade-length", "1 s");
  await press("Enter");
  await window.click("crossfade-set");
  await until(async () => !(await window.has("crossfade-length")), 5_000, "the dialog to close");
  await window.clicks("clip-1", [0.1, 0.5], 1);
  await dragBy("crossfade-1", (await second()) / 4);
  await until(async () => !(await window.has("clip-note")), 5_000, "the drag to be made");
  await press("Alt", "Shift", "x");
  await window.find("crossfade-length");
  const typed = await window.run(`return document.querySelector('[data-testid="crossfade-length"]').value`);
  assert.ok(Math.abs(parseFloat(typed) - 1.5) < 0.1, typed);
  await press("Escape");
  await until(async () => !(await window.has("crossfade-length")), 5_000, "the dialog to close");
  await picture("05-crossfade");
  await undo();
  await undo();
});

test("a drag snaps to the ruler while snapping is on, and with Ctrl while it is off", async () => {
  const to = 4 * (await second()) + 4;
  const wide = await window.run(`return document.querySelector('${whole}').getBoundingClientRect().width`);
  // Two presses in quick succession are a double click.
  const rest = () => new Promise((done) => setTimeout(done, 600));
  const ends = async (pattern) => until(async () => pattern.test((await selected("end")) ?? ""), 5_000, `an end ${pattern}`);
  await window.run("document.activeElement?.blur()");
  await press("Escape");
  await window.drag("waveform", [0.05, 0.5], [to / wide, 0.5]);
  await ends(/0:04\.0[1-9]/);
  await press("Escape");
  await window.click("snap");
  await until(async () => (await window.attribute("snap", "aria-pressed")) === "true", 5_000, "snapping");
  await rest();
  await window.drag("waveform", [0.05, 0.5], [to / wide, 0.5]);
  await ends(/0:04\.000/);
  await press("Escape");
  await press("Shift", "n");
  await until(async () => (await window.attribute("snap", "aria-pressed")) === "false", 5_000, "no snapping");
  await rest();
  await window.drag("waveform", [0.05, 0.5], [to / wide, 0.5], "Control");
  await ends(/0:04\.000/);
});

test("where nothing else is near, the ends of a selection go to zero crossings", async () => {
  const command = async (words) => {
    await press("Control", "k");
    await window.find("palette-search");
    await window.type("palette-search", words);
    await press("Enter");
    await until(async () => !(await window.has("palette-search")), 5_000, "the palette to close");
  };
  await command("Snap to: Marks of the ruler");
  await command("Snap to: Zero crossings");
  await command("Time ruler: Samples");
  await window.run("document.activeElement?.blur()");
  await press("Escape");
  const selectAgain = async (held) => {
    await new Promise((done) => setTimeout(done, 600));
    await window.drag("waveform", [0.42, 0.5], [0.62, 0.5], held);
    await until(() => selected("end"), 5_000, "a selection");
    await new Promise((done) => setTimeout(done, 300));
    return [await selected("start"), await selected("end")];
  };
  const plain = await selectAgain(null);
  await press("Escape");
  const snapped = await selectAgain("Control");
  assert.notDeepEqual(snapped, plain);
  // They are where Z would put them.
  await press("z");
  await new Promise((done) => setTimeout(done, 300));
  assert.deepEqual([await selected("start"), await selected("end")], snapped);
  await command("Snap to: Marks of the ruler");
  await command("Snap to: Zero crossings");
  await command("Time ruler: Time");
});

test("what is dragged beyond an edge of the lanes scrolls them, and Escape brings back what was", async () => {
  await window.run("document.activeElement?.blur()");
  await press("Escape");
  const view = () => window.run(`const clips = [...document.querySelectorAll('[data-testid^="clip-"][data-start]')].map((clip) => [clip.dataset.testid, Math.round(clip.getBoundingClientRect().left)]); return JSON.stringify(clips)`);
  const shown = async () => (await window.run(`return document.querySelector('[data-testid="waveform"]').getBoundingClientRect().left`)) ?? 0;
  // Close by, so that there is something to scroll to.
  await press("Home");
  for (let n = 0; n < 3; n += 1) await press("Control", "=");
  await drawn();
  const left = await shown();
  assert.ok(left > 10, "there is room beside the lanes");
  const before = await view();
  await window.hold("waveform", [0.5, 0.5], [1.03, 0.5]);
  await until(async () => (await view()) !== before, 5_000, "scrolled lanes");
  const end = async () => window.run(`return document.querySelector('[data-testid="selection-end"]')?.value`);
  const first = await end();
  await until(async () => (await end()) !== first, 5_000, "a selection that grows");
  await press("Escape");
  await until(async () => (await end()) === undefined || (await end()) === null, 5_000, "no selection");
  await window.release();
  // An end of a clip is dragged on in the same way.
  await press("Control", "f");
  await press("Home");
  await press("Alt", ".");
  for (let n = 0; n < 3; n += 1) await press("Control", "=");
  await drawn();
  const id = await window.run(`
    const w = document.querySelector('[data-testid="waveform"]').getBoundingClientRect();
    const inside = [...document.querySelectorAll('[data-testid^="clip-end-"]')].filter((each) => { const r = each.getBoundingClientRect(); return r.left > w.left + 5 && r.right < w.right - 5; });
    return inside[0]?.dataset.testid ?? null;`);
  assert.ok(id, "an end of a clip is in sight");
  const scrolled = await view();
  const dx = await window.run(`const r = document.querySelector('[data-testid="${id}"]').getBoundingClientRect(); const w = document.querySelector('[data-testid="waveform"]').getBoundingClientRect(); return 0.5 - (r.left - w.left + 20) / r.width`);
  await window.hold(id, [0.5, 0.5], [dx, 0.5]);
  await until(async () => (await view()) !== scrolled, 5_000, "lanes scrolled by a clip");
  await picture("09-scrolled");
  await press("Escape");
  await window.release();
  await press("Control", "f");
});
