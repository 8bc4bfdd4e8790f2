/** What test suites wait for: resets and copies of a tenant, and how much recording slows creates down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import type { Finding } from '../report.ts';
import { createItem } from '../requests.ts';
import { median, measure } from '../rounds.ts';
import { compared } from './http.ts';

const CONNECTIONS = 16;
const RECORDING_MIN_RATIO = 0.9;
const RESETS = 200;
const COPIES = 1_000;
const QUICK = 20;
const RESET_MAX_MS = 20;
const COPY_P99_MAX_MS = 20;
const PERCENT_99 = 0.99;
/** Of the demo data. */
const slug = 'kestrel-coffee';

export const recordingCase: Case = {
  name: 'recording',
  about: 'durable creates while requests are recorded',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const servers = [bench.daemon({ directory: copy(), flags: ['--record'] }), bench.daemon({ directory: copy() })];
    return bench.using(servers, async (...arms) => {
      const job = { connections: CONNECTIONS, shots: createItem(keys) };
      bench.say('recording');
      const [recorded = [], plain = []] = await measure(
        bench.load,
        arms.map((arm) => ({ arm, job })),
        bench.effort,
      );
      const target = { of: 'ratio', atLeast: RECORDING_MIN_RATIO } as const;
      return [
        compared(
          { name: 'recording', what: `durable create item, ${String(CONNECTIONS)} connections, with --record`, target },
          recorded,
          plain,
        ),
      ];
    });
  },
};

export const copiesCase: Case = {
  name: 'copies',
  about: 'resets and copies of the demo tenant',
  async run(bench) {
    const directory = join(bench.work, 'copies');
    const flags = ['--demo', '--control-port', '0'];
    return bench.using([bench.daemon({ directory, flags })], async () => {
      const control = openControl(directory);
      const fixtures = JSON.stringify(await control('GET', `fixtures?tenant=${slug}`));
      const parseMs = await repeat(bench.quick ? QUICK : RESETS, () => JSON.parse(fixtures));
      await control('POST', `tenants/${slug}/snapshots`, { name: 'start' });
      bench.say('resets');
      const resetMs = await repeat(
        bench.quick ? QUICK : RESETS,
        () => control('POST', `tenants/${slug}/reset`, { to: 'start' }),
        () => control('POST', `sites?tenant=${slug}`, { name: `Site ${String(Math.random())}` }),
      );
      bench.say('copies');
      const copyMs = await repeat(bench.quick ? QUICK : COPIES, () => control('POST', 'tenants', { template: slug }));
      const p99 = copyMs.toSorted((a, b) => a - b)[Math.floor(copyMs.length * PERCENT_99)] ?? Number.NaN;
      const baseline = { value: median(parseMs), unit: 'ms' } as const;
      const finding = (what: string, value: number, atMost: number): Finding => ({
        case: 'copies',
        what: `${what}, demo tenant (JSON.parse of its fixtures)`,
        ours: { value, unit: 'ms' },
        baseline,
        target: { of: 'ours', atMost },
        detail: { fixturesBytes: fixtures.length },
      });
      return [
        finding('reset', median(resetMs), RESET_MAX_MS),
        finding('copy', median(copyMs), RESET_MAX_MS),
        finding(`copy, p99 of ${copyMs.length.toLocaleString('en')}`, p99, COPY_P99_MAX_MS),
      ];
    });
  },
};

interface Answer {
  readonly data: unknown;
}

/** Sends to the control port of the daemon of the directory. */
function openControl(directory: string): (method: string, path: string, body?: object) => Promise<Answer> {
  const { controlUrl } = JSON.parse(readFileSync(join(directory, 'daemon.json'), 'utf8')) as { controlUrl: string };
  const token = readFileSync(join(directory, 'control-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const response = await fetch(`${controlUrl}/control/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
}

/** Milliseconds of each. `before` is not measured. */
async function repeat(count: number, work: () => unknown, before: () => unknown = () => undefined): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    await before();
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times;
}
