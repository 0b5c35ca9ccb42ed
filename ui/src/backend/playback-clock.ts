// Playback without sound: the play head of a replay, which advances by itself.

import type { Commands, DocumentView, Event, TransportView } from '../bindings';

const PERIOD_MS = 33;
const METERS = { peak_db: [-12, -13], rms_db: [-21, -22], clipped: 0, reductions: {}, tracks: {} };

export class PlaybackClock {
  readonly transport: TransportView = {
    moment: 0,
    document: null,
    audition: null,
    comparison: null,
    stems: null,
    documents_side: 'processed',
    matched_documents: [],
    playing: false,
    frame: 0,
    looping: false,
    side: 'processed',
    matched: false,
    matched_gain_db: null,
    stale: false,
    underruns: 0,
    muted_db: null,
    problem: null,
  };
  private readonly documents = new Map<number, DocumentView>();
  private until: number | null = null;

  constructor(private readonly emit: (event: Event) => void) {
    setInterval(() => this.tick(), PERIOD_MS);
  }

  /** Remembers the length and the selection of each document. */
  learn(documents: DocumentView[]): void {
    for (const document of documents) this.documents.set(document.id, document);
  }

  /** Answers a playback command. `auditioned` gives the core's answer for two tracks on one timeline, from 0. */
  command(name: string, args: unknown, auditioned: (from: Commands['library.audition']['args']) => TransportView): TransportView {
    const { transport } = this;
    switch (name) {
      case 'playback.play': {
        const { document, from_frame, until_frame } = args as Commands['playback.play']['args'];
        this.until = until_frame;
        return Object.assign(transport, { document, audition: null, comparison: null, frame: from_frame, playing: true, side: transport.documents_side, matched: transport.matched_documents.includes(document) });
      }
      case 'playback.stop':
        return Object.assign(transport, { playing: false });
      case 'playback.seek':
        this.moveTo((args as Commands['playback.seek']['args']).frame);
        return transport;
      case 'library.audition': {
        const { from_s, side, ...tracks } = args as Commands['library.audition']['args'];
        const { audition } = auditioned({ ...tracks, from_s: 0, side: null });
        Object.assign(transport, { document: null, audition, playing: true, side: side ?? transport.side });
        this.moveTo(Math.round(from_s * (audition?.rate ?? 0)));
        return transport;
      }
      case 'playback.set_side': {
        const { side } = args as Commands['playback.set_side']['args'];
        const heard = transport.audition !== null && transport.playing;
        return Object.assign(transport, heard ? { side } : { side, documents_side: side });
      }
      case 'playback.set_matched': {
        const { document, matched } = args as Commands['playback.set_matched']['args'];
        const others = transport.matched_documents.filter((each) => each !== document);
        transport.matched_documents = matched ? [...others, document] : others;
        if (transport.document === document) transport.matched = matched;
        return transport;
      }
      default:
        return Object.assign(transport, args);
    }
  }

  private moveTo(frame: number): void {
    const { transport } = this;
    transport.frame = frame;
    if (transport.audition) transport.audition.at_s = frame / transport.audition.rate;
  }

  private tick(): void {
    const { transport } = this;
    if (!transport.playing) return;
    const { audition } = transport;
    const document = this.documents.get(transport.document ?? -1);
    const rate = audition?.rate ?? document?.rate ?? 0;
    const end = audition ? audition.duration_s * audition.rate : Math.min(this.until ?? Infinity, document?.frames ?? 0);
    this.moveTo(transport.frame + Math.round((rate * PERIOD_MS) / 1000));
    const selection = document?.selection;
    if (transport.looping && selection && transport.frame >= selection.end) this.moveTo(selection.start);
    if (transport.frame >= end) transport.playing = false;
    this.emit({ kind: 'transport', transport, meters: METERS });
  }
}
