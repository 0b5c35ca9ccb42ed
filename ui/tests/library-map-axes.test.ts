import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { DimensionView } from '../src/bindings';
import { axisEnds, axisWords, endsOf } from '../src/pages/library/lib/map-axes';
import { App } from '../src/state/app.svelte';
import { text } from '../src/text/catalogue';
import { eventually, show } from './mounted';
import { recorded } from './recorded';

const named = (name: string) => ({ name }) as DimensionView;

describe('the directions of a map', () => {
  const dimensions = [named('tempo_bpm'), named('centroid_hz'), named('unheard_of')];

  it('are said by the words of the dimension that goes with them', () => {
    expect(endsOf({ dimension: 1, correlation: 0.8 }, dimensions)).toEqual(['darker', 'brighter']);
    expect(endsOf({ dimension: 1, correlation: -0.8 }, dimensions)).toEqual(['brighter', 'darker']);
    expect(axisWords({ dimension: 0, correlation: -0.625 }, dimensions, text.questions.map.leftRight)).toBe('Left to right: faster to slower (correlation 0.63)');
  });

  it('are not said where nothing goes with them', () => {
    expect(endsOf(null, dimensions)).toBeNull();
    expect(endsOf({ dimension: 2, correlation: 0.9 }, dimensions)).toBeNull();
    expect(endsOf({ dimension: 9, correlation: 0.9 }, dimensions)).toBeNull();
    expect(axisEnds('key')).toBeNull();
  });

  it('have words for every dimension of the library', async () => {
    const view = await recorded('library').call('library.view', {});
    for (const { name } of view.dimensions) expect(axisEnds(name), name).not.toBeNull();
  });
});

describe('the legend of the map', () => {
  const find = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);

  it('says what a point, its colour and its place mean, and how much is kept', async () => {
    const app = new App(recorded('library'));
    show(AppView, { app });
    await eventually(() => expect(app.ready).toBe(true));
    app.showPage('library');
    await eventually(() => expect(app.library.view).not.toBeNull());
    app.library.tab = 'map';
    await app.library.questions.map.make();
    await eventually(() => expect(find('map-legend')).not.toBeNull());
    const { data } = app.library.questions.map;
    const legend = find('map-legend')!;
    expect(legend.textContent).toContain('darker');
    expect(legend.textContent).toContain('one track');
    expect(data?.quality).not.toBeNull();
    expect(find('map-kept')?.textContent).toContain(`${Math.round((data?.quality?.kept ?? 0) * 100)}\u00a0%`);
    expect(document.querySelectorAll('[data-testid="map-direction"]').length).toBe([data?.across, data?.down].filter(Boolean).length);
    find('map-legend-toggle')?.click();
    flushSync();
    expect(find('map-legend')).toBeNull();
  });
});
