import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import GainReduction from '../src/pages/editor/parts/rack/GainReduction.svelte';
import NumberField from '../src/kit/NumberField.svelte';
import Slider from '../src/kit/Slider.svelte';
import TransferPlot from '../src/pages/editor/parts/rack/TransferPlot.svelte';
import { App } from '../src/state/app.svelte';
import { by, eventually, key, show, until } from './mounted';
import { recorded, type Scene } from './recorded';

const DEMO_CHAIN = 'highpass(60 Hz, order=4) | peaking(240 Hz, q=1.2, gain=-3.5 dB) | (peaking(1 kHz, q=2, gain=3 dB) + gain(-6 dB)) | high_shelf(8 kHz, gain=2.5 dB)';

describe('what acts on the level', () => {
  it('shows by how much it turns the sound down', () => {
    show(GainReduction, { db: 6.24, playing: true, owner: 'Compressor' });
    flushSync();
    const meter = by('reduction');
    expect(meter.getAttribute('role')).toBe('meter');
    expect(meter.getAttribute('aria-label')).toBe('Gain reduction, Compressor');
    expect(meter.getAttribute('aria-valuetext')).toBe('6.2 dB');
    expect(meter.getAttribute('aria-valuenow')).toBe('6.2');
  });

  it('shows its static curve, in words too', () => {
    show(TransferPlot, { curve: [[-60, -60], [-40, -40], [-20, -20], [0, -15]], owner: 'Compressor' });
    flushSync();
    expect(by('transfer').getAttribute('aria-label')).toBe('Output level over input level, Compressor: −60 dB gives −60.0 dB; −40 dB gives −40.0 dB; −20 dB gives −20.0 dB; 0 dB gives −15.0 dB');
  });
});

describe('a slider', () => {
  const onchange = vi.fn();
  const render = (value: number) => {
    onchange.mockReset();
    show(Slider, { value, range: { min: 10, max: 20_000, scale: 'log' }, initial: 80, unit: 'hz', label: 'Cutoff', onchange, testid: 's' });
    flushSync();
    return by('s');
  };

  it('says its name, its bounds and its value with the unit', () => {
    const slider = render(1200);
    expect(slider.getAttribute('role')).toBe('slider');
    expect(slider.getAttribute('aria-label')).toBe('Cutoff');
    expect(slider.getAttribute('aria-valuetext')).toBe('1.2 kHz');
    expect(slider.getAttribute('aria-valuemin')).toBe('10');
    expect(slider.getAttribute('aria-valuemax')).toBe('20000');
    expect(slider.tabIndex).toBe(0);
  });

  it.each([
    ['ArrowRight', 1060],
    ['ArrowUp', 1060],
    ['ArrowLeft', 944],
    ['PageUp', 2000],
    ['PageDown', 500],
    ['Home', 10],
    ['End', 20_000],
  ])('goes from 1 kHz by %s to %d Hz', (name, value) => {
    const slider = render(1000);
    key(slider, name);
    expect(onchange.mock.calls[0]?.[0]).toBe(value);
  });

  it('makes one step of undo of keys that follow closely', () => {
    const slider = render(1000);
    key(slider, 'ArrowRight');
    key(slider, 'ArrowRight');
    expect(onchange.mock.calls[0]?.[1]).toBe(onchange.mock.calls[1]?.[1]);
  });

  it('goes back to its initial value on a double click', () => {
    render(1000).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    expect(onchange.mock.calls[0]?.[0]).toBe(80);
  });

  it('turns with the wheel only while it has the focus', () => {
    const slider = render(1000);
    slider.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, cancelable: true }));
    expect(onchange).not.toHaveBeenCalled();
    slider.focus();
    slider.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, cancelable: true }));
    expect(onchange).toHaveBeenCalledTimes(1);
  });
});

