import { expect, test } from 'vitest';
import { shortCodecName } from '../src/pages/codecs/name';

test('of a model only the last part of its path is shown', () => {
  expect(shortCodecName('encodec:/home/me/models/encodec_24khz@6')).toBe('encodec:encodec_24khz@6');
  expect(shortCodecName('dac:C:\\models\\dac 44@7.7519')).toBe('dac:dac 44@7.7519');
  expect(shortCodecName('mimi:/a@b/mimi/@1.1')).toBe('mimi:mimi@1.1');
  expect(shortCodecName('opus:64')).toBe('opus:64');
  expect(shortCodecName('flac')).toBe('flac');
});
