// Takes the documentation's pictures of tracks and of recording from the real window: `node scripts/pictures-recording.mjs`
// after `npm test` has built the program.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { answerFileDialog, pause, playInto, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";

const folder = resolve("docs/pictures");
mkdirSync(folder, { recursive: true });
const desktop = await startDesktop("1280x800");
const clicks = join(desktop.home, "clicks.wav");
const room = join(desktop.home, "room.wav");
for (const [kind, path, ...more] of [["clicks", clicks, "--level", "-12"], ["pink", room, "--level", "-26"]]) {
  spawnSync("target/debug/undertone", ["generate", kind, "-o", path, "--length", "20", ...more], { stdio: "inherit" });
}
const window = await openApplication(desktop.env, resolve("target/debug/undertone-app"));
const picture = async (name) => {
  await pause(400);
  await window.picture(join(folder, `${name}.png`), true);
};
const blur = () => window.run("document.activeElement?.blur()");
const drawn = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 60_000, "an exact waveform");
const command = async (words) => {
  await blur();
  await window.press("Control", "k");
  await window.find("palette-search");
  await window.type("palette-search", words);
  await pause(300);
  await window.press("Enter");
};

try {
  await window.resize(1280, 800);
  await window.click("open-demo");
  await drawn();
  await command("Theme: Dark");
  await command("Import tracks");
  await answerFileDialog(desktop.env, "Import as tracks", clicks);
  await window.find("track-row-2");
  await window.click("track-2");
  await drawn();
  await blur();
  await window.press("Home");
  await window.press("Space");
  await pause(3_000);
  await picture("tracks");
  await window.press("Space");

  const heard = playInto(desktop.env, room);
  await blur();
  await window.press("Home");
  await window.press("Alt", "Shift", "r");
  await window.find("recording-time");
  await pause(4_000);
  await picture("recording");
  await blur();
  await window.press("r");
  await pause(1_000);
  heard.kill();
} finally {
  await window.close().catch(() => null);
  desktop.stop();
}
