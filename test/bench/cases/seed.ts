/** Generating items: a daemon on PostgreSQL, whose server has the core of the load, against the file store. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgresServer } from '../../support/postgres/server.ts';
import type { Bench, Case } from '../bench.ts';
import { median, pairedRatio } from '../rounds.ts';
import { isolated } from '../servers.ts';

const RUN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
const ROUNDS = 3;
const TIMES_FILES = 3;

export const seedCase: Case = {
  name: 'seed',
  about: 'generating items on PostgreSQL over the file store',
  async run(bench) {
    const [ours, files]: [number[], number[]] = [[], []];
    for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round += 1) {
      bench.say(`generating, round ${String(round + 1)}`);
      files.push(await measureSeed(bench, {}));
      await using server = await startPostgresServer({ durable: true });
      ours.push(await measureSeed(bench, { STOCKROOM_STORE: server.url }));
    }
    return [
      {
        case: 'seed',
        what: `generating ${bench.rows.toLocaleString('en')} items on PostgreSQL over the file store`,
        ours: { value: median(ours), unit: 'ms' },
        baseline: { value: median(files), unit: 'ms' },
        ratio: pairedRatio(ours, files),
        target: { of: 'ratio', atMost: TIMES_FILES },
        detail: { ours, files },
      },
    ];
  },
};

/** Milliseconds. */
async function measureSeed(bench: Bench, env: Readonly<Record<string, string>>): Promise<number> {
  const directory = mkdtempSync(join(bench.work, 'seed-'));
  return bench.using([bench.daemon({ directory, env })], async () => {
    const startedAt = performance.now();
    await promisify(execFile)(process.execPath, [RUN, 'seed', '--items', String(bench.rows)], {
      env: { ...process.env, ...isolated(join(bench.work, 'home')), ...env, STOCKROOM_DATA_DIR: directory },
    });
    return performance.now() - startedAt;
  });
}
