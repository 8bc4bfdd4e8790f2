import { expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { Foreign, Unreachable } from '../client/errors.ts';
import { paceMs, pollDeliveries } from './poll.ts';

/** Asks a service whose answers are these, one after the other; ends with the last. */
async function polled(answers: readonly Error[]): Promise<{ notes: string[]; end: unknown }> {
  const notes: string[] = [];
  const left = [...answers];
  const client = { send: () => Promise.reject(left.shift() ?? new Error('no more')) } as unknown as Client;
  const rows = pollDeliveries({ client, query: { webhook_id: 'w' }, since: undefined, note: (text) => notes.push(text) });
  const end = await rows.next().catch((error: unknown) => error);
  return { notes, end };
}

test('a service that does not answer is told once, however long that lasts', async () => {
  const { notes } = await polled(Array.from({ length: 3 }, () => new Unreachable('http://x', 'nobody')));
  expect(notes).toEqual(['the service does not answer; trying again']);
});

test('something else than a service ends it', async () => {
  const foreign = new Foreign('/v1/webhooks', 'what answered is no stockroom service');
  expect(await polled([foreign])).toEqual({ notes: [], end: foreign });
});

test.for([1, 60, 300, 10_000])('a key that may send %i a minute keeps at least half of them', (limit) => {
  expect(60_000 / paceMs(limit)).toBeLessThanOrEqual(limit / 2);
});
