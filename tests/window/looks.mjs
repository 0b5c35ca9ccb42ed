// Pictures of everything that the window can show, in every theme and at three sizes, for review: node
// tests/window/looks.mjs [FOLDER] [SCENE...]

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";
import { scenesOf } from "./scenes.mjs";
import { writeSong } from "./songs.mjs";

const SIZES = [[1024, 700], [1280, 800], [1920, 1080]];
const THEMES = ["dark", "light", "contrast"];
const SONGS = 12;
const [folder = "tests/out/looks", ...wanted] = process.argv.slice(2);
const out = resolve(folder);
mkdirSync(out, { recursive: true });

const desktop = await startDesktop("1920x1080");
const recording = join(desktop.home, "tone.wav");
writeTestTone(recording, 12);
const music = join(desktop.home, "music");
mkdirSync(music);
for (let song = 1; song <= SONGS; song += 1) writeSong(join(music, `song-${song}.wav`), song);

let window = await openApplication(desktop.env, resolve("target/debug/undertone-app"));
const key = async (...keys) => {
  await window.run("document.activeElement?.blur()");
  await window.press(...keys);
};

async function theme(name) {
  await key("Control", "k");
  await window.type("palette-search", `Theme: ${name === "contrast" ? "high contrast" : name}`);
  await window.press("Enter");
  await until(() => window.run(`return document.documentElement.dataset.theme === "${name}"`), 5_000, name);
}

/** Scenes before anything is opened or added. */
const nothing = {
  empty: () => key("Control", "1"),
  "library-empty": () => key("Control", "2"),
  "batch-empty": () => key("Control", "Shift", "b"),
};

async function look(scenes) {
  for (const name of THEMES) {
    await theme(name);
    for (const [width, height] of SIZES) {
      await window.resize(width, height);
      await pause(300);
      for (const [scene, open] of Object.entries(scenes)) {
        if (wanted.length > 0 && !wanted.includes(scene) && !["editor", "library", "batch"].includes(scene)) continue;
        try {
          const close = await open();
          await pause(350);
          await window.picture(join(out, `${scene}-${name}-${width}.png`), true);
          await close?.();
        } catch (error) {
          console.error(`${scene}, ${name}, ${width}: ${error.message}`);
          await window.press("Escape");
        }
        await pause(80);
      }
    }
  }
}

try {
  await window.find("empty-state");
  if (wanted.length === 0 || wanted.some((scene) => scene in nothing)) await look(nothing);
  await window.close();
  const scanned = spawnSync(resolve("target/debug/undertone"), ["library", "scan", music], { env: desktop.env, encoding: "utf8" });
  if (scanned.status !== 0) throw new Error(scanned.stderr);
  window = await openApplication(desktop.env, resolve("target/debug/undertone-app"), [recording]);
  await window.resize(1280, 800);
  await key("Control", "1");
  await window.find("waveform");
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", "normalize(-1 dB) | highpass(60 Hz, order=4) | compressor(-20 dB, ratio=4) | parametric_eq()");
  await window.press("Enter");
  await window.find("slot-4");
  await look(scenesOf(() => window));
} finally {
  await window.close();
  desktop.stop();
}