describe('a number that is typed', () => {
  const onchange = vi.fn();
  const render = () => {
    onchange.mockReset();
    show(NumberField, { value: 1200, allowed: { min: 20, max: 20_000, scale: 'log' }, unit: 'hz', label: 'Cutoff', onchange, testid: 'n' });
    flushSync();
    return by<HTMLInputElement>('n');
  };
  const type = (input: HTMLInputElement, text: string) => {
    input.value = text;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    key(input, 'Enter');
  };

  it('is understood with its unit or as a note, and refused beyond its bounds', () => {
    const input = render();
    expect(input.value).toBe('1.2 kHz');
    type(input, '2k');
    expect(onchange.mock.calls[0]?.[0]).toBe(2000);
    type(input, 'A4');
    expect(onchange.mock.calls[1]?.[0]).toBe(440);
    type(input, '99 kHz');
    expect(onchange).toHaveBeenCalledTimes(2);
    expect(by('n-problem').textContent).toBe('Allowed: 20 Hz to 20 kHz.');
    expect(input.getAttribute('aria-describedby')).toBe(by('n-problem').id);
  });

  it('is marked and not sent when it is not understood, and Escape brings the value back', () => {
    const input = render();
    type(input, 'loud');
    expect(onchange).not.toHaveBeenCalled();
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(by('n-problem').textContent).toContain('Not a frequency');
    input.blur();
    flushSync();
    expect([input.value, input.getAttribute('aria-invalid')]).toEqual(['loud', 'true']);
    key(input, 'Escape');
    expect(input.getAttribute('aria-invalid')).toBe('false');
    expect(input.value).toBe('1.2 kHz');
  });

  it('takes a note where one may stand, and steps to the next', () => {
    const onnote = vi.fn();
    onchange.mockReset();
    show(NumberField, { value: 0.25, allowed: { min: 0.001, max: 10, scale: 'log' }, unit: 'seconds', label: 'Time', onchange, note: '1/8', onnote, testid: 'n' });
    flushSync();
    const input = by<HTMLInputElement>('n');
    expect(input.value).toBe('1/8');
    key(input, 'ArrowUp');
    type(input, '1 / 8 d');
    expect(onnote.mock.calls.map((call) => call[0])).toEqual(['1/4t', '1/8d']);
    type(input, '350 ms');
    expect(onchange.mock.calls[0]?.[0]).toBe(0.35);
    type(input, '1/0');
    expect(input.getAttribute('aria-invalid')).toBe('true');
  });
});

