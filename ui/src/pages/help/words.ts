// Words of the help page.

import { message } from '../../text/message';

export const help = {
  title: 'Help',
  guides: 'Guides',
  search: 'Search the help',
  clear: 'Clear the search',
  found: message('{count, plural, =0 {Nothing found. Try another word.} one {# place} other {# places}}', (count: number) => ({ count })),
  results: 'Found places',
  contents: 'Contents',
  back: 'Back',
  close: 'Close the help',
  groups: { guides: 'Guides', figures: 'Figures' },
  open: message('Help: {guide}', (guide: string) => ({ guide })),
  names: {
    tour: 'Tour in ten pictures',
    editing: 'Editing',
    recording: 'Recording and live sound',
    seeing: 'Seeing sound',
    library: 'Library',
    features: 'Features of a recording',
    compare: 'Comparing versions',
    codecs: 'What codecs do',
    models: 'Models',
    stems: 'Stems',
    tags: 'Tags',
    markers: 'Markers',
    devices: 'Devices',
    effects: 'Effects, measured',
    signals: 'Test signals',
    measured: 'Measurements',
  },
  loading: 'Reading…',
};
