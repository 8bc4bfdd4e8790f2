import { expect, test } from 'vitest';
import { formatOverview } from './stockroom-help.ts';

test('the overview lists all topics, no others, and fits 80 columns', () => {
  const text = formatOverview(['items', 'usage', 'daemon', 'keys', 'novelty'], ['start', 'stop'], 'npx stockroom', 80);
  for (const name of ['items', 'usage', 'daemon', 'keys', 'novelty']) expect(text).toMatch(new RegExp(`^ {2}\\w+ +.*\\b${name}\\b`, 'mu'));
  expect(text).toMatch(/^ {2}shortcuts +start, stop$/mu);
  expect(text).not.toContain('contacts');
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});
