// `npm run bindings`: writes ui/src/bindings from the Rust types.

import { run } from "./platform.mjs";

const env = { ...process.env, UPDATE_BINDINGS: "1" };
process.exit(run("cargo", ["test", "--quiet", "--workspace", "--features", "bindings", "--lib", "--test", "app", "bindings"], { env }).ok ? 0 : 1);
