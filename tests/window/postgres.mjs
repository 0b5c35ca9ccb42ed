// A PostgreSQL server for the tests: a temporary cluster on a socket in a temporary folder.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./desktop.mjs";

/** The folder of the newest installed version; undefined if there is none. */
function programs() {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  versions.sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => `/usr/lib/postgresql/${version}/bin`).find((folder) => existsSync(join(folder, "initdb")));
}

/** Starts a server with a database whose owner `locked` needs a password; null without PostgreSQL, unless it is required. */
export async function startPostgres(password) {
  const folder = programs();
  if (!folder) {
    if (process.env.UNDERTONE_REQUIRE_SERVER === "1") throw new Error("UNDERTONE_REQUIRE_SERVER=1, but PostgreSQL is not installed");
    return null;
  }
  const home = mkdtempSync(join(tmpdir(), "undertone-window-pg-"));
  chmodSync(home, 0o755);
  // A server refuses to run as root.
  const asServer = process.getuid() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  if (asServer.length > 0) spawnSync("chown", ["postgres:", home]);
  const run = (name, ...args) => {
    const [program, ...rest] = [...asServer, join(folder, name), ...args];
    const { status, stderr } = spawnSync(program, rest, { cwd: home, encoding: "utf8" });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
  };
  const data = join(home, "data");
  run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", "--no-sync", "-D", data);
  const rules = join(data, "pg_hba.conf");
  writeFileSync(rules, `local all locked scram-sha-256\n${readFileSync(rules, "utf8")}`);
  // It ends with this process, however that ends. A change of the user would drop that wish, so it comes after.
  const words = [...asServer, "setpriv", "--pdeathsig=QUIT", join(folder, "postgres"), "-D", data, "-k", home, "-c", "listen_addresses=", "-c", "fsync=off"];
  const server = spawn(words[0], words.slice(1), { cwd: home, stdio: ["ignore", "ignore", "pipe"] });
  server.stderr.on("data", (bytes) => existsSync(home) && appendFileSync(join(home, "log"), bytes));
  const isReady = () => spawnSync(join(folder, "pg_isready"), ["-q", "-h", home]).status === 0;
  await until(isReady, 60_000, "PostgreSQL");
  const sql = (statement) => run("psql", "-h", home, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres", "-c", statement);
  sql(`CREATE ROLE locked LOGIN PASSWORD '${password}'`);
  sql("CREATE DATABASE music OWNER locked");
  return {
    address: `postgres://locked@/music?host=${home}`,
    async stop() {
      const ended = once(server, "exit");
      server.kill("SIGQUIT");
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
