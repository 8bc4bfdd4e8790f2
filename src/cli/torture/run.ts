/** One run of a program with planned faults, and whether it passed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counted, PlannedFault } from '../../contract/admin/torture.ts';
import type { RunningProgram } from './run-program.ts';

export type Counts = Readonly<Record<Counted, number>>;

/** What a run needs of the service. */
export interface TortureTarget {
  begin(faults: readonly PlannedFault[]): Promise<{ readonly counts: Counts; readonly injected: readonly PlannedFault[] }>;
  end(): Promise<void>;
  isDelivered(): Promise<boolean>;
  /** Requests of `work` are neither counted nor changed. */
  withoutFaults<T>(work: () => Promise<T>): Promise<T>;
}

export interface RunOptions {
  readonly target: TortureTarget;
  readonly start: () => RunningProgram;
  /** What differs between the copy and the service; undefined without a copy. */
  readonly compare: (() => Promise<readonly string[]>) | undefined;
  /** Removes the copy of the run before. */
  readonly clean: () => void;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Verdict {
  /** Why the run failed. */
  readonly reason: string | undefined;
  readonly differences: readonly string[];
}

export interface Run extends Verdict {
  readonly counts: Counts;
  readonly injected: readonly PlannedFault[];
  readonly output: string;
}

/** A program that still runs is compared when nothing has happened for so long. */
const QUIET_MS = 300;
/** How long its copy may differ then. */
const SETTLE_MS = 5_000;
const POLL_MS = 25;
const MS_PER_S = 1_000;

export async function runOnce(options: RunOptions, faults: readonly PlannedFault[]): Promise<Run> {
  const { target, start, clean } = options;
  clean();
  const { counts, injected } = await target.begin(faults);
  const program = start();
  try {
    const verdict = await follow(options, program, counts);
    await program.end();
    await target.end();
    return { ...verdict, counts: { ...counts }, injected, output: program.output };
  } finally {
    await program.end();
    clean();
  }
}

/** Until the program has ended, its copy is equal, or the time is over. */
async function follow(options: RunOptions, { ended }: RunningProgram, counts: Counts): Promise<Verdict> {
  const { target, compare, timeoutMs, signal } = options;
  const startedAt = performance.now();
  let seen = 0;
  let changedAt = startedAt;
  let problem: readonly string[] = [];
  for (;;) {
    const end = await Promise.race([ended.then((reason) => ({ reason })), sleep(POLL_MS)]);
    if (signal.aborted) return { reason: 'interrupted', differences: [] };
    if (end?.reason !== undefined) return { reason: end.reason, differences: [] };
    if (end) return toVerdict(compare ? await target.withoutFaults(compare).catch((error: unknown) => [toProblem(error)]) : []);
    const now = performance.now();
    if (now - startedAt > timeoutMs) return { reason: `did not end within ${String(timeoutMs / MS_PER_S)} s`, differences: problem };
    const happened = counts.requests + counts.deliveries;
    if (happened !== seen) changedAt = now;
    seen = happened;
    if (!compare || seen === 0 || now - changedAt < QUIET_MS || !(await target.isDelivered())) continue;
    // A copy that is not there yet is no difference.
    const differences = await target.withoutFaults(compare).catch((error: unknown) => {
      problem = [toProblem(error)];
    });
    if (differences && (differences.length === 0 || now - changedAt > QUIET_MS + SETTLE_MS)) return toVerdict(differences);
  }
}

const toVerdict = (differences: readonly string[]): Verdict => ({
  reason: differences.length === 0 ? undefined : 'the copy differs from the service',
  differences,
});

const toProblem = (error: unknown): string => `The copy cannot be read: ${(error as Error).message}`;
