import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { openDemo, settle } from './demo-window';
import { by, find, key } from './mounted';

const chainText = () => by<HTMLTextAreaElement>('chain-text').value;

describe('two racks', () => {
  it('are switched by button and key, copied, and undone', async () => {
    await openDemo('gain(-3 dB)');
    expect(by('rack-a').getAttribute('aria-pressed')).toBe('true');
    by('rack-b').click();
    await settle();
    expect([by('rack-b').getAttribute('aria-pressed'), chainText()]).toEqual(['true', '']);
    expect(by('rack-a').title).toContain('gain(-3 dB)');
    key(document.body, 'q');
    await settle();
    expect(chainText()).toBe('gain(-3 dB)');
    key(document.body, 'Q', { shiftKey: true });
    await settle();
    key(document.body, 'q');
    await settle();
    expect([by('rack-b').getAttribute('aria-pressed'), chainText()]).toEqual(['true', 'gain(-3 dB)']);
    key(document.body, 'z', { ctrlKey: true });
    await settle();
    expect(by('rack-a').getAttribute('aria-pressed')).toBe('true');
    expect(by('rack-b').title).toContain('empty');
  });
});

describe('groups', () => {
  const focusSlot = (number: string) => by(`grip-${number}`).focus();

  it('are made of slots that are chosen by keyboard, turned and dissolved', async () => {
    const app = await openDemo('gain(-3 dB) | highpass(80 Hz, order=2) | normalize(-1 dB)');
    focusSlot('1');
    flushSync();
    key(by('grip-1'), 'ArrowDown', { shiftKey: true });
    expect(app.documents.active?.chosen.length).toBe(2);
    key(by('grip-1'), 'G', { ctrlKey: true, shiftKey: true });
    await settle();
    expect(chainText()).toContain('(gain(-3 dB) + highpass(80 Hz)) | normalize');
    expect(document.activeElement).toBe(by('slot-1'));
    key(by('grip-1'), 'u', { ctrlKey: true });
    await settle();
    expect(chainText()).toContain('gain(-3 dB) | highpass(80 Hz) | normalize');
  });

  it('are entered and left with Alt and the arrows', async () => {
    await openDemo('(gain(-3 dB) + gain(-6 dB)) | normalize(-1 dB)');
    focusSlot('2');
    flushSync();
    key(by('grip-2'), 'ArrowRight', { altKey: true });
    await settle();
    expect(chainText()).toBe('gain(-3 dB) + gain(-6 dB) + normalize');
    expect(document.activeElement).toBe(by('slot-1.3'));
    key(by('grip-1.3'), 'ArrowLeft', { altKey: true });
    await settle();
    expect(chainText()).toBe('(gain(-3 dB) + gain(-6 dB)) | normalize');
  });

  it('are chosen with the pointer and Ctrl or Shift', async () => {
    const app = await openDemo('gain(-3 dB) | gain(-6 dB) | gain(-9 dB)');
    focusSlot('1');
    const press = (number: string, init: PointerEventInit) => {
      by(`grip-${number}`).dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0, ...init }));
      flushSync();
    };
    press('3', { ctrlKey: true });
    expect(app.documents.active?.chosen.length).toBe(2);
    press('3', { ctrlKey: true });
    expect(app.documents.active?.chosen.length).toBe(1);
    press('3', { shiftKey: true });
    expect(app.documents.active?.chosen.length).toBe(3);
    expect(by('slot-2').getAttribute('aria-label')).toContain('selected');
  });
});

