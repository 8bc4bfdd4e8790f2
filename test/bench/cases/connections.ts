/** How long the event loop stands still while thousands of clients connect at the same time and send a request each. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { API_KEY } from '../../../src/contract/headers.ts';
import { itemId } from '../catalog-rows.ts';
import type { Case } from '../bench.ts';
import { measuringDelay, readStalls } from '../read-event-loop-delay.ts';
import { median } from '../rounds.ts';

const CLIENTS = 2_000;
const TARGET_MS = 200;

export const connectionsCase: Case = {
  name: 'connections',
  about: 'event loop while 2,000 clients connect',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const file = join(bench.work, 'connection-stalls');
    const delays: number[] = [];
    const statuses: Record<string, number>[] = [];
    await bench.using([bench.daemon({ directory: copy(), ...measuringDelay(file) })], async (ours) => {
      for (let round = 0; round < bench.effort.rounds; round += 1) {
        bench.say(`connections, round ${String(round + 1)}`);
        await readStalls(ours, file);
        statuses.push(await connectAll(ours.port, keys[round % keys.length] ?? ''));
        delays.push((await readStalls(ours, file)).max);
      }
    });
    return [
      {
        case: 'connections',
        what: `longest event-loop delay while ${CLIENTS.toLocaleString('en')} clients connect and read an item`,
        ours: { value: median(delays), unit: 'ms' },
        target: { of: 'ours', atMost: TARGET_MS },
        detail: { delays, statuses },
      },
    ];
  },
};

/** Opens all connections, keeps them until each has a response, and counts the responses by status. */
async function connectAll(port: number, key: string): Promise<Record<string, number>> {
  const request = `GET /v1/items/${itemId(0)} HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\n${API_KEY}: ${key}\r\n\r\n`;
  const counts: Record<string, number> = {};
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  await Promise.all(
    sockets.map(async (socket) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      socket.once('connect', () => socket.write(request));
      socket.once('data', (data) => {
        resolve(data.toString('latin1').slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
      });
      socket.once('error', ({ message }) => {
        resolve(message);
      });
      socket.once('close', () => {
        resolve('closed');
      });
      const status = await promise;
      counts[status] = (counts[status] ?? 0) + 1;
    }),
  );
  for (const socket of sockets) socket.destroy();
  return counts;
}
