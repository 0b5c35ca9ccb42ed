// Words of the help page.

export const help = {
  title: 'Help',
  guides: 'Guides',
  search: 'Search the help',
  clear: 'Clear the search',
  found: (count: number) => (count === 0 ? 'Nothing found. Try another word.' : count === 1 ? '1 place' : `${count} places`),
  results: 'Found places',
  contents: 'Contents',
  back: 'Back',
  close: 'Close the help',
  groups: { guides: 'Guides', figures: 'Figures' },
  open: (guide: string) => `Help: ${guide}`,
  names: {
    tour: 'Tour in ten pictures',
    seeing: 'Seeing sound',
    library: 'Library',
    features: 'Features of a recording',
    tags: 'Tags',
    devices: 'Devices',
    effects: 'Effects, measured',
    measured: 'Measurements',
  },
  loading: 'Reading…',
};
