// `npm run pictures [-- NAME...]`: makes the documents' pictures, or those that are named, from the real window with generated
// recordings (Linux). With `--check` they are made beside, and it fails if one looks different from the documents'.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { answerFileDialog, pause, playInto, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";
import { chooseByKeys } from "../tests/window/editor.mjs";
import { writeSong } from "../tests/window/songs.mjs";
import { recording } from "./recordings.mjs";

const DOCUMENTS = resolve("docs/pictures");
const SONGS = 24;
const CODECS = ["opus:24,48,96,192", "vorbis:q-1,q2,q5,q9", "mp3:64,128,192,320", "pcm:10,12,14", "rate:8000,16000,32000", "flac"];

/** A function body for the page: of two pictures, each made of 160 by 100 mean colours, the share of those that can be told apart. */
const DIFFERENCE = `
  const [pictures, done] = arguments;
  const small = (picture) => {
    const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], { type: "image/png" }), { resizeWidth: 160, resizeHeight: 100, resizeQuality: "high" });
  };
  Promise.all(pictures.map(small)).then((images) => {
    const context = new OffscreenCanvas(160, 100).getContext("2d");
    context.globalCompositeOperation = "difference";
    context.fillRect(0, 0, 160, 100);
    for (const image of images) context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, 160, 100);
    done(data.filter((value, at) => at % 4 === 0 && Math.max(value, data[at + 1], data[at + 2]) > 10).length / 16_000);
  }, (error) => done(String(error)));`;

const programs = resolve(process.env.CARGO_TARGET_DIR ?? "target", "debug");
const words = process.argv.slice(2);
const checks = words.includes("--check");
const named = words.filter((word) => word !== "--check");
const folder = checks ? resolve("tests/out/pictures") : DOCUMENTS;

/** What makes each group of pictures, in a window of its own. */
const GROUPS = [
  [["window", "spectrogram", "settings", "overlaid", "effects", "export", "edited", "difference", "heard"], seen],
  [["cut", "clips"], edited],
  [["tracks", "recording"], recorded],
  [["compare"], compared],
  [["library", "duplicates", "map", "batch"], collected],
  [["codecs"], plotted],
];

const names = GROUPS.flatMap(([own]) => own);
const wanted = named.length > 0 ? named : names;
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`There is no picture ${unknown.join(", ")}. There are ${names.join(", ")}.`);
mkdirSync(folder, { recursive: true });
for (const [own, make] of GROUPS) {
  if (own.some((name) => wanted.includes(name))) await inWindow(make);
}
if (checks) await inWindow(compareAll);

/** Runs `make` with an empty window on a desktop of its own, and what a person does with it. */
async function inWindow(make) {
  const desktop = await startDesktop("1920x1080");
  const window = await openApplication(desktop.env, join(programs, "undertone-app"));
  const blur = () => window.run("document.activeElement?.blur()");
  const hands = {
    desktop,
    window,
    blur,
    file: (name) => join(desktop.home, name),
    run: (...command) => {
      const { status } = spawnSync(join(programs, "undertone"), command, { stdio: ["ignore", "ignore", "inherit"] });
      if (status !== 0) throw new Error(`undertone ${command.join(" ")} failed`);
    },
    count: (selector) => window.run(`return document.querySelectorAll('${selector}').length`),
    /** Presses combinations of keys in turn, such as "Control+f". */
    keys: async (...combinations) => {
      for (const combination of combinations) {
        await window.press(...combination.split("+"));
        await pause(300);
      }
    },
    command: async (title) => {
      await blur();
      await window.press("Control", "k");
      await window.type("palette-search", title);
      await pause(300);
      await window.press("Enter");
      await pause(400);
      await blur();
    },
    /** Opens the demo recording. */
    demo: async (theme) => {
      await window.click("open-demo");
      await until(async () => (await hands.count("[data-drawn=exact]")) > 0, 60_000, "the demo");
      await hands.command(`Theme: ${theme}`);
    },
    /** Does what opens a native dialog, and answers it. */
    choose: async (open, title, path, key) => {
      const opened = open();
      await answerFileDialog(desktop.env, title, path, false, key);
      await opened;
    },
    /** Takes a picture, with the pointer at a place of the lanes, or where it points at nothing; of what plays, at a time. */
    picture: async (name, { place, time } = {}) => {
      if (!wanted.includes(name)) return;
      await window.run(`document.querySelector('[role="dialog"]') ?? document.activeElement?.blur()`);
      await (place ? window.clicks("waveform", place, 0) : window.clicks("time-code", [0.5, -0.2], 0));
      await pause(400);
      await until(async () => (await hands.count("[data-drawn=coarse], [data-drawn=partial]")) === 0, 60_000, "exact lanes");
      await (time ? until(async () => (await window.text("time-code")) >= time, 30_000, time) : window.settled());
      // What a busy machine does to the sound is not seen.
      await window.run(`document.querySelector('[data-testid="drop-outs"]')?.click()`);
      await window.picture(join(folder, `${name}.png`), true);
    },
  };
  try {
    await window.resize(1280, 800);
    // The desktop's own pointer rests beside the window.
    spawnSync("xdotool", ["mousemove", "1900", "1060"], { env: desktop.env });
    await window.find("empty-state");
    await make(hands);
  } finally {
    await window.close();
    desktop.stop();
  }
}

