// The window on a recording, as the tests of the editor begin.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pause, startDesktop, until } from "./desktop.mjs";
import { openApplication } from "./driver.mjs";
import { writeTestTone } from "./recordings.mjs";

export const application = resolve("target/debug/undertone-app");
export const commandLine = resolve("target/debug/undertone");
export const pictures = resolve("tests/out/window");

/** Opens the window on a tone of twelve seconds, once that is drawn. */
export async function openEditor(name = "tone.wav") {
  mkdirSync(pictures, { recursive: true });
  const desktop = await startDesktop("1920x1080");
  const recording = join(desktop.home, name);
  writeTestTone(recording, 12);
  const window = await openApplication(desktop.env, application, [recording]);
  await window.resize(1280, 800);
  await isDrawn(window);
  return { desktop, window, recording };
}

export async function closeEditor(window, desktop) {
  await window?.close();
  desktop?.stop();
}

/** Waits until the waveform shows the samples, not the first estimate. */
export const isDrawn = (window) => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 20_000, "an exact waveform");

/** Takes pictures of a test, whose name theirs begin with. */
export const picturesOf = (test, window) => (name) => window().picture(join(pictures, `${test}-${name}.png`));

/** Chooses from a list by the keyboard, as one that has just opened may still be moving under the pointer. */
export async function chooseByKeys(window, id, value, letters) {
  await window.run(`document.querySelector('[data-testid="${id}"]').focus()`);
  await window.press("Enter");
  await window.find(`${id}-${value}`);
  await pause(200);
  for (const letter of letters) await window.press(letter);
  await window.press("Enter");
  await until(async () => !(await window.has(`${id}-${value}`)), 10_000, `"${id}-${value}" to go`);
}
