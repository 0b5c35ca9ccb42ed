import { availableParallelism } from 'node:os';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vitest/config';

/** Keeps modules that take in whole folders out of the tests' cache: a new file there changes them. */
const uncachedFolders: Plugin = {
  name: 'uncached-folders',
  configureVitest: ({ experimental_defineCacheKeyGenerator: keys }) => keys(({ sourceCode }) => (sourceCode.includes('import.meta.glob') ? false : undefined)),
};

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), uncachedFolders],
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  // In tests Svelte's browser half is wanted, not the one that renders on a server.
  ...(mode === 'test' ? { resolve: { conditions: ['browser'] } } : {}),
  build: {
    // The web views in use: WebKitGTK 2.40, WKWebView of macOS 13, WebView2.
    target: ['safari16', 'chrome110'],
    outDir: mode === 'replay' ? 'dist-replay' : 'dist',
    emptyOutDir: true,
    // No data: URLs, so that the window's content security policy need not allow them.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  test: {
    environment: 'happy-dom',
    // Compiled modules are kept from run to run.
    experimental: { fsModuleCache: true },
    include: ['tests/**/*.test.ts'],
    // Tests wait more than they compute. By default a core would be left free.
    maxWorkers: availableParallelism(),
    // Nothing here is about speed; a busy machine may take its time.
    testTimeout: 60_000,
  },
}));
