// Measures how smoothly the library's table of 100,000 tracks draws in the real window: frame times while scrolling
// with the wheel, by pages, and with the scrollbar, on a separate virtual display.
//
//     KEEP=LIBRARY.sqlite cargo bench --bench library_database
//     node benches/library_frames.mjs LIBRARY.sqlite [APPLICATION]
//
// The release build by default. The page's clock has a resolution of a millisecond.

import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pause, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";
import { frameTimes } from "./frame_times.mjs";

const library = resolve(process.argv[2]);
const application = resolve(process.argv[3] ?? "target/release/undertone-app");
const STEP_MS = 4000;

// Scrolls a little before every frame, in the way given by `kind`. Counts frames drawn before any of their rows
// arrived.
const DRIVE = `
  const [kind, ms, done] = arguments;
  const table = document.querySelector('[data-testid="track-table"]');
  const times = [];
  const begun = performance.now();
  let last = begun;
  let blank = 0;
  const step = { wheel: 120, page: table.clientHeight, bar: table.scrollHeight / 150 }[kind];
  function frame() {
    const now = performance.now();
    times.push(now - last);
    last = now;
    if (now - begun > ms) return done({ times: times.slice(2), blank });
    if ([...table.querySelectorAll('[aria-selected]')].every((row) => row.textContent.trim() === "")) blank += 1;
    table.scrollTop += (now - begun < ms / 2 ? 1 : -1) * step;
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);`;

const desktop = await startDesktop("1920x1080", { pictures: false });
const data = join(desktop.home, "data");
mkdirSync(data, { recursive: true });
copyFileSync(library, join(data, "library.sqlite"));
const window = await openApplication({ ...desktop.env, UNDERTONE_DATA_DIR: data }, application);
try {
  await window.find("empty-state");
  await window.press("Control", "2");
  const began = Date.now();
  await until(() => window.has("track-table"), 60_000, "the table");
  await until(() => window.run(`return document.querySelectorAll('[data-testid="track-table"] [aria-selected]').length > 5`), 60_000, "rows");
  console.log(`rows after ${Date.now() - began} ms`);
  for (const [width, height] of [[1280, 800], [1920, 1080]]) {
    await window.resize(width, height);
    await pause(1500);
    for (const kind of ["wheel", "page", "bar"]) {
      const { times, blank } = await window.runAsync(DRIVE, kind, STEP_MS);
      console.log(`${frameTimes(`${width}x${height} ${kind}`, times)}   without rows yet: ${blank}`);
    }
  }
} finally {
  await window.close();
  desktop.stop();
}
