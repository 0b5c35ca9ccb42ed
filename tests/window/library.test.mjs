// The library in the real window, with the real core: folders, scan, table, a track, likeness, duplicates, map, identify.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { answerFileDialog, heardLevel, pause, playInto, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { addCover, writeSong } from "./songs.mjs";

const application = resolve("target/debug/undertone-app");
const commandLine = resolve("target/debug/undertone");
const pictures = resolve("tests/out/window");
const SONGS = 12;

let desktop;
let window;
let music;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  desktop = await startDesktop("1920x1080");
  music = join(desktop.home, "music");
  mkdirSync(music);
  for (let song = 1; song <= SONGS; song += 1) writeSong(join(music, `song-${song}.wav`), song);
  addCover(join(music, "song-1.wav"));
  // A quieter copy in another encoding; an exact copy; and a file that is not audio.
  const made = spawnSync(commandLine, ["process", join(music, "song-1.wav"), "-o", join(music, "song-1 quiet.flac"), "-c", "gain(-3 dB)", "--tag", "ALBUM=Alone"], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  copyFileSync(join(music, "song-2.wav"), join(music, "song-2 again.wav"));
  writeFileSync(join(music, "letter.flac"), "Dear reader, this is not a recording.\n");
  window = await openApplication(desktop.env, application);
  await window.resize(1280, 800);
  await window.run(`window.refused = []; addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective))`);
});

after(async () => {
  await window?.close();
  desktop?.stop();
});

const picture = (name) => window.picture(join(pictures, `${name}.png`));
const blur = () => window.run("document.activeElement?.blur()");
const count = (selector) => window.run(`return document.querySelectorAll('${selector}').length`);
const tab = (name) => window.click(`library-tab-${name}`);
const rowOf = (words) => window.run(`return [...document.querySelectorAll('[data-testid="track-table"] [role="row"]')].findIndex((row) => row.textContent.includes(${JSON.stringify(words)}))`);
const clickRow = (words, kind = "click") =>
  window.run(
    `const row = [...document.querySelectorAll('[data-testid="track-table"] [role="row"]')].find((row) => row.textContent.includes(${JSON.stringify(words)}));
    const cell = row.querySelector('[role="gridcell"]:nth-child(2)') ?? row;
    const { x, y } = cell.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, button: 0, clientX: x + 20, clientY: y + 8, pointerId: 1 };
    for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) cell.dispatchEvent(new (name.startsWith("pointer") ? PointerEvent : MouseEvent)(name, at));
    if (${JSON.stringify(kind)} === "dblclick") cell.dispatchEvent(new MouseEvent("dblclick", at));`,
  );

test("it begins empty and says what to do", async () => {
  await window.find("empty-state");
  await window.press("Control", "2");
  await window.find("library-empty");
  await picture("60-library-empty");
});

test("a folder that is added is scanned, and what is no recording is told", async () => {
  const clicked = window.click("library-empty-add");
  await answerFileDialog(desktop.env, "Add folders to the library", music);
  await clicked;
  await until(() => window.has("scan-progress"), 10_000, "a scan");
  await picture("61-library-scan");
  await until(() => window.has("scan-summary"), 120_000, "the end of the scan");
  await until(async () => (await count('[data-testid="track-table"] [aria-selected]')) >= SONGS + 3, 10_000, "all tracks");
  await window.click("problems");
  await until(() => window.run(`return /letter\\.flac/.test(document.querySelector('.problems').textContent)`), 5_000, "the file that is no recording");
  await picture("62-library-table");
});

test("a query finds by sound, and what cannot be read is told where", async () => {
  await window.type("library-query", "state:failed");
  await until(async () => (await count('[data-testid="track-table"] [aria-selected]')) === 1, 10_000, "one failed track");
  await window.run(`const field = document.querySelector('[data-testid="library-query"]'); field.focus(); field.select()`);
  await window.type("library-query", "loudness:<abc");
  await window.find("query-problem");
  await picture("63-library-query-problem");
  await window.run(`const field = document.querySelector('[data-testid="library-query"]'); field.focus(); field.select()`);
  await window.press("Backspace");
  await until(async () => (await count('[data-testid="track-table"] [aria-selected]')) >= SONGS + 3, 10_000, "all tracks again");
});

test("a track's page shows what is known of it", async () => {
  await until(async () => (await rowOf("song-1.wav")) >= 0 || (await rowOf("song-1")) >= 0, 5_000, "the row");
  await clickRow("song-1.wav".replace(".wav", ""));
  await window.find("dimensions");
  await until(() => window.run(`return (document.querySelector('[data-testid="track-cover"]')?.naturalWidth ?? 0) === 8`), 10_000, "the cover as decoded pixels");
  await until(() => window.has("series-chroma"), 10_000, "pictures over time");
  assert.equal(await count('[data-testid^="dimension-"]'), 25);
  await pause(500);
  await picture("64-library-track");
});

