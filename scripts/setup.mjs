// Installs what is missing on this machine, or prints the commands that do.

import { existsSync } from "node:fs";
import { has, installCommands, linuxFamily, missingOnLinux, run } from "./platform.mjs";

/** Prepares this machine to "build" or to "test". Ends the program with an explanation if it cannot. */
export function setUp(purpose) {
  if (!has("cargo")) {
    fail("Rust is missing. Install it from https://rustup.rs, then run this again.");
  }
  if (process.platform === "linux") {
    linuxPackages(purpose);
  } else {
    otherSystems();
  }
  nodePackages();
}

function linuxPackages(purpose) {
  let missing = missingOnLinux(purpose);
  if (missing.length === 0) {
    return;
  }
  console.log(`Missing: ${missing.map((need) => need.name).join(", ")}.`);
  const prefix = linuxFamily() === "debian" ? rootPrefix() : null;
  if (prefix) {
    const install = ["install", "-y", "--no-install-recommends", ...missing.flatMap((need) => need.debian.split(" "))];
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const apt = (args) => run([...prefix, "apt-get"][0], [...prefix, "apt-get", ...args].slice(1), { env: environment });
    apt(["update"]);
    apt(install);
    missing = missingOnLinux(purpose);
    if (missing.length === 0) {
      return;
    }
  }
  explain(missing);
}

// apt needs root: this process is root, sudo works without a password, or a terminal can ask for one.
function rootPrefix() {
  if (process.getuid() === 0) {
    return [];
  }
  if (has("sudo") && (process.stdin.isTTY || run("sudo", ["-n", "true"], { quiet: true }).ok)) {
    return ["sudo"];
  }
  return null;
}

function otherSystems() {
  const missing = has("cmake") ? [] : [{ name: "CMake" }];
  if (missing.length > 0) {
    explain(missing);
  }
}

function explain(missing) {
  const commands = installCommands(missing);
  const lines = Object.entries(commands).map(([system, command]) => `  ${system.padEnd(8)} ${command}`);
  fail(`Still missing: ${missing.map((need) => need.name).join(", ")}. As an administrator, run:\n${lines.join("\n")}`);
}

function nodePackages() {
  const current = existsSync("node_modules/.package-lock.json") && run("npm", ["ls", "--silent", "--depth=0"], { quiet: true }).ok;
  if (!current && !run("npm", ["ci", "--no-audit", "--no-fund"]).ok) {
    fail("npm could not install the interface's packages; its message stands above.");
  }
}

/** Prints the message and exits. */
export function fail(message) {
  console.error(message);
  process.exit(1);
}
