// node scripts/fuzz-opus.mjs [--minutes N] [--seed N]
//
// Fuzzes libopus, the only C library that decodes untrusted input. Builds the source that Cargo uses, with the options
// of its crate, under the address and undefined-behaviour sanitizers. Feeds it grammar-generated packets
// (tests/fuzz/opus_decoder.c) for N minutes (default 1) with at most 256 MiB of memory. If nothing is found, prints the
// number of packets and exits with 0; otherwise prints the sanitizer's report and the seed that reproduces it, and
// exits with 1. Needs a C compiler with sanitizers (gcc or clang, as CC) and CMake. Linux only.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { minutes: { type: "string" }, seed: { type: "string" } } });
const [minutes, seed] = [Number(values.minutes ?? 1), Number(values.seed ?? 1)];
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  throw new Error("--minutes is a number above 0, --seed a whole number");
}

function run(command, words, options = {}) {
  const { status, error, stdout } = spawnSync(command, words, { cwd: root, stdio: "inherit", ...options });
  if (error || status !== 0) {
    console.error(`${command} failed: ${error?.message ?? `status ${status}`}`);
    process.exit(1);
  }
  return stdout;
}

const listed = run("cargo", ["metadata", "--format-version", "1", "--locked"], {
  encoding: "utf8",
  maxBuffer: 1 << 28,
  stdio: ["ignore", "pipe", "inherit"],
});
const crate = JSON.parse(listed).packages.find((each) => each.name === "opusic-sys");
const source = join(dirname(crate.manifest_path), "opus");
const folder = join(root, "target", "fuzz-opus");
mkdirSync(folder, { recursive: true });

const compiler = process.env.CC ?? "gcc";
const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"];
run("cmake", [
  "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", `-DCMAKE_C_COMPILER=${compiler}`,
  `-DCMAKE_C_FLAGS=${sanitizers.join(" ")}`, "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
  // As the crate sets them; options that replace functions watched by the sanitizers are off.
  "-DOPUS_DRED=OFF", "-DOPUS_OSCE=OFF", "-DOPUS_HARDENING=ON", "-DOPUS_FIXED_POINT=OFF",
  "-DOPUS_FORTIFY_SOURCE=OFF", "-DOPUS_STACK_PROTECTOR=OFF",
], { stdio: ["ignore", "ignore", "inherit"] });
run("cmake", ["--build", folder, "--target", "opus", "--parallel"], { stdio: ["ignore", "ignore", "inherit"] });
const driver = join(folder, "opus_decoder");
run(compiler, [
  "-O1", "-Wall", "-Wextra", ...sanitizers, "-I", join(source, "include"),
  "tests/fuzz/opus_decoder.c", join(folder, "libopus.a"), "-lm", "-o", driver,
]);
console.log(`opus ${crate.version} from ${source}`);
run(driver, [String(minutes * 60), String(seed)], {
  env: {
    ...process.env,
    ASAN_OPTIONS: "max_allocation_size_mb=16:hard_rss_limit_mb=256:quarantine_size_mb=32:detect_stack_use_after_return=1",
    UBSAN_OPTIONS: "print_stacktrace=1",
  },
});