test("what sounds like it is found, with reasons", async () => {
  await window.click("library-panel-similar");
  await until(() => window.has("similar-0"), 10_000, "an answer");
  await window.click("similar-all-0");
  await window.find("similar-reasons-0");
  await picture("65-library-similar");
});

test("a playlist is shown in its order, gone through by keys, and saved", async () => {
  await clickRow("song-1");
  await window.click("library-panel-playlist");
  await window.run(`document.querySelector('[data-testid="playlist-kind"] [data-option="like"]').click()`);
  await window.click("playlist-use-like");
  await until(async () => /^1?\s*song-1/.test(await window.run(`return document.querySelector('[data-testid="playlist-row-0"]')?.textContent ?? ""`)), 10_000, "the track itself first");
  await window.click("playlist-mix");
  await until(() => window.run(`return /Change/.test(document.querySelector('[data-testid="playlist"]').textContent)`), 10_000, "the changes of the mix");
  await window.run(`document.querySelector('[data-testid="playlist-list"]').focus()`);
  await window.press("Down");
  await until(() => window.run(`return document.querySelector('[data-testid="playlist-list"]').getAttribute("aria-activedescendant") === "playlist-1"`), 5_000, "the second row");
  await picture("65-library-playlist");
  const shown = await window.run(`return [...document.querySelectorAll('[data-testid^="playlist-row-"]')].sort((a, b) => a.dataset.place - b.dataset.place).map((row) => row.querySelector(".title").textContent)`);
  const target = join(desktop.home, "evening.m3u8");
  await window.click("playlist-relative");
  const clicked = window.click("playlist-save");
  await answerFileDialog(desktop.env, "Save playlist", target, true);
  await clicked;
  await until(() => existsSync(target), 10_000, "the playlist");
  const files = readFileSync(target, "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(files, shown.map((name) => `music/${name}`));
  await window.click("library-panel-track");
});

test("tags are previewed, written after a yes, and taken back", async () => {
  const file = join(music, "song-3.wav");
  const before = readFileSync(file);
  await clickRow("song-3");
  await window.run(`document.getElementById("library-table").focus()`);
  await window.press("Shift", "F10");
  await window.click("track-tags");
  await window.click("tags-preview");
  await window.find("tags-file-0", 30_000);
  assert.match(await window.run(`return document.querySelector('[data-testid="tags-file-0"]').textContent`), /song-3\.wav/);
  assert.equal(await window.run(`return document.querySelector('[data-testid="tags-write"]').disabled`), true);
  await picture("65-library-tags-preview");
  assert.ok(readFileSync(file).equals(before), "the preview writes nothing");
  await window.click("tags-agree");
  await window.click("tags-write");
  await window.find("tags-undo", 30_000);
  assert.ok(!readFileSync(file).equals(before), "the tags are written");
  await picture("65-library-tags-written");
  await window.click("tags-undo");
  await until(() => readFileSync(file).equals(before), 20_000, "the original");
  await until(() => window.run(`return /Restored 1 original/.test(document.querySelector('[data-testid="tags-outcome"]')?.textContent ?? "")`), 10_000, "the summary");
  await window.click("tags-close");
});

test("the gain of an album is written when it is chosen, and taken back", async () => {
  const file = join(music, "song-1 quiet.flac");
  const gain = () => JSON.parse(spawnSync(commandLine, ["info", file, "--json"], { encoding: "utf8" }).stdout).files[0].tags.items.REPLAYGAIN_ALBUM_GAIN;
  await clickRow("song-1 quiet");
  await window.run(`document.getElementById("library-table").focus()`);
  await window.press("Shift", "F10");
  await window.click("track-tags");
  for (const field of ["key", "tempo", "loudness"]) {
    if (await window.run(`return document.querySelector('[data-testid="tags-field-${field}"]').checked`)) await window.click(`tags-field-${field}`);
  }
  assert.equal(await window.run(`return document.querySelector('[data-testid="tags-field-album"]').checked`), false, "it is off until it is chosen");
  await window.click("tags-field-album");
  await window.click("tags-preview");
  await window.find("tags-file-0", 30_000);
  assert.match(await window.run(`return document.querySelector('[data-testid="tags-file-0"]').textContent`), /quiet\.flac/);
  await picture("65-library-tags-album");
  await window.click("tags-agree");
  await window.click("tags-write");
  await window.find("tags-undo", 30_000);
  assert.match(gain(), /^-?\d+\.\d\d dB$/);
  await window.click("tags-undo");
  await until(() => gain() === undefined, 20_000, "the original");
  await until(() => window.run(`return /Restored 1 original/.test(document.querySelector('[data-testid="tags-outcome"]')?.textContent ?? "")`), 10_000, "the summary");
  await window.click("tags-close");
});

test("two copies are heard in the same place, one after the other, by key", async () => {
  assert.ok(desktop.sound, "a sound server runs");
  await tab("duplicates");
  await window.click("duplicates-find");
  await until(async () => (await count('[data-testid^="keep-best-"]')) === 2, 60_000, "two groups");
  await picture("66-library-duplicates");
  // Of the two that differ by 3 dB the one that is not the best copy is laid over the best.
  const quietIsHeard = await window.run(`
    const copies = [...document.querySelectorAll('[data-testid^="copy-"]')].filter((copy) => /song-1( quiet)?\\.(wav|flac)/.test(copy.textContent));
    const other = copies.find((copy) => !copy.querySelector(".best"));
    other.querySelector('[data-testid^="hear-"]').click();
    return other.textContent.includes("quiet");`);
  await window.find("audition-lanes");
  const place = async () => {
    const [minutes, seconds] = (await window.text("audition-time")).split("/")[0].trim().split(":");
    return 60 * Number(minutes) + Number(seconds);
  };
  await until(async () => (await place()) > 0.5, 10_000, "playing");
  assert.equal(await window.attribute("audition-b", "aria-checked"), "true");
  if (await window.run(`return document.querySelector('[data-testid="audition-match"]').checked`)) await window.click("audition-match");
  const first = heardLevel(desktop.env, 2);
  const before = await place();
  await blur();
  await window.press("x");
  await until(async () => (await window.attribute("audition-a", "aria-checked")) === "true", 5_000, "the other side");
  assert.ok((await place()) >= before, "the place is kept");
  const second = heardLevel(desktop.env, 2);
  await picture("66-library-audition");
  assert.ok(first > -40 && second > -40, `heard: ${first} and ${second} dB`);
  // Chords swell and fade, so that two seconds of each show the 3 dB only approximately.
  const louder = quietIsHeard ? second - first : first - second;
  assert.ok(louder > 1 && louder < 5, `the quiet copy is ${louder} dB softer`);
  await window.click("audition-close");
  await until(async () => !(await window.has("audition")), 5_000, "silence");
});

test("one copy goes to the bin and comes back", async () => {
  await window.click("keep-best-1");
  await window.click("keep-best-2");
  assert.match(await window.text("marked"), /2/);
  await window.click("to-bin");
  await window.find("bin-list");
  await picture("67-library-bin");
  await window.click("bin-start");
  await window.find("bin-outcome", 20_000);
  assert.equal(readdirSync(music).length, SONGS + 1);
  await picture("68-library-binned");
  await window.click("bin-undo");
  await until(() => readdirSync(music).length === SONGS + 3, 20_000, "the files to come back");
  await window.click("bin-close");
});

test("the library is drawn as a map", async () => {
  await tab("map");
  await window.click("map-make");
  await until(() => window.has("map-canvas"), 30_000, "a map");
  await pause(500);
  await picture("69-library-map");
});

test("a file is identified, and opened from there in the editor", async () => {
  const clip = join(desktop.home, "clip.wav");
  const cut = spawnSync(commandLine, ["process", join(music, "song-5.wav"), "-o", clip, "-c", "gain(-6 dB)", "--start", "8", "--end", "20"], { encoding: "utf8" });
  assert.equal(cut.status, 0, cut.stderr);
  await tab("identify");
  await picture("70-library-identify");
  const clicked = window.click("identify-file");
  await answerFileDialog(desktop.env, "Identify a recording", clip);
  await clicked;
  await window.find("identified", 30_000);
  await picture("71-library-identified");
  assert.match(await window.run(`return document.querySelector('[data-testid="identified"]').textContent`), /song-5/);
  await tab("tracks");
  await blur();
  await clickRow("song-5", "dblclick");
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "the track in the editor");
  await picture("72-library-opened");
});

test("what plays in the room is identified by the microphone", async () => {
  await window.press("Control", "2");
  await tab("identify");
  const played = playInto(desktop.env, join(music, "song-7.wav"));
  await pause(1_000);
  await window.click("identify-microphone");
  await window.find("identify-job", 5_000);
  await picture("72-library-listening");
  await window.find("identified", 40_000);
  played.kill("SIGTERM");
  await picture("72-library-heard");
  const answer = await window.run(`return document.querySelector('[data-testid="identified"]').textContent`);
  assert.match(answer, /song-7/);
});

test("it looks right at both sizes and in all themes, and broke no policy", async () => {
  await window.press("Control", "2");
  await window.find("library");
  await tab("tracks");
  for (const [theme, name] of [["light", "73-library-light"], ["contrast", "74-library-contrast"], ["dark", "75-library-wide"]]) {
    await window.run(`document.documentElement.dataset.theme = "${theme}"`);
    await window.resize(theme === "dark" ? 1920 : 1280, theme === "dark" ? 1080 : 800);
    await pause(300);
    await picture(name);
  }
  assert.deepEqual(await window.run("return window.refused"), []);
  assert.ok(existsSync(join(desktop.env.UNDERTONE_DATA_DIR)), "data stay in their folder");
});
