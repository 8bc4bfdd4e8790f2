/** Pages of the change log, over pages of a list from the same daemon. */
import { API_KEY } from '../../../src/contract/headers.ts';
import { PAGE_SIZE_MAX } from '../../../src/contract/limits.ts';
import type { Case } from '../bench.ts';
import { measure } from '../rounds.ts';
import { createItem, eventPages, listPages } from '../requests.ts';
import type { Arm } from '../servers.ts';
import { compared } from './http.ts';

const CONNECTIONS = 16;
/** Milliseconds of creates, which leave some thousand events. */
const FILL_MS = 3_000;

export const eventsCase: Case = {
  name: 'events',
  about: 'pages of 200 events over pages of 200 items',
  async run(bench) {
    const { keys, copy } = await bench.data();
    return bench.using([bench.daemon({ directory: copy() })], async (arm) => {
      if (!arm) throw new Error('an arm is missing');
      const what = 'page of 200 events over a page of 200 items, 16 connections';
      bench.say(what);
      const fill = { connections: CONNECTIONS, shots: createItem(keys), warmupMs: 0, measureMs: FILL_MS };
      await bench.load.run({ ...fill, port: arm.port, pid: arm.pid });
      const cursors = await readCursors(arm, keys[0] ?? '');
      const shots = [eventPages(keys, cursors, PAGE_SIZE_MAX), listPages(keys, bench.rows, PAGE_SIZE_MAX)];
      const contenders = shots.map((each) => ({ arm, job: { connections: CONNECTIONS, shots: each } }));
      const [events = [], lists = []] = await measure(bench.load, contenders, bench.effort);
      return [compared({ name: 'events', what, target: { of: 'ratio', atLeast: 0.6 } }, events, lists)];
    });
  },
};

/** The cursors of all full pages. */
async function readCursors(arm: Arm, key: string): Promise<string[]> {
  const cursors = [''];
  for (;;) {
    const query = `cursor=${cursors.at(-1) ?? ''}&limit=${String(PAGE_SIZE_MAX)}`;
    const reply = await fetch(`${arm.url}/v1/events?${query}`, { headers: { [API_KEY]: key } });
    const { data, pagination } = (await reply.json()) as {
      readonly data: readonly unknown[];
      readonly pagination: { readonly nextCursor: string; readonly hasMore: boolean };
    };
    if (!pagination.hasMore || data.length < PAGE_SIZE_MAX) return cursors.slice(0, -1);
    cursors.push(pagination.nextCursor);
  }
}
