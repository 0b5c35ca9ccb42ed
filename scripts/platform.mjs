// The programs and libraries that a machine needs to build, run and test Undertone, and how each system installs them.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

/** Runs a program and returns whether it succeeded. Its output is shown unless `quiet`. */
export function run(program, args, options = {}) {
  const { quiet = false, ...rest } = options;
  const shell = process.platform === "win32" && /^(npm|npx)$/.test(program);
  const result = spawnSync(program, args, { stdio: quiet ? "pipe" : "inherit", encoding: "utf8", shell, ...rest });
  return { ok: result.status === 0, output: result.stdout ?? "", missing: result.error?.code === "ENOENT" };
}

/** Returns whether a program can be started. */
export function has(program, args = ["--version"]) {
  return !run(program, args, { quiet: true }).missing;
}

const library = (name) => () => run("pkg-config", ["--exists", name], { quiet: true }).ok;
const program = (name, args) => () => has(name, args);
const file = (...paths) => () => paths.some(existsSync);
// Debian keeps each version's programs in a folder of its own, outside of the path.
const versions = "/usr/lib/postgresql";
const postgresql = () => existsSync(versions) && readdirSync(versions).some((name) => existsSync(`${versions}/${name}/bin/initdb`));

// Each requirement, with its test and its package for the supported package managers.
const needs = {
  build: [
    { name: "a C compiler", found: program("cc"), debian: "build-essential", fedora: "gcc gcc-c++", arch: "base-devel" },
    { name: "pkg-config", found: program("pkg-config"), debian: "pkg-config", fedora: "pkgconf-pkg-config", arch: "pkgconf" },
    { name: "CMake", found: program("cmake"), debian: "cmake", fedora: "cmake", arch: "cmake" },
    { name: "WebKitGTK 4.1", found: library("webkit2gtk-4.1"), debian: "libwebkit2gtk-4.1-dev", fedora: "webkit2gtk4.1-devel", arch: "webkit2gtk-4.1" },
    { name: "ALSA", found: library("alsa"), debian: "libasound2-dev", fedora: "alsa-lib-devel", arch: "alsa-lib" },
  ],
  test: [
    { name: "a software Vulkan driver", found: file("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json", "/usr/share/vulkan/icd.d/lvp_icd.json"), debian: "mesa-vulkan-drivers", fedora: "mesa-vulkan-drivers", arch: "vulkan-swrast" },
    { name: "PulseAudio", found: program("pulseaudio"), debian: "pulseaudio", fedora: "pulseaudio", arch: "pulseaudio" },
    { name: "PulseAudio's tools", found: program("pactl"), debian: "pulseaudio-utils", fedora: "pulseaudio-utils", arch: "libpulse" },
    { name: "ALSA's way to PulseAudio", found: () => existsSync("/usr/share/alsa/alsa.conf.d/50-pulseaudio.conf") || existsSync("/etc/alsa/conf.d/50-pulseaudio.conf"), debian: "libasound2-plugins", fedora: "alsa-plugins-pulseaudio", arch: "alsa-plugins" },
    { name: "Xvfb", found: program("Xvfb", ["-help"]), debian: "xvfb", fedora: "xorg-x11-server-Xvfb", arch: "xorg-server-xvfb" },
    { name: "xauth", found: program("xauth", ["-V"]), debian: "xauth", fedora: "xorg-x11-xauth", arch: "xorg-xauth" },
    { name: "WebKit's WebDriver", found: program("WebKitWebDriver"), debian: "webkit2gtk-driver", fedora: "webkit2gtk-driver", arch: "webkit2gtk-4.1" },
    { name: "D-Bus", found: program("dbus-daemon"), debian: "dbus", fedora: "dbus-daemon", arch: "dbus" },
    { name: "GTK for Python", found: () => run("/usr/bin/python3", ["-c", "import gi; gi.require_version('Gtk', '3.0')"], { quiet: true }).ok, debian: "python3-gi gir1.2-gtk-3.0", fedora: "python3-gobject gtk3", arch: "python-gobject gtk3" },
    { name: "AT-SPI for Python", found: () => run("/usr/bin/python3", ["-c", "import gi; gi.require_version('Atspi', '2.0')"], { quiet: true }).ok && existsSync("/usr/share/dbus-1/services/org.a11y.Bus.service"), debian: "at-spi2-core gir1.2-atspi-2.0", fedora: "at-spi2-core", arch: "at-spi2-core" },
    { name: "fakeroot", found: program("fakeroot"), debian: "fakeroot", fedora: "fakeroot", arch: "fakeroot" },
    { name: "PostgreSQL", found: () => has("initdb") || postgresql(), debian: "postgresql", fedora: "postgresql-server", arch: "postgresql" },
    { name: "LAME", found: file(...["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"].map((folder) => `${folder}/libmp3lame.so.0`)), debian: "libmp3lame0", fedora: "lame-libs", arch: "lame" },
    { name: "xdotool", found: program("xdotool"), debian: "xdotool", fedora: "xdotool", arch: "xdotool" },
  ],
};

/** Returns the requirements for a purpose that this machine does not meet. */
export function missingOnLinux(purpose) {
  const wanted = purpose === "test" ? [...needs.build, ...needs.test] : needs.build;
  return wanted.filter((need) => !need.found());
}

/** Returns the command that installs the missing packages on each system. */
export function installCommands(missing) {
  const packages = (system) => missing.map((need) => need[system]).join(" ");
  return {
    Debian: `apt-get install --no-install-recommends ${packages("debian")}`,
    Fedora: `dnf install ${packages("fedora")}`,
    Arch: `pacman -S --needed ${packages("arch")}`,
    macOS: "xcode-select --install && brew install cmake lame",
    Windows: "winget install Microsoft.VisualStudio.2022.BuildTools Kitware.CMake Microsoft.EdgeWebView2Runtime",
  };
}

/** Returns "debian", "fedora", "arch" or null, from the system's `os-release`. */
export function linuxFamily(description = readOsRelease()) {
  const ids = [...description.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap((match) => match[1].split(" "));
  return ["debian", "fedora", "arch"].find((family) => ids.includes(family)) ?? (ids.includes("ubuntu") ? "debian" : null);
}

function readOsRelease() {
  return existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
}
