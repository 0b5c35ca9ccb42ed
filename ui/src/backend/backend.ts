// The calls that the interface makes to the core or, in a plain browser, to the core's recorded answers.

import type { Commands, CompareSound, Event, MonitorQuery, Side, SpectrogramTile } from '../bindings';

export type CommandName = keyof Commands;

export interface Backend {
  call<K extends CommandName>(name: K, args: Commands[K]['args']): Promise<Commands[K]['result']>;
  /** Minima, maxima and RMS of `columns` even parts of `[start, end)` of a side, as `decodePeaks` reads them. */
  peaks(document: number, side: Side, start: number, end: number, columns: number): Promise<ArrayBuffer>;
  /** The peaks of a track before its rack. */
  trackPeaks(document: number, track: number, start: number, end: number, columns: number): Promise<ArrayBuffer>;
  /** The samples of `[start, end)` of a side, as `decodeSamples` reads them. */
  samples(document: number, side: Side, start: number, end: number): Promise<ArrayBuffer>;
  /** The levels of part of a spectrogram, as `decodeCodes` reads them; fails as cancelled if the view changes first. */
  spectrogram(document: number, tile: SpectrogramTile): Promise<ArrayBuffer>;
  /** The analysis of the sound now playing, as `decodeMonitor` reads it. */
  monitor(query: MonitorQuery): Promise<ArrayBuffer>;
  /** Loudness over time of one side, as `decodeLoudness` reads it; the first question begins the measurement. */
  loudness(document: number, side: Side, generation: number, from: number): Promise<ArrayBuffer>;
  /** The peaks of a version or a difference, as `decodePeaks` reads them. */
  comparePeaks(sound: CompareSound, start: number, end: number, columns: number): Promise<ArrayBuffer>;
  /** The samples of a version or a difference, as `decodeSamples` reads them. */
  compareSamples(sound: CompareSound, start: number, end: number): Promise<ArrayBuffer>;
  /** The levels of one of two overlaid sounds, as `decodeCodes` reads them; the tile's side selects which. */
  compareSpectrogram(original: CompareSound, processed: CompareSound, tile: SpectrogramTile): Promise<ArrayBuffer>;
  /** The last layout of the library's map, as `decodeMap` reads it; includes the points only if `whole`. */
  map(whole: boolean): Promise<ArrayBuffer>;
  listen(handler: (event: Event) => void): Promise<void>;
  /** Reports when files start and stop hovering over the window. */
  onDropHover(handler: (hovering: boolean) => void): Promise<void>;
  /** Sets the title of the native window. */
  setTitle(title: string): Promise<void>;
}
