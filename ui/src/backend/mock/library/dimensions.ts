// The 25 dimensions and the columns as the core describes them.

import type { DimensionView, LibraryColumn } from '../../../bindings';

type Row = [name: string, unit: string, low: number, high: number, decimals: number, weight: number, formula: string, meaning: string];

const ROWS: Row[] = [
  ['band_sub_bass', '', 0, 1, 3, 0.04, 'power of the channels’ mean from 20 to 60 Hz, over that from 20 Hz to 20 kHz', 'felt more than heard'],
  ['band_bass', '', 0, 1, 3, 0.06, 'the same from 60 to 250 Hz', 'bass and kick drum'],
  ['band_low_mid', '', 0, 1, 3, 0.05, 'the same from 250 to 500 Hz', 'warmth, or mud'],
  ['band_mid', '', 0, 1, 3, 0.06, 'the same from 500 Hz to 2 kHz', 'voices and most instruments'],
  ['band_upper_mid', '', 0, 0.5, 3, 0.05, 'the same from 2 to 4 kHz', 'bite and intelligibility'],
  ['band_presence', '', 0, 0.3, 3, 0.04, 'the same from 4 to 8 kHz', 'closeness, sibilance'],
  ['band_air', '', 0, 0.2, 3, 0.03, 'the same from 8 to 20 kHz', 'cymbals, breath, air'],
  ['loudness_lufs', 'LUFS', -40, -5, 1, 0.1, 'integrated loudness after ITU-R BS.1770-4, with both gates', 'how loud the whole is'],
  ['crest_db', 'dB', 3, 30, 1, 0.08, '20 log10(largest magnitude / RMS), over all channels', 'how far peaks stand out'],
  ['bass_mid_ratio_db', 'dB', -30, 30, 1, 0.05, '10 log10(power from 20 to 250 Hz / power from 250 Hz to 2 kHz)', 'dark or bright at the bottom'],
  ['tempo_bpm', 'BPM', 40, 200, 1, 0.08, 'the period at which onset strength repeats most clearly, 40 to 200 beats a minute', 'beats a minute'],
  ['rhythm_stability', '', 0, 1, 3, 0.04, '1 / (1 + standard deviation / mean) of the times between beats', '1: a machine keeps time'],
  ['transient_density', '1/s', 0, 12, 2, 0.04, 'onsets over the duration in seconds', 'how much happens'],
  ['silence_ratio', '', 0, 1, 3, 0.02, 'windows whose RMS over all channels is below -60 dB, over all windows', 'how much of it is silent'],
  ['centroid_hz', 'Hz', 200, 8000, 0, 0.05, 'mean over sounding windows of the centre of gravity of the magnitudes', 'brightness'],
  ['rolloff_hz', 'Hz', 500, 16_000, 0, 0.04, 'mean over sounding windows of the frequency below which 85 % of the magnitude lies', 'how far up it reaches'],
  ['flatness', '', 0, 1, 4, 0.03, 'mean over sounding windows of the geometric over the arithmetic mean of the power', '0: tones; 1: noise'],
  ['harmonic_ratio', '', 0, 1, 3, 0.04, 'H / (H + P) with the powers of the harmonic and the percussive component', 'what lasts against what strikes'],
  ['pitch_stability', '', 0, 1, 3, 0.03, 'mean over neighbouring windows with a pitch of 1 / (1 + |change| / 50 cents)', '1: pitch stands still'],
  ['chroma_energy', '', 0, 1, 3, 0.02, 'mean over sounding windows and pitch classes of the chroma, each window’s largest being 1', '0.08: one note at a time; 1: all at once'],
  ['dynamic_range_variation', '', 0, 1, 3, 0.02, 'v / (v + 6), v being the standard deviation in dB of the crest of stretches of 0.4 s', '0: always as dense'],
  ['loudness_variation_db', 'dB', 0, 10, 2, 0.02, 'standard deviation of the short-term loudness above -70 LUFS', 'quiet and loud passages'],
  ['peak_consistency', '', 0, 1, 3, 0.01, '1 / (1 + standard deviation / mean) of the largest magnitudes of stretches of 0.4 s', '1: peaks all as high'],
  ['stereo_width', '', 0, 1, 3, 0.02, 'S / (M + S), energies of half the difference and half the sum of the first two channels', '0: mono; 0.5: independent channels'],
  ['phase_correlation', '', -1, 1, 3, 0.01, 'sum l r / sqrt(sum l² sum r²) of the first two channels', 'below 0: cancels in mono'],
];

export const DIMENSIONS: DimensionView[] = ROWS.map(([name, unit, low, high, decimals, weight, formula, meaning]) => ({ name, unit, low, high, decimals, weight, formula, meaning }));

const column = (name: string, unit: string, meaning: string, numeric = unit !== ''): LibraryColumn => ({ name, unit, meaning, numeric });

export const COLUMNS: LibraryColumn[] = [
  column('title', '', 'title by its tags'),
  column('artist', '', 'artist by its tags'),
  column('album', '', 'album by its tags'),
  column('album_artist', '', 'artist of the album'),
  column('genre', '', 'genre by its tags'),
  column('year', '', 'year by its tags', true),
  column('track_no', '', 'number on its disc', true),
  column('disc_no', '', 'number of the disc', true),
  column('duration_s', 's', 'how long it lasts'),
  column('rate_hz', 'Hz', 'frames a second'),
  column('channels', '', 'channels', true),
  column('format', '', 'kind of file'),
  column('codec', '', 'how the audio is coded'),
  column('bit_rate', 'bit/s', 'bits a second'),
  column('bits', 'bit', 'bits a sample'),
  column('bandwidth_hz', 'Hz', 'up to where there is sound'),
  column('key', '', 'musical key, by its sound'),
  column('bytes', 'B', 'size of the file'),
  column('added_at', '', 'when it came into the library', true),
  column('state', '', 'where it stands'),
  column('reason', '', 'why it could not be analysed'),
  column('name', '', 'the file’s name'),
  column('folder', '', 'the folder that the file lies in'),
  ...DIMENSIONS.map((each) => column(each.name, each.unit, each.meaning, true)),
];
