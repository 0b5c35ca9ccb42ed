// The state behind the synthetic backend.

import type { Chain, DeviceReport, DevicesView, DocumentView, Event, JobView, PresetView, Rack, RecentFile, Settings, TransportView } from '../../bindings';
import { synthesise, type Recording } from './demo';
import { MockBatch } from './batch';
import { MockLibrary, type LibraryKind } from './library/world';
import { check, read, write } from './notation';

export interface MockState {
  chain: Chain;
  resting: Chain;
  rack: Rack;
  name: string;
}

export interface MockDocument {
  view: DocumentView;
  recording: Recording;
  past: MockState[];
  future: MockState[];
  resting: Chain;
  gesture: number | null;
  exact: boolean;
}

const CPU: DeviceReport = { requested: 'auto', used: 'cpu', name: 'CPU, 8 threads', reason: 'faster for this chain than the transfer to the GPU', fallback: false };

export const PRESETS: PresetView[] = [
  { name: 'Speech clean-up', text: 'highpass(80 Hz, order=4) | peaking(3 kHz, q=1, gain=2.5 dB) | high_shelf(9 kHz, gain=-2 dB)', factory: true, task: 'Podcast and speech', problem: null },
  { name: 'Telephone', text: 'bandpass(300 Hz, high=3.4 kHz, order=4)', factory: true, task: 'Telephone and radio', problem: null },
  { name: 'My vinyl', text: 'highpass(18 Hz, order=4) | notch(50 Hz, q=20)', factory: false, task: null, problem: null },
];

let synthesised: Recording | null = null;

export class World {
  readonly documents = new Map<number, MockDocument>();
  readonly handlers: ((event: Event) => void)[] = [];
  readonly jobs = new Map<number, JobView>();
  active: number | null = null;
  presets: PresetView[] = [...PRESETS];
  recent: RecentFile[] = [
    { id: 1, name: 'interview take 3.wav', folder: '~/Recordings' },
    { id: 2, name: 'rehearsal.flac', folder: '~/Music/2026' },
  ];
  settings: Settings = {
    theme: 'system',
    device: 'auto',
    output: null,
    mute_when_too_loud: true,
    cache_mib: 256,
    export: { format: 'wav', bits: '24', dither: 'tpdf', range: null, rate: null, tail: false, lossy: { vorbis_quality: 5, opus_kbps: null, opus_constrained: false, opus_complexity: 10, opus_application: 'audio', mp3_quality: 2, mp3_kbps: null }, loudness: null },
    spectrogram: {
      analysis: { method: 'fourier', bins_per_octave: 36, window: 'hann', window_frames: 2048, padding: 2, scale: 'mel' },
      display: { colours: 'undertone', gain_db: 20, range_db: 80, blend: 0.6, channels: 'each', compare: 'off', time_ruler: 'time', frequency_ruler: 'hz', bpm: 120, beats_per_bar: 4 },
    },
    analyser: { open: false, window: 'hann', window_frames: 4096, averaging: 'fast', hold: 'off', channels: 'mix', slope: '0', low_db: -96, high_db: 0 },
    loudness: { lane: false, target_lufs: -23 },
    library: { watch: false, columns: [], sort: [], weights: {}, similar_count: 25, matched: true },
    effect_uses: {},
    panes: {},
  };
  transport: TransportView = {
    document: null,
    audition: null,
    playing: false,
    frame: 0,
    looping: false,
    side: 'processed',
    matched: false,
    matched_gain_db: null,
    stale: false,
    underruns: 0,
    muted_db: null,
    output: { id: 'built-in', name: 'Built-in speakers', rate: 48_000, channels: 2 },
    problem: null,
    heard_after_ms: null,
  };
  private nextDocument = 1;
  nextJob = 1;
  until: number | null = null;
  readonly library: MockLibrary;
  readonly batch: MockBatch;

  /** `tracks` is the size of the library. */
  constructor(tracks = 2000, kind: LibraryKind = 'usual') {
    this.library = new MockLibrary(tracks, kind, (event) => this.emit(event));
    this.batch = new MockBatch(this);
  }

  emit(event: Event): void {
    for (const handler of this.handlers) handler(structuredClone(event));
  }

  document(id: number): MockDocument {
    const found = this.documents.get(id);
    if (!found) throw { code: 'invalid', message: `document does not exist: ${id}`, notation: null };
    return found;
  }

