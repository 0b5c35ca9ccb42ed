// Takes the documentation's pictures from the real window, with the demo recording: `node scripts/pictures.mjs` after
// `npm test` has built the program.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pause, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";

const folder = resolve("docs/pictures");
mkdirSync(folder, { recursive: true });
const desktop = await startDesktop("1920x1080");
const window = await openApplication(desktop.env, resolve("target/debug/undertone-app"));
const picture = async (name) => {
  await pause(400);
  await window.picture(join(folder, `${name}.png`), true);
};
const blur = () => window.run("document.activeElement?.blur()");
const drawn = (id) => until(async () => (await window.attribute(id, "data-drawn")) === "exact", 60_000, `an exact ${id}`);
const theme = async (name) => {
  await window.press("Control", "k");
  await pause(300);
  await window.run(`document.activeElement.value = "Theme: ${name}"; document.activeElement.dispatchEvent(new Event("input", { bubbles: true }))`);
  await pause(300);
  await window.press("Enter");
  await pause(400);
  await blur();
};

try {
  await window.resize(1280, 800);
  await window.click("open-demo");
  await drawn("waveform");
  await window.click("chain-text");
  await window.press("Control", "a");
  await window.type("chain-text", "highpass(120 Hz, order=4) | peaking(2 kHz, q=1, gain=-9 dB) | gain(-3 dB)");
  await window.press("Enter");
  await window.find("slot-3");
  await blur();
  await theme("Dark");

  await window.press("3");
  await drawn("spectrogram");
  await picture("spectrogram");

  await window.press("2");
  await window.press("c");
  for (let step = 0; step < 3; step += 1) await window.press("Control", "=");
  await drawn("spectrogram");
  await window.press("h");
  await picture("overlaid");
  await window.press("h");
  await window.press("Control", "f");
  await window.press("c");
  await window.press("c");

  await window.press("e");
  await window.type("effect-search", "eq");
  await picture("effects");
  await window.press("Escape");
  await window.press("Control", "Shift", "e");
  await window.find("export-start");
  await picture("export");
  await window.press("Escape");
  await blur();

  await window.press("3");
  await window.drag("waveform", [0.62, 0.12], [0.76, 0.26], "Control");
  await window.find("repair-bar");
  await window.click("repair-spectral_gain");
  await pause(600);
  await blur();
  await window.press("k");
  await drawn("spectrogram");
  await picture("edited");
  await window.press("k");
  await drawn("spectrogram");
  await theme("Light");
  await picture("difference");
  await window.press("k");
  await window.press("Escape");

  await window.press("1");
  await window.press("v");
  await window.press("Shift", "l");
  await pause(1500);
  await window.press("Home");
  await window.press("Space");
  await pause(6000);
  await picture("heard");
  await window.press("Space");
  await window.press("v");
  await window.press("Shift", "l");

  // Clips: a part is deleted, another silenced, and the first clip faded and turned down.
  await window.press("1");
  await window.drag("waveform", [0.3, 0.5], [0.4, 0.5]);
  await window.press("Delete");
  await pause(800);
  await window.drag("waveform", [0.6, 0.5], [0.7, 0.5]);
  await window.press("Control", "l");
  await pause(800);
  await window.press("Escape");
  await window.press("Home");
  await window.press("Right");
  await window.press("Alt", "Shift", "i");
  await pause(500);
  for (let step = 0; step < 4; step += 1) {
    await window.press("Alt", "Shift", "Down");
    await pause(300);
  }
  await drawn("waveform");
  await picture("clips");
  for (let step = 0; step < 7; step += 1) await window.press("Control", "z");

  await window.press("3");
  await window.press("g");
  await window.find("spectrogram-panel");
  await drawn("spectrogram");
  await picture("settings");

  await window.press("Escape");
  await window.press("2");
  await theme("Dark");
  await drawn("spectrogram");
  await window.picture(resolve("docs/window.png"), true);
} finally {
  await window.close();
  desktop.stop();
}
