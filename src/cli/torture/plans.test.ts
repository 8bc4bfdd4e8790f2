import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PlannedFault, TORTURE_FAULT_KINDS, TORTURE_FAULTS, formatFault } from '../../contract/admin/torture.ts';
import { createPlanner, parseFaults, parseKinds, shrinkFaults } from './plans.ts';

const counts = { requests: 4, writes: 2, pages: 0, deliveries: 3 };

test('the first runs have every fault that the program can meet once, in an order of the seed', () => {
  const listFirst = (seed: number) => {
    const plan = createPlanner(counts, seed, ['restart']);
    return Array.from({ length: 22 }, (_, run) => plan(run)!.map(formatFault).join(' '));
  };
  const kinds = TORTURE_FAULT_KINDS.filter((kind) => kind !== 'restart');
  const all = kinds.flatMap((kind) => Array.from({ length: counts[TORTURE_FAULTS[kind]] }, (_, at) => `${kind}:${String(at + 1)}`));
  expect(listFirst(1).toSorted()).toEqual(all.toSorted());
  expect(listFirst(1)).toEqual(listFirst(1));
  expect(listFirst(1)).not.toEqual(listFirst(2));
});

test('later runs have several of them', () => {
  const plan = createPlanner(counts, 1, []);
  for (let run = 26; run < 200; run += 1) {
    const faults = plan(run)!;
    expect(faults.length).toBeLessThanOrEqual(5);
    for (const { kind, at } of faults) expect(at).toBeLessThanOrEqual(counts[TORTURE_FAULTS[kind]]);
  }
});

test('a program that meets nothing gets no run', () => {
  expect(createPlanner({ requests: 0, writes: 0, pages: 0, deliveries: 0 }, 1, [])(0)).toBeUndefined();
});

test('shrinking keeps exactly the faults without which the program passes', async () => {
  const faults: PlannedFault[] = Array.from({ length: 6 }, (_, at) => ({ kind: 'restart', at: at + 1 }));
  await fc.assert(
    fc.asyncProperty(fc.subarray(faults, { minLength: 1 }), async (needed) => {
      const fails = (fewer: readonly PlannedFault[]) => Promise.resolve(needed.every((fault) => fewer.includes(fault)));
      expect(await shrinkFaults(faults, fails)).toEqual(needed);
    }),
  );
});

test('faults are read as they are printed, and mistakes name what is right', () => {
  expect(parseFaults('lose-answer:2, restart:7').map(formatFault)).toEqual(['lose-answer:2', 'restart:7']);
  expect(parseKinds(['restart,expire-key'])).toEqual(['restart', 'expire-key']);
  expect(() => parseFaults('lose-answer')).toThrow('Invalid fault "lose-answer" in --faults');
  expect(() => parseFaults('restart:0')).toThrow('Invalid fault "restart:0"');
  expect(() => parseFaults('lose-anser:1')).toThrow('Invalid --faults "lose-anser". Valid kinds: lose-delivery,');
  expect(() => parseKinds(['restarts'])).toThrow('Invalid --skip "restarts"');
});
