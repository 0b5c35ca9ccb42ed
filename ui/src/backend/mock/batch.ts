// Many files through one chain, without files: what the synthetic backend answers for the batch.

import type { BatchItem, BatchPhase, BatchSettings, BatchStatus, BatchView } from '../../bindings';
import { failure, type Handlers } from './handlers';
import type { World } from './world';

const NAMES = ['interview 1.wav', 'interview 2.wav', 'broken.wav', 'notes/intro.flac', 'notes/outro.mp3'];
const STEP = 0.25;

export class MockBatch {
  items: BatchItem[] = [];
  output: string | null = null;
  phase: BatchPhase = 'idle';
  settings: BatchSettings;
  takesDrops = false;
  private next = 1;
  private job: number | null = null;
  /** What earlier runs have finished, by input. */
  private readonly finished = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly stepMs = 20,
  ) {
    this.settings = { chain: { kind: 'rack' }, export: { ...world.settings.export, range: null }, own_bits: true, template: '{folder}/{name}.{ext}', overwrite: false, resume: true, jobs: null };
  }

  add(names: string[]): void {
    for (const path of names) {
      const [name = '', ...folders] = path.split('/').reverse();
      const broken = name.startsWith('broken');
      if (this.items.some((item) => item.name === name)) continue;
      this.items.push({ id: this.next++, name, folder: ['~/Recordings', ...folders.reverse()].join('/'), kind: broken ? null : 'WAV, 48000 Hz, stereo', duration_s: broken ? null : 61.5, target: null, exists: false, state: 'waiting', share: 0, failure: broken ? failure('malformed', 'this is not audio that can be recognised: ~/Recordings/broken.wav') : null, result: null, warnings: [] } as BatchItem);
    }
    this.name();
  }

  name(): void {
    const { template, export: written } = this.settings;
    const wrong = this.templateProblem() !== null;
    this.items.forEach((item, at) => {
      const [stem = ''] = item.name.split(/\.(?=[^.]*$)/);
      const folder = item.folder.replace(/^~\/Recordings\/?/, '');
      const facts: Record<string, string> = { name: stem, folder, ext: written.format === 'vorbis' ? 'ogg' : written.format, number: `${at + 1}`, title: stem, artist: 'Ada' };
      item.target = wrong ? null : template.replace(/\{(\w+)(?::(\d+))?(?:\|([^}]*))?\}/g, (_, field: string, width = '0', instead?: string) => (facts[field] ?? instead ?? `Unknown ${field}`).padStart(Number(width), '0')).replace(/^\//, '');
    });
  }

  private templateProblem(): string | null {
    const { template } = this.settings;
    return template === '' || (template.match(/\{/g) ?? []).length !== (template.match(/\}/g) ?? []).length ? `naming template: got ${template}, allowed is a closing brace for each opening one` : null;
  }

  private get chain(): string {
    const { chain } = this.settings;
    if (chain.kind === 'none') return '';
    if (chain.kind === 'preset') return this.world.presets.find((preset) => preset.name === chain.name)?.text ?? '';
    return this.world.active === null ? '' : this.world.document(this.world.active).view.chain_text;
  }

  status(): BatchStatus {
    return { phase: this.phase, job: this.job, chain: this.chain, output: this.output, jobs: this.settings.jobs ?? 2, chain_problem: null, template_problem: this.templateProblem(), unread: 0, failure: null };
  }

  view(): BatchView {
    return { items: this.items, settings: this.settings, status: this.status() };
  }

  start(): void {
    for (const item of this.items) Object.assign(item, { state: 'waiting', share: 0, result: null, failure: item.kind === null ? item.failure : null });
    this.phase = 'running';
    this.job = this.world.nextJob++;
    const job = { id: this.job, purpose: 'batch' as const, title: `Process ${this.items.length} files`, state: 'running' as 'running' | 'done' | 'cancelled', done: 0, total: this.items.length * 1000, rate: 1, remaining_s: 3, result: null, failure: null };
    this.world.jobs.set(job.id, job);
    const timer = setInterval(() => {
      this.step();
      job.done = this.items.reduce((sum, item) => sum + (item.state === 'failed' ? 1 : item.share) * 1000, 0);
      if (this.phase === 'finished' || this.phase === 'cancelled') {
        clearInterval(timer);
        job.state = this.phase === 'finished' ? 'done' : 'cancelled';
      }
      this.world.emit({ kind: 'job', job });
      this.world.emit({ kind: 'batch_items', items: this.items, status: this.status() });
    }, this.stepMs);
  }

  private step(): void {
    if (this.phase === 'cancelled') {
      for (const item of this.items) if (item.state === 'running') Object.assign(item, { state: 'waiting', share: 0 });
      return;
    }
    const running = this.items.find((item) => item.state === 'running');
    const item = running ?? (this.phase === 'paused' ? undefined : this.items.find((each) => each.state === 'waiting'));
    if (!item) {
      if (this.phase === 'running') this.phase = 'finished';
      return;
    }
    if (item.kind === null) return void (item.state = 'failed');
    if (this.settings.resume && this.finished.has(item.name)) return void Object.assign(item, { state: 'skipped', share: 1 });
    Object.assign(item, { state: 'running', share: Math.min(1, item.share + STEP) });
    if (item.share < 1) return;
    this.finished.add(item.name);
    const frames = 61.5 * 48_000;
    Object.assign(item, { state: 'done', exists: true, result: { name: item.target, folder: this.output, frames, bytes: frames * 6, clipped: 0, peak_db: -1.2, device: this.world.report(), seconds: { decode: 0.1, upload: 0, kernels: 0.2, readback: 0, encode: 0.1, total: 0.3 }, loudness_gain_db: null, warnings: [] } });
  }
}

type BatchCommand = Extract<keyof Handlers, `${string}batch${string}`>;

export function batchHandlers(world: World): Pick<Handlers, BatchCommand> {
  const { batch } = world;
  const changed = (change: () => void): BatchView => {
    change();
    batch.name();
    return batch.view();
  };
  const phase = (to: BatchPhase): null => {
    if (batch.phase === 'running' || batch.phase === 'paused') batch.phase = to;
    return null;
  };
  return {
    batch: () => changed(() => undefined),
    add_batch_files: () => changed(() => batch.add(NAMES.slice(0, 3))),
    add_batch_folders: () => changed(() => batch.add(NAMES)),
    remove_batch_items: ({ items }) => changed(() => (batch.items = batch.items.filter((item) => !items.includes(item.id)))),
    clear_batch: () => changed(() => Object.assign(batch, { items: [], phase: 'idle' })),
    choose_batch_output: () => changed(() => (batch.output = '~/Processed')),
    set_batch: ({ settings }) => changed(() => (batch.settings = settings)),
    take_batch_drops: ({ on }) => {
      batch.takesDrops = on;
      return null;
    },
    start_batch: () => {
      batch.start();
      return batch.view();
    },
    pause_batch: () => phase('paused'),
    resume_batch: () => phase('running'),
    cancel_batch: () => phase('cancelled'),
    show_batch_file: () => null,
    save_batch_report: () => true,
  };
}
