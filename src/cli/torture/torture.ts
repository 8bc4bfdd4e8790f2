/**
 * Runs a program many times with planned faults, until a run fails whose faults let it fail each time; then finds the fewest of them. What
 * repeats only sometimes, because it depends on timing, is reported if nothing else is found.
 */
import { type PlannedFault, type TortureFault, type TortureResult, formatFault } from '../../contract/admin/torture.ts';
import { Failure } from '../errors/failure.ts';
import { createPlanner, shrinkFaults } from './plans.ts';
import { type Run, type RunOptions, runOnce } from './run.ts';

export interface TortureOptions extends RunOptions {
  readonly runs: number;
  readonly seed: number;
  readonly skipped: readonly TortureFault[];
  /** The faults of all runs, instead of planned ones. */
  readonly given: readonly PlannedFault[] | undefined;
  readonly onProgress: (done: number, note: string) => void;
}

export type Outcome = Pick<TortureResult, 'runs' | 'failed' | 'counts' | 'injected'> & { readonly failure: Failed | undefined };

interface FailedRun {
  /** From 1. */
  readonly number: number;
  readonly faults: readonly PlannedFault[];
  readonly run: Run;
}

/** A run that failed, and how many of the runs with its faults did. */
export interface Failed extends FailedRun {
  readonly count: number;
  readonly of: number;
}

/** Runs after one that failed, which must fail, too. */
const CONFIRMATIONS = 3;
/** Runs that fail each time: with the first, or of fewer faults. */
const REPETITIONS = CONFIRMATIONS + 1;

export async function torture(options: TortureOptions): Promise<Outcome> {
  const { runs, seed, skipped, given, onProgress, signal } = options;
  onProgress(0, 'without faults');
  const first = await runOnce(options, []);
  if (first.reason !== undefined && !signal.aborted) throw toFirstFailure(first);
  const plan = given ? () => given : createPlanner(first.counts, seed, skipped);
  const injected: Record<string, number> = {};
  let made = 0;
  let failed = 0;
  let found: Failed | undefined;
  while (made < runs && !signal.aborted) {
    const faults = plan(made);
    if (!faults) break;
    onProgress(made, faults.map(formatFault).join(' '));
    const run = await runOnce(options, faults);
    if (signal.aborted) break;
    made += 1;
    for (const { kind } of run.injected) injected[kind] = (injected[kind] ?? 0) + 1;
    if (run.reason === undefined) continue;
    failed += 1;
    const failure = { number: made, faults, run };
    const next = given ? { ...failure, count: 1, of: runs } : await confirm(options, failure);
    if (next.count > (found?.count ?? 0)) found = next;
    if (!given && found?.count === REPETITIONS) break;
  }
  const failure = found && given ? { ...found, count: failed, of: made } : found;
  return { runs: made, failed, counts: first.counts, injected, failure };
}

const toFirstFailure = ({ reason, differences, output }: Run): Failure =>
  new Failure('FAILS_WITHOUT_FAULTS', `The program fails without faults: ${String(reason)}`, { details: { differences, output } });

/** Whether the faults of a failed run let the program fail each time; then the fewest of them that do. */
async function confirm(options: TortureOptions, failed: FailedRun): Promise<Failed> {
  const { number, faults: planned, run } = failed;
  // Those that the run did not reach are not the reason.
  const reached = planned.filter((fault) => run.injected.includes(fault));
  const faults = reached.length === 0 ? planned : reached;
  const { count, last = run } = await repeat(options, number, faults, CONFIRMATIONS);
  if (count < CONFIRMATIONS) return { number, faults, run: last, count: count + 1, of: REPETITIONS };
  let shown = last;
  const fewest = await shrinkFaults(faults, async (fewer) => {
    const again = await repeat(options, number, fewer, REPETITIONS, { stopsWithPass: true });
    const isFirm = again.count === REPETITIONS;
    if (isFirm && again.last) shown = again.last;
    return isFirm;
  });
  return { number, faults: fewest, run: shown, count: REPETITIONS, of: REPETITIONS };
}

async function repeat(
  options: TortureOptions,
  number: number,
  faults: readonly PlannedFault[],
  times: number,
  { stopsWithPass = false } = {},
): Promise<{ readonly count: number; readonly last: Run | undefined }> {
  const { onProgress, signal } = options;
  let count = 0;
  let last: Run | undefined;
  for (let time = 0; time < times && !signal.aborted; time += 1) {
    onProgress(number, `repeating with ${faults.map(formatFault).join(' ')}`);
    const run = await runOnce(options, faults);
    if (run.reason !== undefined && !signal.aborted) {
      count += 1;
      last = run;
    } else if (stopsWithPass) break;
  }
  return { count, last };
}
