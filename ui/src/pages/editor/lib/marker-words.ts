// Markers in words.

import type { MarkerView } from '../../../bindings';
import { text } from '../../../text/catalogue';
import { placeText, type Clock } from '../../../lib/time-input';

const t = text.markers;

/** The name of a marker, or the words for one without a name. */
export const markerHeading = ({ name }: MarkerView): string => (name === '' ? t.noName : name);

/** Kind, name and place of a marker. */
export const markerTitle = (marker: MarkerView, clock: Clock): string =>
  marker.end_frame === null ? t.place(markerHeading(marker), placeText(marker.start_frame, clock)) : t.range(markerHeading(marker), placeText(marker.start_frame, clock), placeText(marker.end_frame, clock));
