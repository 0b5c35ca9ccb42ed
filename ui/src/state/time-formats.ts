// How times are written at each read-out.

import type { TimeFormat, TimeFormats } from '../bindings';
import type { Clock } from '../lib/time-input';
import type { App } from './app.svelte';
import type { DocumentState } from './document.svelte';

export type ReadOut = keyof TimeFormats;

export const TIME_FORMATS: TimeFormat[] = ['ruler', 'clock', 'seconds', 'samples', 'beats', 'film_24', 'film_25', 'film_29_97', 'film_29_97_drop', 'film_30'];

/** The clock by which a read-out reads and writes times of a document. */
export const clockOf = (app: App, document: DocumentState, place: ReadOut): Clock => document.clock(app.settings.now.spectrogram.display, app.settings.now.time_formats[place]);

export const setTimeFormat = (app: App, place: ReadOut, format: TimeFormat): Promise<void> => app.settings.save({ time_formats: { ...app.settings.now.time_formats, [place]: format } });
