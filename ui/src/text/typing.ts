// Words about values that are typed.

import { message } from './message';

export const typing = {
  noNumber: {
    hz: 'Not a frequency. Type 440, 1.2 kHz, or a note such as A4.',
    dB: 'Not a level. Type −3 or −3 dB.',
    'dB apart': 'Not a distance of levels. Type 6 or 6 dB.',
    LUFS: 'Not a loudness. Type −23 or −23 LUFS.',
    seconds: 'Not a time. Type 20 ms, 1.5 s or 1:02.5.',
    percent: 'Not a percentage. Type 50 or 50 %.',
    kbps: 'Not a bit rate. Type 6 or 6 kbit/s.',
    none: 'Not a number.',
  },
  orNote: message('{problem} A note works too: 1/8, 1/8d, 1/8t.', (problem: string) => ({ problem })),
  between: message('Allowed: {low} to {high}.', (low: string, high: string) => ({ low, high })),
  noPlace: {
    time: 'Not a time. Type 12.5, 1:02.5, 1:02:03 or 44100 samples.',
    samples: 'Not a place. Type a sample such as 44100, or a time such as 1:02.5.',
    beats: 'Not a place. Type a bar and beat such as 12:3, or a time such as 12.5 s.',
    film: 'Not a place. Type a time code such as 1:02:10, or a time such as 62.5 s.',
  },
  noLength: {
    time: 'Not a length. Type 2.5, 1:02.5, 250 ms or 44100 samples.',
    samples: 'Not a length. Type samples such as 44100, or a time such as 2.5 s.',
    beats: 'Not a length. Type beats such as 4, or a time such as 2.5 s.',
    film: 'Not a length. Type film frames such as 50, 2:10, or a time such as 2.5 s.',
  },
  inDropFrame: message('{problem} A second has the frames 0 to 29; the first second of a minute begins with 2, except of every tenth.', (problem: string) => ({ problem })),
  inFilm: message('{problem} A second has the frames 0 to {last}.', (problem: string, numbers: number) => ({ problem, last: numbers - 1 })),
  noLengthAtAll: 'A selection is at least one sample long.',
  beforeStart: 'The recording begins at 0.',
  beyondEnd: message('The recording ends at {end}.', (end: string) => ({ end })),
  barsFromOne: message('Bars and beats count from 1; a bar has {beats} beats.', (beats: number) => ({ beats })),
  startBeforeEnd: message('The start must be before the end, {end}.', (end: string) => ({ end })),
  endAfterStart: message('The end must be after the start, {start}.', (start: string) => ({ start })),
  lowBelowHigh: message('Must be below {high}.', (high: string) => ({ high })),
  highAboveLow: message('Must be above {low}.', (low: string) => ({ low })),
  beats: message('{beats} beats', (beats: string) => ({ beats })),
};

export const fieldMenu = { undo: 'Undo typing', redo: 'Redo typing', cut: 'Cut', copy: 'Copy', paste: 'Paste', all: 'Select all' };

/** Entries in the menus of the bars and of the pictures that are no commands. */
export const barMenus = {
  copyPosition: 'Copy position',
  copySelection: 'Copy times of the selection',
  copyLevels: 'Copy levels',
  resetClipping: 'Reset clipping',
  playFromHere: 'Play from here',
  copyValue: 'Copy value',
};

/** How times are written where they are read. */
export const timeFormats = {
  title: 'Time format',
  names: {
    ruler: 'Same as the time ruler',
    clock: 'Hours, minutes, seconds',
    seconds: 'Seconds',
    samples: 'Samples',
    beats: 'Bars and beats',
    film_24: 'Film frames, 24 per second',
    film_25: 'Film frames, 25 per second',
    film_29_97: 'Film frames, 29.97 per second',
    film_29_97_drop: 'Film frames, 29.97 per second, drop-frame',
    film_30: 'Film frames, 30 per second',
  },
  places: { clock: 'Clock', selection: 'Selection', cursor: 'Cursor' },
};

export const goTo = {
  title: 'Go to time',
  label: 'Time',
  go: 'Go',
  forms: {
    time: 'For example 12.5, 1:02.5, 1:02:03, or 44100 samples.',
    samples: 'For example 44100, or 1:02.5.',
    beats: 'For example bar and beat 12:3, or 12.5 s.',
    film: 'For example film frames 01:02:03:04, or 12.5 s.',
  },
};
