// `npm run bindings`: writes ui/src/bindings from the Rust types, and crates/effects/src/chain/operators/generated.rs
// from the registry of effects.

import { run } from "./platform.mjs";

const env = { ...process.env, UPDATE_BINDINGS: "1" };
process.exit(run("cargo", ["test", "--quiet", "--workspace", "--features", "bindings", "--lib", "--test", "app", "bindings"], { env }).ok ? 0 : 1);
