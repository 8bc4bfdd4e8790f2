/**
 * Errors of the disk at every operation: what is acknowledged is kept, what is refused is gone once the disk works again, and the store
 * recovers by itself.
 */
import { describe, expect, test } from 'vitest';
import { filesAt, listPowerCuts } from '../support/disk/crash-states.ts';
import { type Fault, injectFault } from '../support/disk/faults.ts';
import { isLongRun } from '../support/long-run.ts';
import { CrashChecks, createRandom, recordWorkload, sample } from './crash-checks.ts';

const FAULTS = isLongRun ? Infinity : 4;
/** Positions after each fault at which the process is killed, and at which the power is cut. */
const CRASHES = 1;
const COMBINATIONS = 2;

const KINDS: readonly Omit<Fault, 'at'>[] = [
  { mode: 'refused', count: 1 },
  { mode: 'refused', count: 5 },
  { mode: 'reported', count: 1 },
  { mode: 'torn', count: 1 },
];

describe('disk faults', () => {
  test('a fault at any write, sync, rename or other disk operation loses no acknowledged change', async () => {
    const random = createRandom();
    const checks = await CrashChecks.create();
    const { recording: undisturbed } = await recordWorkload();
    const faults = Array.from({ length: undisturbed.length }, (_, at) => KINDS.map((kind) => ({ ...kind, at }))).flat();
    let [injected, refused] = [0, 0];
    for (const fault of sample(faults, FAULTS, random)) {
      const { intercept, failed } = injectFault(fault);
      const { recording, history } = await recordWorkload(intercept);
      injected += failed.length;
      refused += history.refused;
      const after = `a fault (${fault.mode}, ${failed.join(', ')}) at operation ${fault.at}`;
      // While the disk keeps failing, what it refused cannot be removed either.
      const isSingle = fault.count === 1;
      const end = recording.length;
      await checks.check({ files: filesAt(recording, end), contents: history.listContentsAt(end, isSingle), description: after });
      const later = Array.from({ length: end }, (_, at) => at).slice(fault.at);
      for (const position of sample(later, CRASHES, random)) {
        const description = `a crash at operation ${position} after ${after}`;
        await checks.check({ files: filesAt(recording, position), contents: history.listContentsAt(position, isSingle), description });
        const powerCuts = [...listPowerCuts(recording, position, 'ordered', { random, combinations: COMBINATIONS })];
        const contents = history.listContentsAt(position, false);
        for (const files of sample(powerCuts, CRASHES, random))
          await checks.check({ files, contents, description: `${description} (power cut)` });
      }
    }
    process.stdout.write(`Disk faults: ${injected} injected, ${refused} changes refused, ${checks.count} states checked\n`);
    expect(checks.failures).toEqual([]);
    expect(injected).toBeGreaterThan(0);
  });
});
