/** What other clients notice while one key sends bodies that are expensive to parse. */
import { API_KEY, IDEMPOTENCY_KEY } from '../../../src/contract/headers.ts';
import { BODY_MAX_BYTES } from '../../../src/contract/limits.ts';
import type { Case } from '../bench.ts';
import type { Arm } from '../servers.ts';
import { readOne } from '../requests.ts';
import { median } from '../rounds.ts';

const CONNECTIONS = 4;
/** 86 such bodies in 12 seconds once raised the median of all other clients to 1.5 s. */
const PAUSE_MS = 12_000 / 86;
const P99_MAX_MS = 50;

/** Leaves some room for what stands around it. */
const fill = (part: string) => part.repeat(Math.floor((BODY_MAX_BYTES - 64) / part.length));

const LINES = Array.from({ length: 500 }, () => ({ itemId: {}, quantity: {}, unitPrice: {}, notes: {}, siteId: {} }));

/** Each body is at most 1 MiB, and the service has to reject it with 400. */
const BODIES: readonly { readonly path: string; readonly body: string }[] = [
  { path: '/v1/items', body: JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`f${String(at)}`, 1]))) },
  { path: '/v1/items', body: `{"name":[${fill('[],')}[]]}` },
  { path: '/v1/items', body: `{"name":${'['.repeat(BODY_MAX_BYTES / 4)}${']'.repeat(BODY_MAX_BYTES / 4)}}` },
  { path: '/v1/items', body: JSON.stringify({ name: fill('x') }) },
  { path: '/v1/orders', body: `{"module":"sell","lines":[${fill('{"x":1},')}{}]}` },
  { path: '/v1/orders', body: JSON.stringify({ module: 'sell', lines: LINES }) },
];

export const hostileBodiesCase: Case = {
  name: 'hostile-bodies',
  about: 'reads of other clients while one key sends bodies that are expensive to parse',
  async run(bench) {
    const { keys, copy } = await bench.data();
    return bench.using([bench.daemon({ directory: copy() })], async (daemon) => {
      bench.say('reads during hostile bodies');
      const [hostileKey = '', ...otherKeys] = keys;
      const job = { connections: CONNECTIONS, shots: readOne(otherKeys, bench.rows), port: daemon.port, pid: daemon.pid };
      const { warmupMs, measureMs } = bench.effort;
      const [alone, during] = [[], []] as [number[], number[]];
      let sent = 0;
      for (let round = 0; round < bench.effort.rounds; round += 1) {
        alone.push((await bench.load.run({ ...job, warmupMs, measureMs })).p99);
        const sending = new AbortController();
        const hostile = sendBodies(daemon, hostileKey, sending.signal);
        // Awaited after the measurement.
        hostile.catch(() => undefined);
        during.push((await bench.load.run({ ...job, warmupMs, measureMs })).p99);
        sending.abort();
        sent += await hostile;
      }
      return [
        {
          case: 'hostile-bodies',
          what: `p99 of a read during hostile bodies, ${String(CONNECTIONS)} connections`,
          ours: { value: median(during), unit: 'ms' },
          baseline: { value: median(alone), unit: 'ms' },
          target: { of: 'ours', atMost: P99_MAX_MS },
          detail: { alone, during, sent },
        },
      ];
    });
  },
};

/** Sends the bodies in turn, at the same interval. Returns their number. */
async function sendBodies({ url }: Arm, key: string, signal: AbortSignal): Promise<number> {
  let sent = 0;
  while (!signal.aborted) {
    const { path, body } = BODIES[sent % BODIES.length]!;
    const headers = { [API_KEY]: key, [IDEMPOTENCY_KEY]: `hostile-${String(sent)}`, 'content-type': 'application/json' };
    const startedAt = performance.now();
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 400) throw new Error(`POST ${path} was answered ${String(response.status)}: ${text.slice(0, 200)}`);
    sent += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, PAUSE_MS - (performance.now() - startedAt))));
  }
  return sent;
}