/** The demo recording: seen, edited, measured. */
async function seen({ window, picture, demo, blur, keys, command }) {
  await demo("Dark");
  await window.click("chain-text");
  await keys("Control+a");
  await window.type("chain-text", "highpass(120 Hz, order=4) | peaking(2 kHz, q=1, gain=-9 dB) | gain(-3 dB)");
  await keys("Enter");
  await window.find("slot-3");
  await blur();
  await keys("2");
  await picture("window");
  await keys("3");
  await picture("spectrogram");
  await keys("g");
  await picture("settings");
  await keys("Escape", "2", "c", "Control+=", "Control+=", "Control+=", "h");
  await picture("overlaid", { place: [0.55, 0.908] });
  await keys("h", "Control+f", "c", "c", "e");
  await window.type("effect-search", "eq");
  await picture("effects");
  await keys("Escape", "Control+Shift+e");
  await window.find("export-level", 15_000);
  await picture("export");
  await keys("Escape");
  await blur();
  await keys("3");
  await window.drag("waveform", [0.62, 0.12], [0.76, 0.26], "Control");
  await window.click("repair-spectral_gain");
  await pause(600);
  await blur();
  await keys("k");
  await picture("edited");
  await keys("k");
  await command("Theme: Light");
  await picture("difference");
  await keys("k", "Escape", "1", "v", "Shift+l");
  await pause(1500);
  await keys("Home", "Space");
  await picture("heard", { time: "00:00:06" });
}

/** A part that moves to the beginning; then one that is deleted, another silenced, and the first clip faded and turned down. */
async function edited({ window, picture, demo, keys }) {
  await demo("Light");
  await window.drag("waveform", [0.5, 0.5], [0.75, 0.5]);
  await keys("Control+x", "Home", "Control+v");
  await picture("cut");
  await keys("Control+z", "Control+z", "Escape");
  await window.drag("waveform", [0.3, 0.5], [0.4, 0.5]);
  await keys("Delete");
  await pause(500);
  await window.drag("waveform", [0.6, 0.5], [0.7, 0.5]);
  await keys("Control+l", "Escape", "Home", "Right", "Alt+Shift+i", ...Array(4).fill("Alt+Shift+Down"));
  await picture("clips");
}

/** Tracks over each other, and a take onto them. */
async function recorded({ desktop, window, picture, demo, blur, file, run, keys, command, choose }) {
  run("generate", "clicks", "-o", file("clicks.wav"), "--length", "20", "--level", "-12");
  run("generate", "pink", "-o", file("room.wav"), "--length", "20", "--level", "-26");
  await demo("Dark");
  await choose(() => command("Import tracks"), "Import as tracks", file("clicks.wav"));
  await window.click("track-2");
  await blur();
  await keys("Home", "Space");
  await picture("tracks", { time: "00:00:03" });
  await keys("Space");

  const heard = playInto(desktop.env, file("room.wav"));
  await keys("Home", "Alt+Shift+r");
  await picture("recording", { time: "00:00:04" });
  await blur();
  await keys("r");
  heard.kill();
}

