// Measures how many copies of recordings are found as duplicates, by kind of copy, and how many pairs are wrongly
// found: `node benches/duplicates.mjs [PROGRAM] [FOLDER]`, the release build by default. The originals are songs
// synthesised here and, if given, the recordings in FOLDER. Needs `ffmpeg` with its usual encoders.
//
// Recall of a kind is the share of originals whose copy is in their group. Precision is the share of all pairs within
// groups that come from the same original.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, parse, resolve } from "node:path";
import { wavHeader } from "../tests/window/recordings.mjs";

const program = resolve(process.argv[2] ?? "target/release/undertone");
const given = process.argv[3];
const RATE = 44_100;
const SONGS = 24;
const SONG_SECONDS = 45;
const MOST_SECONDS = 120;

/** The ffmpeg arguments and the file extension of each kind of copy, given the original's duration in seconds. */
const KINDS = {
  "MP3 64 kbit/s": () => [["-c:a", "libmp3lame", "-b:a", "64k"], "mp3"],
  "MP3 128 kbit/s": () => [["-c:a", "libmp3lame", "-b:a", "128k"], "mp3"],
  "MP3 320 kbit/s": () => [["-c:a", "libmp3lame", "-b:a", "320k"], "mp3"],
  "AAC 128 kbit/s": () => [["-c:a", "aac", "-b:a", "128k"], "m4a"],
  "Opus 96 kbit/s": () => [["-c:a", "libopus", "-b:a", "96k"], "opus"],
  "Vorbis q 4": () => [["-c:a", "libvorbis", "-q:a", "4"], "ogg"],
  "8 bits": () => [["-c:a", "pcm_u8"], "wav"],
  "+6 dB": () => [["-af", "volume=6dB"], "wav"],
  "-6 dB": () => [["-af", "volume=-6dB"], "wav"],
  "equalised": () => [["-af", "equalizer=f=120:t=q:w=1:g=6,equalizer=f=2500:t=q:w=1:g=-6,highshelf=f=8000:g=4"], "wav"],
  "cut at both ends": (seconds) => [["-ss", (0.12 * seconds).toFixed(3), "-t", (0.7 * seconds).toFixed(3)], "wav"],
  "2 % faster": () => [["-af", `asetrate=${RATE * 1.02},aresample=${RATE}`], "wav"],
  "2 % slower": () => [["-af", `asetrate=${RATE * 0.98},aresample=${RATE}`], "wav"],
  "5 % faster": () => [["-af", `asetrate=${RATE * 1.05},aresample=${RATE}`], "wav"],
  "5 % slower": () => [["-af", `asetrate=${RATE * 0.95},aresample=${RATE}`], "wav"],
  "noise at 10 dB": () => null,
};
const TRANSCODES_AND_CUTS = ["MP3 64 kbit/s", "MP3 128 kbit/s", "MP3 320 kbit/s", "AAC 128 kbit/s", "Opus 96 kbit/s", "Vorbis q 4", "8 bits", "+6 dB", "-6 dB", "equalised", "cut at both ends"];