describe('the controls of a slot', () => {
  it('fold away what matters less, and say what of it was changed', async () => {
    await openDemo('compressor(-20 dB, link=50 %)');
    expect(find('param-threshold')).not.toBeNull();
    expect(find('param-link')).toBeNull();
    expect(by('more-parameters').textContent).toContain('8 more, 1 changed');
    by('more-parameters').click();
    flushSync();
    expect(find('param-link')).not.toBeNull();
    expect(by('more-parameters').textContent).toContain('Fewer');
  });

  it('are a switch for on and off, a row of words, or a list of many', async () => {
    const app = await openDemo('compressor(-20 dB)');
    by('more-parameters').click();
    flushSync();
    expect(by('param-auto_makeup').getAttribute('role')).toBe('switch');
    by('param-auto_makeup').click();
    await settle();
    expect(by('param-auto_makeup').getAttribute('aria-checked')).toBe('true');
    expect(by('param-detector').getAttribute('role')).toBe('radiogroup');
    key(by('param-detector').querySelector('[aria-checked="true"]')!, 'ArrowRight');
    await settle();
    expect(app.documents.active?.chain.nodes[0]).toMatchObject({ arguments: { auto_makeup: 'on', detector: 'rms' } });
    by('param-detector').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    await settle();
    expect(app.documents.active?.chain.nodes[0]).toMatchObject({ arguments: { detector: 'peak' } });
    app.documents.active?.edit({ kind: 'set_chain_text', text: 'highpass(80 Hz)' });
    await settle();
    expect(by('param-design').getAttribute('aria-label')).toContain('Butterworth');
  });

  it('let a file be chosen and show its name', async () => {
    const app = await openDemo('gain(-3 dB)');
    await app.addEffect('convolve');
    await settle();
    expect(by('param-file').textContent).toContain('Choose file');
    by('param-file').click();
    await settle();
    expect(by('param-file').textContent?.trim()).toBe('hall.wav');
    expect(by('param-file').title).toBe('/home/ada/rooms/hall.wav');
    expect(app.documents.active?.data.undo).not.toBeNull();
  });

  it('are faders for many gains, with keys and a typed value', async () => {
    const app = await openDemo('graphic_eq_10(b31_5=0 dB)');
    const fader = by('slider-b1k');
    expect([fader.getAttribute('role'), fader.getAttribute('aria-orientation')]).toEqual(['slider', 'vertical']);
    fader.focus();
    flushSync();
    key(fader, 'PageUp');
    await settle();
    expect(app.documents.active?.chain.nodes[0]).toMatchObject({ arguments: { b1k: 1.8 } });
    expect(by<HTMLInputElement>('param-b1k').value).toBe('+1.8 dB');
    key(fader, 'ArrowRight');
    expect(document.activeElement).toBe(by('slider-b2k'));
    fader.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    await settle();
    expect(app.documents.active?.chain.nodes[0]).toMatchObject({ arguments: { b1k: 0 } });
  });

  it('are a table for the bands of an equaliser', async () => {
    await openDemo('parametric_eq(gain1=3 dB)');
    expect(['param-center1', 'param-gain1', 'param-q1'].map((id) => by<HTMLInputElement>(id).value)).toEqual(['150 Hz', '+3 dB', '1']);
    expect(document.querySelectorAll('[data-testid^="handle-"]').length).toBe(8);
  });
});

it('effects that are used most stand first', async () => {
  const app = await openDemo('gain(-3 dB)');
  for (const effect of ['delay', 'notch', 'delay']) await app.addEffect(effect);
  await settle();
  expect(app.settings.now.effect_uses).toEqual({ delay: 2, notch: 1 });
  app.dialogs.open = 'add-effect';
  await settle();
  const options = [...document.querySelectorAll('[role="option"]')].map((option) => option.getAttribute('data-testid'));
  expect(options.slice(0, 2)).toEqual(['effect-delay', 'effect-notch']);
  expect(options.filter((id) => id === 'effect-delay').length).toBe(1);
});

it('presets stand under their tasks and are found by words of their chain', async () => {
  const app = await openDemo('gain(-3 dB)');
  app.dialogs.open = 'presets';
  await settle();
  const heads = () => [...document.querySelectorAll('[data-testid="presets-dialog"] h3')].map((head) => head.textContent);
  expect(heads()).toEqual(['Your presets', 'Podcast and speech', 'Music', 'Mastering', 'Restoration', 'Vinyl and tape', 'Telephone and radio', 'Birds and nature', 'Levels']);
  const search = by<HTMLInputElement>('preset-search');
  search.value = 'bandpass';
  search.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  expect(heads()).toEqual(['Telephone and radio', 'Birds and nature']);
});

describe('a chain that names files', () => {
  const asked = async (): Promise<void> => {
    await openDemo('gain(-3 dB) | convolve("/home/ada/rooms/hall.wav")');
    expect(by('asked-files').textContent).toContain('/home/ada/rooms/hall.wav');
  };

  it('reads them once they are allowed', async () => {
    await asked();
    by('allow-files').click();
    await settle();
    expect(find('asked-files')).toBeNull();
    expect(chainText()).toContain('convolve("/home/ada/rooms/hall.wav"');
  });

  it('goes on without them', async () => {
    await asked();
    by('leave-out').click();
    await settle();
    expect(find('asked-files')).toBeNull();
    expect(chainText()).toBe('gain(-3 dB)');
  });
});
