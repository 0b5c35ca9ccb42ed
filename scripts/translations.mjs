// `npm run translations [LANGUAGE...]`: what is to do in the window's translations, of all languages or of those that are
// named. A language without files begins with everything.

import { resolve } from "node:path";
import { createServer } from "vite";

const ui = resolve(import.meta.dirname, "../ui");
const server = await createServer({ root: ui, configFile: resolve(ui, "vite.config.ts"), logLevel: "error", server: { middlewareMode: true, hmr: false, ws: false }, appType: "custom" });
let open = 0;
try {
  const check = await server.ssrLoadModule("/tests/translation-check.ts");
  const named = process.argv.slice(2);
  for (const language of named.length > 0 ? named : check.languages()) {
    const files = { [`${language}.json`]: check.catalogueWork(check.wordsIn(language), language), [`${language}.core.json`]: check.coreWork(check.coreWordsIn(language)) };
    for (const [file, { missing, stale, wrong }] of Object.entries(files)) {
      open += missing.length + stale.length + wrong.length;
      console.log(`${file}: ${missing.length} missing, ${stale.length} stale, ${wrong.length} wrong`);
      for (const line of missing) console.log(`  + ${line}`);
      for (const line of stale) console.log(`  - ${line}`);
      for (const line of wrong) console.log(`  ! ${line}`);
    }
  }
} finally {
  await server.close();
}
process.exit(open === 0 ? 0 : 1);