function run(command, args) {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${result.error ?? result.stderr}`);
  return result.stdout;
}

/** A generator of numbers from 0 to 1 that depends only on the seed. */
function random(seed) {
  let state = (seed + 1) * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

function writeWav(path, samples) {
  writeFileSync(path, Buffer.concat([wavHeader(RATE, samples.length / 2), Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]));
}

/** A song of chords, a melody and drums. The seed determines key, tempo, harmony, rhythm and timbre. */
function song(seed) {
  const chance = random(seed);
  const frames = RATE * SONG_SECONDS;
  const [left, right] = [new Float32Array(frames), new Float32Array(frames)];
  const beat = Math.round((RATE * 60) / (76 + 90 * chance()));
  const root = 40 + Math.floor(12 * chance());
  const scale = [[0, 2, 4, 5, 7, 9, 11], [0, 2, 3, 5, 7, 8, 10], [0, 2, 3, 5, 7, 9, 10]][Math.floor(3 * chance())];
  const harmonics = Array.from({ length: 6 }, (_, index) => chance() / (index + 1));
  const note = (midi, from, length, gain, pan) => {
    const hz = 440 * 2 ** ((midi - 69) / 12);
    for (let frame = 0; frame < length && from + frame < frames; frame += 1) {
      const time = frame / RATE;
      const fall = Math.min(1, frame / 300) * Math.exp((-3 * frame) / length);
      let value = 0;
      for (let index = 0; index < harmonics.length && hz * (index + 1) < 15_000; index += 1) value += harmonics[index] * Math.sin(2 * Math.PI * hz * (index + 1) * time);
      left[from + frame] += gain * fall * value * (1 - pan);
      right[from + frame] += gain * fall * value * pan;
    }
  };
  const drum = (from, gain, colour) => {
    let last = 0;
    for (let frame = 0; frame < RATE / 8 && from + frame < frames; frame += 1) {
      last += colour * (2 * chance() - 1 - last);
      const value = gain * last * Math.exp(-frame / (RATE / 50));
      left[from + frame] += value;
      right[from + frame] += value;
    }
  };
  const degrees = Array.from({ length: 8 }, () => Math.floor(7 * chance()));
  const pattern = Array.from({ length: 8 }, () => chance());
  for (let step = 0, at = 0; at < frames; step += 1, at += beat / 2) {
    const start = Math.round(at);
    const bar = Math.floor(step / 8);
    // The harmony keeps changing, so that no two bars of a song are equal.
    const degree = (degrees[bar % 8] + Math.floor(bar / 8) * 2) % 7;
    if (step % 8 === 0) for (const third of [0, 2, 4]) note(root + 12 + scale[(degree + third) % 7], start, 4 * beat, 0.12, 0.35 + 0.1 * third);
    if (step % 4 === 0) note(root - 12 + scale[degree], start, beat, 0.25, 0.5);
    if (chance() < 0.6) note(root + 24 + scale[Math.floor(7 * chance())], start, Math.round(beat * (0.4 + chance())), 0.16, 0.3 + 0.4 * chance());
    if (pattern[step % 8] < 0.7) drum(start, 0.25 * pattern[(step + 3) % 8], 0.1 + 0.8 * pattern[step % 8]);
  }
  let peak = 1e-9;
  for (let frame = 0; frame < frames; frame += 1) peak = Math.max(peak, Math.abs(left[frame]), Math.abs(right[frame]));
  const samples = new Int16Array(2 * frames);
  for (let frame = 0; frame < frames; frame += 1) {
    samples[2 * frame] = Math.round((0.45 * 32_767 * left[frame]) / peak);
    samples[2 * frame + 1] = Math.round((0.45 * 32_767 * right[frame]) / peak);
  }
  return samples;
}

/** Reads the samples of a file written by `writeWav` or ffmpeg: 16 bits after a header of 44 bytes or more. */
function readWav(path) {
  const bytes = readFileSync(path);
  const data = bytes.indexOf("data") + 8;
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset + data, bytes.byteOffset + bytes.length - ((bytes.length - data) % 4)));
}

/** Adds white noise 10 dB below the recording's RMS. */
function noisy(samples, seed) {
  const chance = random(1000 + seed);
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  // The power of uniform noise is a third of its squared peak.
  const peak = Math.sqrt((3 * sum) / samples.length) * 10 ** (-10 / 20);
  return samples.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample + peak * (2 * chance() - 1)))));
}

const folder = mkdtempSync(join(tmpdir(), "undertone-duplicates-"));
const music = join(folder, "music");
mkdirSync(music);
try {
  const originals = [];
  for (let seed = 0; seed < SONGS; seed += 1) {
    const path = join(music, `song ${seed}@original.wav`);
    writeWav(path, song(seed));
    originals.push(path);
  }
  const quiet = ["-v", "error", "-bitexact"];
  for (const file of given ? readdirSync(given).filter((name) => /\.(wav|flac|ogg|opus|mp3|m4a|aiff?)$/i.test(name)).sort() : []) {
    const path = join(music, `${parse(file).name}@original.wav`);
    run("ffmpeg", [...quiet, "-i", join(given, file), "-t", String(MOST_SECONDS), "-ac", "2", "-ar", String(RATE), "-af", "volume=-6dB", "-c:a", "pcm_s16le", path]);
    originals.push(path);
  }
  const seconds = new Map(originals.map((path) => [path, readWav(path).length / 2 / RATE]));
  for (const [index, path] of originals.entries()) {
    const name = basename(path).split("@")[0];
    for (const [kind, make] of Object.entries(KINDS)) {
      const made = make(seconds.get(path));
      const ending = made?.[1] ?? "wav";
      const target = join(music, `${name}@${kind.replace("/", " ")}.${ending}`);
      if (made) run("ffmpeg", [...quiet, "-i", path, ...made[0], target]);
      else writeWav(target, noisy(readWav(path), index));
    }
  }
  const library = join(folder, "library.sqlite");
  const scanned = process.hrtime.bigint();
  run(program, ["library", "--library", library, "scan", music]);
  const scan_s = Number(process.hrtime.bigint() - scanned) / 1e9;
  const asked = process.hrtime.bigint();
  const { groups } = JSON.parse(run(program, ["library", "--library", library, "duplicates", "--json"]));
  const found_s = Number(process.hrtime.bigint() - asked) / 1e9;

  const of = (path) => parse(path).name.split("@");
  let [right, wrong] = [0, 0];
  const found = new Map(Object.keys(KINDS).map((kind) => [kind, new Set()]));
  for (const group of groups) {
    const members = group.map((member) => of(member.path));
    for (let a = 0; a < members.length; a += 1) for (let b = 0; b < a; b += 1) members[a][0] === members[b][0] ? (right += 1) : (wrong += 1);
    for (const kind of found.keys()) {
      const copies = members.filter((member) => member[1] === kind.replace("/", " "));
      const recognised = copies.filter((copy) => members.some((member) => member[0] === copy[0] && member[1] === "original"));
      recognised.forEach(([name]) => found.get(kind).add(name));
    }
  }
  const total = originals.length * (1 + Object.keys(KINDS).length);
  const audio = [...seconds.values()].reduce((sum, each) => sum + each, 0);
  console.log(`${originals.length} originals (${SONGS} synthesised) of ${audio.toFixed(0)} s, ${total} files; scanned in ${scan_s.toFixed(1)} s, duplicates found in ${found_s.toFixed(1)} s`);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const missing = (names) => originals.map((path) => of(path)[0]).filter((name) => !names.has(name));
  for (const [kind, names] of found) console.log(`${kind.padEnd(18)} ${String(names.size).padStart(3)} of ${originals.length}   ${percent(names.size / originals.length)}   ${missing(names).join(", ")}`);
  const sure = TRANSCODES_AND_CUTS.reduce((sum, kind) => sum + found.get(kind).size, 0);
  console.log(`transcodes and cuts: recall ${percent(sure / (originals.length * TRANSCODES_AND_CUTS.length))}`);
  console.log(`precision: ${percent(right / Math.max(1, right + wrong))} (${wrong} of ${right + wrong} pairs are of two originals)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
