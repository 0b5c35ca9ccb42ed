import { describe, expect, it } from 'vitest';
import type { AdapterCheck } from '../src/bindings';
import { closestCheck, failedChecks } from '../src/state/verification.svelte';

const kernel = (name: string, error_db: number | null, limit_db: number | null, passed = true): AdapterCheck['kernels'][number] => ({
  kernel: name,
  size: 4099,
  error_db,
  limit_db,
  passed,
  problem: null,
  ms: 1,
  bytes: 1,
  operations: 1,
  gb_s: 1,
  share: 1,
});

const adapter = (kernels: AdapterCheck['kernels']): AdapterCheck => ({
  id: 'gpu:0',
  name: 'A card',
  backend: 'Vulkan',
  driver: '1',
  kind: 'discrete',
  left_out: null,
  problem: null,
  kernels,
  jobs: [{ job: 'chain', passed: false, problem: null, difference: -90, limit: -108, unit: 'dB', cpu_s: 1, gpu_s: 1 }],
});

describe('a verified adapter', () => {
  it('counts kernels and jobs that failed', () => {
    expect(failedChecks(adapter([kernel('stft', -130, -120), kernel('yin', -80, -100, false)]))).toBe(2);
  });

  it('shows the check that comes closest to its limit', () => {
    const checks = [kernel('stft', -130, -120), kernel('chroma', -45, -40), kernel('median', null, null), kernel('yin', -80, -100, false)];
    expect(closestCheck(adapter(checks))?.kernel).toBe('chroma');
    expect(closestCheck(adapter([kernel('median', null, null)]))).toBeNull();
  });
});
