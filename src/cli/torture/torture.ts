/** Runs a program many times with planned faults, until a run fails; then finds the fewest faults with which it fails. */
import { type PlannedFault, type TortureFault, type TortureResult, formatFault } from '../../contract/admin/torture.ts';
import { EXIT } from '../errors/exit-codes.ts';
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

/** A run that failed. */
export interface Failed {
  /** From 1. */
  readonly number: number;
  readonly faults: readonly PlannedFault[];
  readonly run: Run;
  /** How many of the runs with these faults failed. */
  readonly repeated: string;
}

/** Runs with the fewest faults after they were found. */
const CONFIRMATIONS = 3;

export async function torture(options: TortureOptions): Promise<Outcome> {
  const { runs, seed, skipped, given, onProgress, signal } = options;
  onProgress(0, 'without faults');
  const first = await runOnce(options, []);
  if (first.reason !== undefined && !signal.aborted) throw toFirstFailure(first);
  const plan = given ? () => given : createPlanner(first.counts, seed, skipped);
  const injected: Record<string, number> = {};
  let made = 0;
  let failed = 0;
  let found: Omit<Failed, 'repeated'> | undefined;
  while (made < runs && !signal.aborted) {
    const faults = found && !given ? undefined : plan(made);
    if (!faults) break;
    onProgress(made, faults.map(formatFault).join(' '));
    const run = await runOnce(options, faults);
    if (signal.aborted) break;
    made += 1;
    for (const { kind } of run.injected) injected[kind] = (injected[kind] ?? 0) + 1;
    if (run.reason === undefined) continue;
    failed += 1;
    found ??= { number: made, faults, run };
  }
  const repeated = found && given ? { ...found, repeated: `${String(failed)} of ${String(made)}` } : undefined;
  return { runs: made, failed, counts: first.counts, injected, failure: repeated ?? (found && (await shrink(options, found))) };
}

const toFirstFailure = ({ reason, differences, output }: Run): Failure =>
  new Failure('FAILS_WITHOUT_FAULTS', `The program fails without faults: ${String(reason)}`, {
    exit: EXIT.usage,
    details: { differences, output },
  });

/** The fewest faults, and how often they let the program fail. */
async function shrink(options: TortureOptions, { number, faults: planned, run }: Omit<Failed, 'repeated'>): Promise<Failed> {
  const { onProgress, signal } = options;
  let last = run;
  const fails = async (faults: readonly PlannedFault[]): Promise<boolean> => {
    if (signal.aborted) return false;
    onProgress(number, `repeating with ${faults.map(formatFault).join(' ')}`);
    const again = await runOnce(options, faults);
    if (again.reason === undefined || signal.aborted) return false;
    last = again;
    return true;
  };
  // Those that the run did not reach are not the reason.
  const reached = planned.filter((fault) => run.injected.includes(fault));
  const faults = await shrinkFaults(reached.length === 0 ? planned : reached, fails);
  let count = 1;
  for (let again = 0; again < CONFIRMATIONS; again += 1) if (await fails(faults)) count += 1;
  return { number, faults, run: last, repeated: `${String(count)} of ${String(CONFIRMATIONS + 1)}` };
}
