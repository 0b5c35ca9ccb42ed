// The calls that the interface makes to the core, or in a plain browser to the core's recorded answers.

import type { Commands, CompareSound, DocumentId, Event, LoudnessQuery, MonitorQuery, Side, SpectrogramTile, TrackId } from '../bindings';

export type CommandName = keyof Commands;

export interface Backend {
  call<K extends CommandName>(name: K, args: Commands[K]['args']): Promise<Commands[K]['result']>;
  /** Minima, maxima and RMS of `columns` even parts of `[start, end)` of a side, as `decodePeaks` reads them. */
  peaks(document: DocumentId, side: Side, start: number, end: number, columns: number): Promise<ArrayBuffer>;
  /** The peaks of a track before its rack. */
  trackPeaks(document: DocumentId, track: TrackId, start: number, end: number, columns: number): Promise<ArrayBuffer>;
  /** The samples of `[start, end)` of a side, as `decodeSamples` reads them. */
  samples(document: DocumentId, side: Side, start: number, end: number): Promise<ArrayBuffer>;
  /** The levels of a part of a spectrogram, as `decodeCodes` reads them; fails as cancelled when it waited while the view changed. */
  spectrogram(document: DocumentId, tile: SpectrogramTile): Promise<ArrayBuffer>;
  /** The analysis of the sound that is heard now, as `decodeMonitor` reads it. */
  monitor(query: MonitorQuery): Promise<ArrayBuffer>;
  /** Loudness over time of one side, as `decodeLoudness` reads it; the first question begins the measurement. */
  loudness(document: DocumentId, query: LoudnessQuery): Promise<ArrayBuffer>;
  /** The peaks of a version or a difference, as `decodePeaks` reads them. */
  comparePeaks(sound: CompareSound, start: number, end: number, columns: number): Promise<ArrayBuffer>;
  /** The samples of a version or a difference, as `decodeSamples` reads them. */
  compareSamples(sound: CompareSound, start: number, end: number): Promise<ArrayBuffer>;
  /** The levels of one of two sounds that are drawn over each other, as `decodeCodes` reads them; the tile's side says of which. */
  compareSpectrogram(original: CompareSound, processed: CompareSound, tile: SpectrogramTile): Promise<ArrayBuffer>;
  /** The map of the library as it was laid out last, as `decodeMap` reads it; its points only if `whole`. */
  map(whole: boolean): Promise<ArrayBuffer>;
  listen(handler: (event: Event) => void): Promise<void>;
  /** Tells when files hover over the window, and when they no longer do. */
  onDropHover(handler: (hovering: boolean) => void): Promise<void>;
  /** Puts words into the title bar of the native window. */
  setTitle(title: string): Promise<void>;
}
