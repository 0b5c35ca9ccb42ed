// Keys that are changed in the settings, formats of times, measurements as text, the wheel, and generated signals.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, pause, until } from "./desktop.mjs";
import { closeEditor, isDrawn, openEditor, picturesOf } from "./editor.mjs";

let desktop;
let window;

before(async () => {
  ({ desktop, window } = await openEditor());
});

after(() => closeEditor(window, desktop));

const picture = picturesOf("reach", () => window);
const drawn = () => isDrawn(window);
const press = (...keys) => window.press(...keys);
const rest = () => window.run("document.activeElement?.blur()");
const says = (id, pattern) => until(async () => ((await window.has(id)) && pattern.test(await window.text(id)) ? window.text(id) : null), 15_000, `"${id}" to say ${pattern}`);
const gone = (id) => until(async () => !(await window.has(id)), 10_000, `"${id}" to close`);
const settings = () => JSON.parse(readFileSync(join(desktop.home, "config", "settings.json"), "utf8"));
const stored = (test, what) => until(() => test(settings()), 10_000, `settings with ${what}`);
const shownIn = (id) => window.run(`return document.querySelector('[data-testid="${id}"]').textContent.replace(/\\s+/g, " ")`);
const typed = async (id, words) => {
  await window.find(id);
  await window.run(`const field = document.querySelector('[data-testid="${id}"]'); field.focus(); field.select()`);
  await window.type(id, words);
  await press("Enter");
};
// By keyboard, as a list that has just opened may still be moving under the pointer.
const choose = async (id, value) => {
  await window.find(id);
  await window.run(`document.querySelector('[data-testid="${id}"]').focus()`);
  await press("Enter");
  await window.find(`${id}-${value}`);
  await pause(200);
  const chosen = () => window.run(`return document.querySelector('[data-testid="${id}-${value}"]').hasAttribute("data-highlighted")`);
  for (let steps = 0; steps < 12 && !(await chosen()); steps++) await press("Down");
  if (!(await chosen())) for (let steps = 0; steps < 12 && !(await chosen()); steps++) await press("Up");
  await press("Enter");
  await gone(`${id}-${value}`);
};
async function theme(name) {
  await rest();
  await press("Control", "k");
  await window.type("palette-search", `Theme: ${name}`);
  await press("Enter");
  await until(async () => (await window.run("return document.documentElement.dataset.theme")) === name, 5_000, `the ${name} theme`);
}
async function keyboardPage() {
  await rest();
  await press("Control", ",");
  await window.click("settings-page-keyboard");
  await window.find("keys-list");
}

test("a key is changed by pressing it, and is what menus, tooltips and the sheet say", async () => {
  await theme("dark");
  await keyboardPage();
  await picture("01-keys-dark");
  await window.type("keys-search", "follow");
  await until(() => window.run(`return document.querySelectorAll("[data-slot]").length === 1`), 5_000, "the command that was searched");
  await picture("02-found-dark");
  await window.click("key-add-follow");
  await window.find("key-capture");
  await press("l");
  await says("key-asked", /L is a key of Loop/);
  await picture("02-conflict-dark");
  await window.click("key-take");
  await stored(({ keys }) => keys.commands.follow?.join() === "F,L" && keys.commands.loop?.length === 0, "the key of another command");
  await press("Escape");
  await gone("settings");
  const follows = () => window.run(`return document.querySelector('[data-testid="follow"]')?.getAttribute("aria-pressed")`);
  const before = await follows();
  await rest();
  await press("l");
  assert.equal(await window.attribute("loop", "aria-pressed"), "false", "L loops no longer");
  assert.doesNotMatch(await window.attribute("loop", "title"), /\(L\)/);
  if (before !== null) assert.notEqual(await follows(), before);
  await press("Control", "/");
  await window.type("shortcuts-search", "follow");
  await says("shortcuts", /F\s*L/);
  await press("Escape");
  await gone("shortcuts");
});

test("keys go to a file and come back from one, whose bad entries are named", async () => {
  const path = join(desktop.home, "keys.json");
  await keyboardPage();
  await window.click("keys-export");
  await answerFileDialog(desktop.env, "Export keys", path, true);
  await says("keys-message", /keys\.json/);
  const written = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual([written.version, written.commands.follow, written.commands.loop, written.commands.undo], [1, ["F", "L"], [], ["Ctrl+Z"]]);
  written.commands.loop = ["F8", "Hyper+L"];
  writeFileSync(path, JSON.stringify(written));
  await window.click("keys-import");
  await answerFileDialog(desktop.env, "Import keys", path);
  await says("keys-message", /Hyper\+L/);
  await stored(({ keys }) => keys.commands.loop?.join() === "F8", "the imported key");
  await window.click("keys-reset-all");
  await window.click("keys-reset-sure");
  await stored(({ keys }) => Object.keys(keys.commands).length === 0, "the standard keys");
  await press("Escape");
  await gone("settings");
});

