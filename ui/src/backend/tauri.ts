// The core inside the program, reached through Tauri. Only this file depends on Tauri.

import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import { getCurrentWebview } from '@tauri-apps/api/webview';
import { getCurrentWindow } from '@tauri-apps/api/window';

import type { Commands, Event } from '../bindings';
import type { Backend, CommandName } from './backend';

export const tauriBackend: Backend = {
  call: <K extends CommandName>(name: K, args: Commands[K]['args']) =>
    invoke<Commands[K]['result']>('call', { name, args }),
  peaks: (document, side, start, end, columns) => invoke<ArrayBuffer>('peaks', { document, side, start, end, columns }),
  trackPeaks: (document, track, start, end, columns) => invoke<ArrayBuffer>('track_peaks', { document, track, start, end, columns }),
  samples: (document, side, start, end) => invoke<ArrayBuffer>('samples', { document, side, start, end }),
  spectrogram: (document, tile) => invoke<ArrayBuffer>('spectrogram', { document, tile }),
  monitor: (query) => invoke<ArrayBuffer>('monitor', { query }),
  loudness: (document, side, generation, from) => invoke<ArrayBuffer>('loudness', { document, side, generation, from }),
  comparePeaks: (sound, start, end, columns) => invoke<ArrayBuffer>('compare_peaks', { sound, start, end, columns }),
  compareSamples: (sound, start, end) => invoke<ArrayBuffer>('compare_samples', { sound, start, end }),
  compareSpectrogram: (original, processed, tile) => invoke<ArrayBuffer>('compare_spectrogram', { original, processed, tile }),
  map: (whole) => invoke<ArrayBuffer>('library_map', { whole }),
  async listen(handler) {
    await listen<Event>('undertone', (event) => handler(event.payload));
  },
  async onDropHover(handler) {
    // The paths of a drop go to the core alone; the interface only learns that something hovers.
    await getCurrentWebview().onDragDropEvent((event) => {
      handler(event.payload.type === 'enter' || event.payload.type === 'over');
    });
  },
  setTitle: (title) => getCurrentWindow().setTitle(title),
};
