/** The client for programs against the same loop written with bare undici: the same requests to the same daemon, over connections kept open. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Agent, request } from 'undici';
import type * as Client from '../../../src/client/index.ts';
import type { Case } from '../bench.ts';
import type { Finding } from '../report.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';

const BUILT = pathToFileURL(fileURLToPath(new URL('../../../dist/client.js', import.meta.url))).href;
/** The client may add at most a fifth to the time of the loop. */
const LEAST_SHARE = 1 / 1.2;
/** Short turns, many of them: on a shared machine both arms must see the same neighbours. */
const TURNS_PER_ROUND = 25;

interface Loop {
  /** One request after the other for so long; how many were answered, and the CPU this process used for each, in microseconds. */
  (milliseconds: number): Promise<{ readonly rate: number; readonly cpu: number }>;
}

const getLoop =
  (once: () => Promise<unknown>, inFlight: number): Loop =>
  async (milliseconds) => {
    const until = performance.now() + milliseconds;
    const [started, before] = [performance.now(), process.cpuUsage()];
    let count = 0;
    const worker = async () => {
      for (; performance.now() < until; count += 1) await once();
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    const { user, system } = process.cpuUsage(before);
    return { rate: (count / (performance.now() - started)) * 1_000, cpu: (user + system) / count };
  };

export const clientCase: Case = {
  name: 'client',
  about: 'stockroom/client over bare undici',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const { stockroomClient } = (await import(BUILT)) as typeof Client;
    const [key = ''] = keys;
    return bench.using([bench.daemon({ directory: copy() })], async ({ url }) => {
      await using client = stockroomClient({ url, apiKey: key });
      const dispatcher = new Agent();
      const [item] = (await client.items.list({ page_size: 1 })).data;
      const id = item?.id ?? '';
      const bare = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ data: { id: string } }> => {
        const write = body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
        const answer = await request(url + path, {
          method,
          dispatcher,
          headers: { 'x-api-key': key, ...write },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (answer.statusCode > 299) throw new Error(`${path} answered ${String(answer.statusCode)}`);
        return (await answer.body.json()) as { data: { id: string } };
      };
      let names = 0;
      const draft = () => ({ name: `Bench ${String((names += 1))}`, salePrice: 1.5 });
      if ((await bare('GET', `/v1/items/${id}`)).data.id !== (await client.items.get(id)).data.id)
        throw new Error('the arms read different items');

      const compare = async (
        name: string,
        what: string,
        inFlight: number,
        ours: () => Promise<unknown>,
        theirs: () => Promise<unknown>,
      ): Promise<Finding> => {
        const loops = [getLoop(ours, inFlight), getLoop(theirs, inFlight)];
        const results: Awaited<ReturnType<Loop>>[][] = [[], []];
        for (const loop of loops) await loop(bench.effort.warmupMs);
        for (let turn = 0; turn < bench.effort.rounds * TURNS_PER_ROUND; turn += 1) {
          bench.say(`client, ${what}, turn ${String(turn + 1)}`);
          for (const index of rotated(2, turn)) results[index]?.push(await loops[index]!(bench.effort.measureMs / TURNS_PER_ROUND));
        }
        const [typed = [], undici = []] = results;
        const [rates, bareRates] = [typed.map(({ rate }) => rate), undici.map(({ rate }) => rate)];
        const [cpu, bareCpu] = [typed.map((turn) => turn.cpu), undici.map((turn) => turn.cpu)];
        return {
          case: name,
          what: `${what} with stockroom/client over bare undici`,
          ours: { value: median(rates), unit: '/s', cpu: median(cpu) },
          baseline: { value: median(bareRates), unit: '/s', cpu: median(bareCpu) },
          ratio: pairedRatio(rates, bareRates),
          target: { of: 'ratio', atLeast: LEAST_SHARE },
          detail: { typed, undici, cpuRatio: pairedRatio(cpu, bareCpu) },
        };
      };
      const path = `/v1/items/${id}`;
      return [
        await compare(
          'client-read',
          'read an item, one at a time,',
          1,
          () => client.items.get(id),
          () => bare('GET', path),
        ),
        await compare(
          'client-read-16',
          'read an item, 16 at a time,',
          16,
          () => client.items.get(id),
          () => bare('GET', path),
        ),
        await compare(
          'client-create',
          'create an item, one at a time,',
          1,
          () => client.items.create(draft()),
          () => bare('POST', '/v1/items', draft()),
        ),
      ];
    });
  },
};
