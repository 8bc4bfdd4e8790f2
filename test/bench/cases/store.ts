/** The store without HTTP against node:sqlite: `store.ts` measures, in a process of its own on the server core. */
import { fileURLToPath } from 'node:url';
import type { Case } from '../bench.ts';
import { outputOnServerCore } from '../machine.ts';
import { type StoreFigure, benchStore } from '../store.ts';

/** The writers do not touch the rows of the larger cases. */
const ROWS = 1_000;
/** Over node:sqlite, WAL, synchronous FULL, one commit per tick; by writers. */
const TARGETS: Readonly<Record<string, number>> = { 1: 0.9, 16: 0.9, 64: 0.7 };

export const storeCase: Case = {
  name: 'store',
  about: 'durable writes to the store alone, against node:sqlite',
  async run(bench) {
    bench.say('store alone');
    const flags = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url)];
    const figures = JSON.parse(await outputOnServerCore(bench.cores, flags, { BENCH_DIR: bench.work })) as StoreFigure[];
    return figures.map(({ case: what, ours, baseline = Number.NaN, ratio = Number.NaN }) => {
      const [, writers = '', against = ''] = /(\d+) writers, over (.*)$/u.exec(what) ?? [];
      const isBare = against === 'node:sqlite';
      return {
        case: `store-${writers}${isBare ? '' : '-alike'}`,
        what: `store alone, durable create, ${writers} writers, over ${against}${isBare ? ' without an index' : ''}`,
        ours: { value: ours, unit: '/s' },
        baseline: { value: baseline, unit: '/s' },
        ratio,
        // The target does not say what its SQLite can be asked; the harder reading counts.
        ...(isBare ? { target: { of: 'ratio', atLeast: TARGETS[writers] ?? 0 } as const } : {}),
      };
    });
  },
};

if (import.meta.main) process.stdout.write(JSON.stringify(await benchStore(ROWS, ['writers'])));
