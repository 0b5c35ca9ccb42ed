// Chooses the backend of the interface.

import type { Backend } from './backend';

export type { Backend, CommandName } from './backend';
export { codeFromDb, dbFromCode, decodeCodes, decodePeaks, decodeSamples, TILE_SIDE, type CodeBlock, type PeakBlock, type SampleBlock } from './binary';
export { decodeLoudness, decodeMonitor, encodeLoudness, encodeMonitor, type LoudnessBlock, type LoudnessNumbers, type MonitorFrame } from './heard';

const inTauri = (): boolean => '__TAURI_INTERNALS__' in window;

/** Connects to the core or, when developing in a plain browser, to recorded answers, which no release contains. */
export async function connect(): Promise<Backend> {
  if (import.meta.env.DEV || import.meta.env.MODE === 'replay') {
    if (!inTauri()) return (await import('./replayed')).replayed(window.location.search);
  }
  return (await import('./tauri')).tauriBackend;
}