describe('the window', () => {
  const settle = async () => {
    for (let i = 0; i < 8; i++) await new Promise((done) => setTimeout(done, 4));
    flushSync();
  };

  async function start(scene: Scene = 'demo'): Promise<App> {
    const app = new App(recorded(scene));
    show(AppView, { app });
    await until(() => app.ready);
    await settle();
    return app;
  }

  it('begins with an invitation and shows what was opened', async () => {
    const app = await start('empty');
    expect(by('empty-state').textContent).toContain('Drop a recording here');
    by('open-demo').click();
    await settle();
    expect(app.documents.active?.data.name).toBe('Undertone demo.wav');
    app.documents.active?.edit({ kind: 'set_chain_text', text: DEMO_CHAIN });
    await settle();
    for (const id of ['waveform', 'overview', 'rack', 'response', 'status-cursor', 'status-selection', 'chain-text', 'add-effect', 'play', 'stop', 'side-a', 'side-b', 'device-chip', 'slot-1', 'slot-3.1', 'live']) by(id);
    expect(document.querySelectorAll('[data-testid^="handle-"]').length).toBe(4);
  });

  it('says that it muted the sound until playback begins again, and the settings hold the switch', async () => {
    const app = await start();
    expect(document.querySelector('[data-testid="muted"]')).toBeNull();
    const told = (muted_db: number | null) => {
      app.player.take({ ...app.player.transport!, muted_db });
      flushSync();
      return document.querySelector('[data-testid="muted"]');
    };
    app.player.take(await app.backend.call('playback.stop', {}));
    expect(told(38.4)?.textContent).toContain('rose to +38 dB over full scale');
    told(38.4)?.querySelector('button')?.click();
    flushSync();
    expect(told(38.4)).toBeNull();
    // Told again the next time.
    expect(told(null)).toBeNull();
    expect(told(21)?.textContent).toContain('+21 dB');
    app.dialogs.open = 'settings';
    await settle();
    const mute = by<HTMLInputElement>('settings-mute');
    expect(mute.checked).toBe(true);
    mute.click();
    await settle();
    expect(app.settings.now.mute_when_too_loud).toBe(false);
  });

  it('adds an effect by what it is for, and the chain’s text follows', async () => {
    const app = await start();
    await app.documents.open('demo');
    await settle();
    key(document.body, 'e');
    await settle();
    const search = by<HTMLInputElement>('effect-search');
    search.value = 'hum';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    const options = [...document.querySelectorAll('[role="option"]')].map((option) => option.getAttribute('data-testid'));
    expect(options).toContain('effect-notch');
    expect(options).not.toContain('effect-gain');
    by('effect-notch').click();
    await settle();
    expect(by<HTMLTextAreaElement>('chain-text').value).toContain('notch(50 Hz, q=10)');
    expect(by('slot-5').querySelector('[data-testid="param-q"]')).not.toBeNull();
  });

  it('shows where a chain’s text is wrong and offers the nearest name', async () => {
    const app = await start();
    await app.documents.open('demo');
    await settle();
    const area = by<HTMLTextAreaElement>('chain-text');
    area.value = 'highpas(80 Hz)';
    area.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    expect(area.getAttribute('aria-invalid')).toBe('true');
    expect(document.querySelector('mark')?.textContent).toBe('highpas');
    const nearest = [...by('chain-problem').querySelectorAll('button')][0];
    expect(nearest?.textContent).toContain('highpass');
    nearest?.click();
    await settle();
    expect(area.getAttribute('aria-invalid')).toBe('false');
    key(area, 'Enter');
    await settle();
    expect(app.documents.active?.data.chain_text).toBe('highpass(80 Hz)');
  });

  it('gives every control a name', async () => {
    const app = await start();
    await app.documents.open('demo');
    await settle();
    const nameless = [...document.querySelectorAll('button, input, textarea, [role="slider"], [role="application"], [role="separator"]')].filter((element) => {
      const labelled = element.getAttribute('aria-label') || element.textContent?.trim() || element.closest('label')?.textContent?.trim();
      const byFor = element.id !== '' && document.querySelector(`label[for="${element.id}"]`);
      return !labelled && !byFor;
    });
    expect(nameless.map((element) => element.outerHTML.slice(0, 120))).toEqual([]);
  });

  it('goes round its regions with F6', async () => {
    const app = await start();
    await app.documents.open('demo');
    await settle();
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) {
      key(document.body, 'F6');
      seen.push(document.activeElement?.closest('[data-region]')?.getAttribute('data-region') ?? '');
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen).toContain('lanes');
    expect(seen).toContain('rack');
  });

  it('exports with the settings that were chosen and says what came of it', async () => {
    const app = await start();
    await app.documents.open('demo');
    await settle();
    // Loud enough to clip.
    app.documents.active?.edit({ kind: 'set_chain_text', text: 'gain(12 dB)' });
    await settle();
    key(document.body, 'E', { ctrlKey: true, shiftKey: true });
    await settle();
    // The forecast agrees with the outcome.
    await eventually(() => expect(by('export-level').textContent).toContain('43\u202f868 samples'));
    by('export-start').click();
    await settle();
    expect(app.dialogs.exportJob).not.toBeNull();
    const job = app.jobs.all.find((each) => each.id === app.dialogs.exportJob);
    expect(job?.state ?? 'running').toBe('running');
    await eventually(() => by('export-result'));
    expect(by('export-clipped').textContent).toContain('43\u202f868 samples');
    expect(by('export-device').textContent).toContain('CPU');
  });
});
