/** The programs of docs/examples/torture: torture finds the bug of each, and none in the repaired ones. */
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { TortureResult } from '../../../src/contract/admin/torture.ts';
import { makeHome } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';

const EXAMPLES = fileURLToPath(new URL('../../../docs/examples/torture', import.meta.url));
const RUNS_MAX = 200;
const [REPAIRED_RUNS, REPETITIONS] = isLongRun ? [500, 20] : [10, 3];

/** By program: the kinds of faults that show its bug. */
const PROGRAMS = {
  'count-sales.ts': ['double-delivery'],
  'copy-items.ts': ['lose-delivery', 'double-delivery', 'delay-delivery', 'reorder-delivery'],
  'send-orders.ts': ['lose-answer'],
  'export-items.ts': ['expire-key'],
  'page-items.ts': ['remove-record'],
};

test.for(Object.entries(PROGRAMS))(
  'torture finds the bug of %s, and none when it is repaired',
  { timeout: 3_600_000 },
  async ([program, kinds]) => {
    await using home = await makeHome();
    const cwd = home.path('examples');
    cpSync(EXAMPLES, cwd, { recursive: true });
    const copy = program.startsWith('copy') || program.startsWith('page') ? ['--copy', 'copy.json'] : [];
    const torture = async (...args: string[]) => {
      const { exit, stdout } = await home.run(['torture', '--json', ...copy, ...args], { cwd });
      return { exit, ...(JSON.parse(stdout) as { data: TortureResult }).data };
    };
    const broken = ['--', process.execPath, program, '--broken'];
    const found = await torture('--runs', String(RUNS_MAX), ...broken);
    // While the machine is busy, a retry can come before or after the next change: such a run may fail once, and the search goes on.
    expect(found).toMatchObject({ exit: 9, repeated: '4 of 4' });
    expect(found.faults).toHaveLength(1);
    expect(kinds).toContain(found.faults[0]!.split(':')[0]);
    const again = await torture('--faults', found.faults[0]!, '--runs', String(REPETITIONS), ...broken);
    expect([again.exit, again.runs, again.failed > 0]).toEqual([9, REPETITIONS, true]);
    const { differences, output, ...repaired } = await torture('--runs', String(REPAIRED_RUNS), '--', process.execPath, program);
    expect({ ...repaired, differences, output }).toMatchObject({ exit: 0, runs: REPAIRED_RUNS, failed: 0 });
  },
);
