/** Which failure the search ends with, over a program whose runs are scripted. */
import { expect, test } from 'vitest';
import { type PlannedFault, formatFault } from '../../contract/admin/torture.ts';
import { type Outcome, torture } from './torture.ts';

const RUNS = 60;
/** Two requests, one of them a write: 7 runs with one fault each, of 4 kinds. */
const COUNTS = { requests: 2, writes: 1, pages: 0, deliveries: 0 };

/** `fails`: whether the program fails in a run with these faults; `time` counts the runs with the same ones from 1. */
function search(fails: (faults: readonly string[], time: number) => boolean, given?: readonly PlannedFault[]): Promise<Outcome> {
  const times = new Map<string, number>();
  let faults: readonly PlannedFault[] = [];
  return torture({
    target: {
      begin: (planned) => Promise.resolve({ counts: COUNTS, injected: (faults = planned) }),
      end: () => Promise.resolve(),
      isDelivered: () => Promise.resolve(true),
      withoutFaults: (work) => work(),
    },
    start() {
      const names = faults.map(formatFault);
      const time = (times.get(names.join()) ?? 0) + 1;
      times.set(names.join(), time);
      return {
        ended: Promise.resolve(fails(names, time) ? 'exit code 1' : undefined),
        output: names.join(),
        end: () => Promise.resolve(),
      };
    },
    compare: undefined,
    clean: () => undefined,
    timeoutMs: 1_000,
    signal: new AbortController().signal,
    runs: RUNS,
    seed: 1,
    skipped: [],
    given,
    onProgress: () => undefined,
  });
}

const toText = ({ failure }: Outcome) =>
  failure && `${failure.faults.map(formatFault).join()} ${String(failure.count)} of ${String(failure.of)}`;

test('a failure that repeats each time ends the search', async () => {
  const outcome = await search((faults) => faults.includes('lose-answer:1'));
  expect([toText(outcome), outcome.failed]).toEqual(['lose-answer:1 4 of 4', 1]);
  expect(outcome.runs).toBeLessThan(8);
});

test('the search goes on after a failure that repeats only sometimes', async () => {
  // A run with one fault fails the first time; `restart:2` in a later run with several fails each time.
  const outcome = await search(
    (faults, time) => (faults.length > 1 && faults.includes('restart:2')) || (faults.length === 1 && time === 1),
  );
  expect(outcome.failure?.faults.map(formatFault)).toContain('restart:2');
  expect([outcome.failure?.count, outcome.failure?.faults.length, outcome.failed]).toEqual([4, 2, 8]);
});

test('what repeats only sometimes is found if nothing else is, as that which repeated most', async () => {
  const outcome = await search((faults, time) => {
    if (faults.length > 1) return false;
    return faults[0] === 'restart:1' ? time !== 2 : faults[0]?.startsWith('limit') === true && time === 1;
  });
  expect([toText(outcome), outcome.runs, outcome.failed]).toEqual(['restart:1 3 of 4', RUNS, 3]);
});

test('faults are left out only if the others let the program fail each time', async () => {
  const isPair = (faults: readonly string[]) => faults.includes('expire-key:1') && faults.includes('lose-answer:1');
  // Each of them alone fails in its second run, which a search that repeats it once takes for the reason.
  const outcome = await search((faults, time) => isPair(faults) || (faults.length === 1 && time === 2));
  expect(outcome.failure?.faults.map(formatFault).toSorted()).toEqual(['expire-key:1', 'lose-answer:1']);
  expect(outcome.failure?.count).toBe(4);
});

test('given faults are in each run, and the runs that failed are counted', async () => {
  const outcome = await search((faults, time) => faults.length > 0 && time % 2 === 1, [{ kind: 'restart', at: 1 }]);
  expect([toText(outcome), outcome.failed]).toEqual([`restart:1 ${String(RUNS / 2)} of ${String(RUNS)}`, RUNS / 2]);
});