  open(name: string, chainText = ''): MockDocument {
    synthesised ??= synthesise();
    const recording = synthesised;
    const frames = recording.channels[0]?.length ?? 0;
    let last = 0;
    const chain = check(chainText) === null ? read(chainText, () => ++last) : { nodes: [] };
    const id = this.nextDocument++;
    const view: DocumentView = {
      id,
      name,
      sources: [
        {
          name,
          folder: '~/Music',
          format: 'WAV',
          codec: 'PCM 16 bit',
          duration_s: frames / recording.rate,
          tags: {},
          warnings: name.includes('damaged') ? ['The file ends early: 20.0 s of 31.4 s could be read.'] : [],
          missing: null,
        },
      ],
      rate: recording.rate,
      channels: recording.channels.length,
      frames,
      chain,
      chain_text: write(chain.nodes),
      length_ratio: 1,
      chain_problem: null,
      asked_files: [],
      rack: 'a',
      resting_text: '',
      selection: null,
      band: null,
      cursor_frame: 0,
      view: { start: 0, end: frames },
      undo: null,
      redo: null,
      waveform: { exact_share: 0, damage: [], failure: null },
      revision: 1,
    };
    const document: MockDocument = { view, recording, resting: { nodes: [] }, past: [], future: [], gesture: null, exact: false };
    this.documents.set(id, document);
    this.active = id;
    setTimeout(() => {
      document.exact = true;
      document.view.waveform.exact_share = 1;
      this.emit({ kind: 'peaks', document: id, waveform: document.view.waveform });
    }, 900);
    return document;
  }

  devices(): DevicesView {
    const limits = { 'Largest buffer': '2 GiB', 'Workgroup memory': '32 KiB' };
    return {
      request: this.settings.device,
      devices: [
        { id: 'cpu', name: 'CPU, 8 threads', backend: 'Rust', driver: 'AVX2', kind: 'cpu', tier: null, problem: null, passed_over: null, clock_refused: false, upload_bytes_s: null, readback_bytes_s: null, memory_bytes_s: 2.1e10, cascade_samples_s: 2.4e9, filter_operations_s: 4.8e10, spectra_points_s: 9.2e8, limits: {} },
        { id: 'gpu:0', name: 'Radeon RX 6600', backend: 'Vulkan', driver: 'RADV 25.2', kind: 'discrete', tier: 'full', problem: null, passed_over: null, clock_refused: false, upload_bytes_s: 1.21e10, readback_bytes_s: 1.08e10, memory_bytes_s: 2.1e11, cascade_samples_s: 7.9e9, filter_operations_s: 1.9e12, spectra_points_s: 6.1e9, limits },
        { id: 'gpu:1', name: 'llvmpipe (LLVM 19)', backend: 'Vulkan', driver: 'Mesa 25.2', kind: 'software', tier: 'basic', problem: null, passed_over: null, clock_refused: false, upload_bytes_s: null, readback_bytes_s: null, memory_bytes_s: null, cascade_samples_s: null, filter_operations_s: null, spectra_points_s: null, limits },
        { id: 'gpu:2', name: 'Intel UHD 620', backend: 'OpenGL', driver: 'Mesa 25.2', kind: 'integrated', tier: null, problem: 'has no compute shaders', passed_over: 'OpenGL is used only when asked for', clock_refused: false, upload_bytes_s: null, readback_bytes_s: null, memory_bytes_s: null, cascade_samples_s: null, filter_operations_s: null, spectra_points_s: null, limits: {} },
      ],
      preview: this.report(),
      spectrogram: this.report(),
      last_job: { device: this.report(), seconds: { decode: 0.21, upload: 0, kernels: 0.34, readback: 0, encode: 0.18, total: 0.52 } },
      pool_hits: 412,
      pool_misses: 9,
    };
  }

  report(): DeviceReport {
    const requested = this.settings.device;
    if (requested === 'auto' || requested === 'cpu') return { ...CPU, requested, reason: requested === 'cpu' ? 'as asked' : CPU.reason };
    if (requested === 'gpu:2') return { ...CPU, requested, reason: 'Intel UHD 620 has no compute shaders', fallback: true };
    return { requested, used: 'gpu:0', name: 'Radeon RX 6600', reason: 'as asked', fallback: false };
  }
}