/** Versions of a song, heard and measured. */
async function compared({ window, picture, file, run, count, keys, choose }) {
  writeSong(file("original.wav"), 3, 12, 44_100);
  const versions = [["quieter.wav", "gain(-6 dB)"], ["dull.wav", "lowpass(1.5 kHz)"], ["coded.opus", "gain(0 dB)"]];
  for (const [name, chain] of versions) run("process", file("original.wav"), "-o", file(name), "-c", chain);
  await keys("Control+4");
  for (const name of ["original.wav", ...versions.map(([name]) => name)]) {
    await choose(() => window.press("Control", "Shift", "o"), "Versions to compare", file(name));
    await until(async () => (await window.run("return document.body.textContent")).includes(name), 10_000, name);
  }
  await until(async () => (await count('[data-testid^="version-"][data-state="compared"]')) === versions.length, 90_000, "the comparison");
  await window.click("compare-drawn-both");
  await keys(`${1 + versions.length}`);
  await window.run(`document.querySelector('[data-testid="versions"]').focus()`);
  await keys("End");
  await until(async () => Number(await window.run(`return document.querySelector('[data-testid="compare-curves"] canvas').dataset.curves`)) === versions.length, 10_000, "curves");
  await picture("compare");
}

/** A library of songs and their copies, and a batch of them. */
async function collected({ window, picture, file, run, count, keys, choose }) {
  // The folder is seen in the pictures.
  const music = join(tmpdir(), "songs");
  rmSync(music, { recursive: true, force: true });
  mkdirSync(music);
  for (let song = 1; song <= SONGS; song += 1) writeSong(join(music, `song-${song}.wav`), song);
  mkdirSync(file("out"));
  const copies = [["song-3.wav", "song-3 quiet.flac", "gain(-3 dB)"], ["song-5.wav", "song-5 dark.ogg", "lowpass(4 kHz)"], ["song-9.wav", "song-9 thin.opus", "highpass(200 Hz)"]];
  for (const [from, to, chain] of copies) run("process", join(music, from), "-o", join(music, to), "-c", chain);
  copyFileSync(join(music, "song-2.wav"), join(music, "song-2 again.wav"));
  await keys("Control+2");
  await choose(() => window.click("library-empty-add"), "Add folders to the library", music);
  await until(() => window.has("scan-summary"), 240_000, "the end of the scan");
  await until(async () => (await count('[data-testid="track-table"] [aria-selected]')) >= SONGS, 10_000, "all tracks");
  await until(async () => !/Analysing/.test(await window.text("track-table")), 30_000, "their values");
  await window.run(`document.querySelector('[data-testid="track-table"]').focus()`);
  await keys(...Array(8).fill("Down"));
  await until(() => window.has("series-chroma"), 10_000, "pictures over time");
  await picture("library");
  await window.click("library-tab-duplicates");
  await window.click("duplicates-find");
  await until(async () => (await count('[data-testid^="keep-best-"]')) >= copies.length, 60_000, "groups");
  await picture("duplicates");
  await window.click("library-tab-map");
  await window.click("map-make");
  await until(() => window.has("map-axes"), 60_000, "the map");
  await picture("map");

  await window.click("page-batch");
  await choose(() => window.click("batch-empty-folders"), "Folders to process", music);
  await until(async () => (await count('[data-testid^="input-"]')) >= SONGS, 30_000, "the files of the batch");
  await choose(() => window.click("batch-choose"), "Output folder", file("out"), "ctrl+l");
  await until(async () => (await window.text("batch-output")).endsWith("out"), 10_000, "the folder");
  await chooseByKeys(window, "batch-chain", "preset:Telephone", ["t", "e"]);
  await until(async () => /bandpass/.test(await window.text("batch-chain-text")), 5_000, "the chain");
  await picture("batch");
  rmSync(music, { recursive: true });
}

/** What codecs do to eight recordings, as the program plots it. MP3 needs the LAME library. */
async function plotted({ file, run }) {
  mkdirSync(file("recordings"));
  for (let seed = 0; seed < 8; seed += 1) writeFileSync(file(`recordings/${seed}.wav`), recording(seed, 6));
  run("codecs", "run", file("recordings"), "--codecs", ...CODECS, "--measures", "mel", "--out", file("out"));
  copyFileSync(file("out/plots/mel.png"), join(folder, "codecs.png"));
}

/** Compares each picture with the documents' one. What plays is not met at the same moment twice. */
async function compareAll({ window }) {
  for (const name of wanted) {
    const [before, now] = [DOCUMENTS, folder].map((place) => join(place, `${name}.png`));
    const share = existsSync(before) ? await window.runAsync(DIFFERENCE, [before, now].map((path) => readFileSync(path, "base64"))) : 1;
    const same = share < (["heard", "tracks", "recording"].includes(name) ? 0.02 : 0.002);
    console.log(`${name.padEnd(12)} ${(100 * share).toFixed(2)} % ${same ? "" : "LOOKS DIFFERENT: see tests/out/pictures, and make it again"}`);
    if (!same) process.exitCode = 1;
  }
}
