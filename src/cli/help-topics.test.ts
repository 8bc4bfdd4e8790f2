import { expect, test } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { HELP_TOPICS } from './help-topics.ts';

test('every topic fits a terminal of 80 columns', () => {
  for (const [name, { text }] of Object.entries(HELP_TOPICS))
    for (const line of text.split('\n')) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(80);
});

test('the exit codes that commands use are all explained', () => {
  for (const code of Object.values(EXIT)) expect(HELP_TOPICS['exit-codes']?.text).toMatch(new RegExp(`^ +${String(code)}  \\S`, 'mu'));
});
