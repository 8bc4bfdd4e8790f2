import { expect, test } from 'vitest';
import { EXIT } from '../errors/exit-codes.ts';
import { events } from '../../contract/events.ts';
import { HELP_TOPICS } from './topics.ts';

test('help topics fit 80 columns', () => {
  for (const [name, { text }] of Object.entries(HELP_TOPICS))
    for (const line of text.split('\n')) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(80);
});

test('the help topic exit-codes describes all exit codes', () => {
  for (const code of Object.values(EXIT)) expect(HELP_TOPICS['exit-codes']?.text).toMatch(new RegExp(`^ +${String(code)}  \\S`, 'mu'));
});

test('the help topic events lists all events', () => {
  for (const name of Object.keys(events)) expect(HELP_TOPICS['events']?.text).toContain(`\n  ${name} `);
});