test("each read-out has its format of times, and understands it when it is typed", async () => {
  await rest();
  await press("Control", "k");
  await window.type("palette-search", "Settings");
  await press("Enter");
  await choose("settings-time-clock", "film_25");
  await choose("settings-time-cursor", "seconds");
  await stored(({ time_formats }) => time_formats.clock === "film_25" && time_formats.cursor === "seconds", "the formats");
  await press("Escape");
  await gone("settings");
  await window.click("time-code");
  await typed("time-field", "2:13");
  assert.equal(await says("time-code", /\d/), "00:00:02:13");
  assert.equal(await window.text("status-time"), "2.520 s");
  await picture("03-film-dark");
});

test("the wheel does what the settings say", async () => {
  const view = () => window.run(`return document.querySelector('[data-testid="overview"] [role="slider"]').getAttribute("aria-valuetext")`);
  const whole = await view();
  await rest();
  await press("Control", ",");
  await choose("settings-wheel-plain", "zoom");
  await stored(({ wheel }) => wheel.plain === "zoom", "the wheel");
  await picture("04-settings-dark");
  await press("Escape");
  await gone("settings");
  await window.wheel("waveform", -240, [0.3, 0.5]);
  await until(async () => (await view()) !== whole, 5_000, "the wheel to zoom");
});

test("measurements are copied as text with units", async () => {
  await rest();
  await press("Control", "a");
  await says("status-selection", /RMS/);
  // The clipboard of a display without a manager belongs to the page that wrote it.
  await window.run(`window.copied = []; navigator.clipboard.writeText = async (words) => void window.copied.push(words)`);
  await window.click("menu-edit");
  await window.click("sub-measurements");
  await window.click("command-copy-levels");
  const words = await until(() => window.run("return window.copied[0] ?? null"), 10_000, "something copied");
  assert.match(words, /^tone\.wav: Selection.*\nFrom\t0\.000000\ts\nTo\t12\.000000\ts\n/);
  assert.match(words, /\nRMS\t-\d+\.\d\d\tdBFS\n/);
  await gone("menu-of-edit");
  await rest();
  await press("i");
  await says("description", /\w/);
  await window.click("describe-copy");
  assert.match(await until(() => window.run("return window.copied[1] ?? null"), 10_000, "a description"), /\nLoudness\t-\d+\.\d\d\tLUFS\n/);
  await picture("05-describe-dark");
  await press("Escape");
  await gone("describe");
});

test("a signal is generated into a new document, and into the one in front as one step", async () => {
  await rest();
  await press("Escape");
  await window.click("menu-edit");
  await window.click("sub-insert");
  await window.click("command-generate");
  await choose("generate-signal", "sweep");
  await typed("generate-length", "2 s");
  await picture("06-generate-dark");
  await window.click("generate-go");
  await gone("generate");
  await until(async () => /Sweep\.wav/.test(await shownIn("tabs")), 10_000, "the new document");
  await drawn();
  assert.deepEqual(readdirSync(join(desktop.home, "data", "Generated")), ["Sweep.wav"]);
  await press("Control", "k");
  await window.type("palette-search", "Generate");
  await press("Enter");
  await choose("generate-signal", "clicks");
  await choose("generate-target", "here");
  await typed("generate-length", "1 s");
  await window.click("generate-go");
  await gone("generate");
  await drawn();
  await picture("07-generated-dark");
  await press("Control", "a");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="selection-length"]')?.value`)) === "0:03.000", 10_000, "three seconds");
  await window.click("menu-edit");
  assert.match(await shownIn("command-undo"), /Undo: ?Generate|Undo Generate|generate/i);
  await press("Escape");
  await press("Escape");
  await press("Control", "z");
  await press("Control", "a");
  await until(async () => (await window.run(`return document.querySelector('[data-testid="selection-length"]')?.value`)) === "0:02.000", 10_000, "two seconds again");
  assert.ok(existsSync(join(desktop.home, "data", "Generated", "Click track.wav")) || readdirSync(join(desktop.home, "data", "Generated")).length === 2);
});

test("all of it in the light", async () => {
  await theme("light");
  await keyboardPage();
  await picture("08-keys-light");
  await window.click("settings-page-general");
  await picture("09-settings-light");
  await press("Escape");
  await gone("settings");
  await window.click("menu-edit");
  await window.click("sub-insert");
  await window.click("command-generate");
  await window.find("generate-signal");
  await picture("10-generate-light");
  await press("Escape");
});
