/** Measures arms in turns. This machine is never quiet: only figures that were taken beside each other are compared. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Arm } from './servers.ts';
import type { Answer, Job, Load } from './load.ts';

export interface Effort {
  readonly rounds: number;
  readonly warmupMs: number;
  readonly measureMs: number;
}

export interface LoadGenerator {
  run(job: Job): Promise<Load>;
  stop(): void;
}

/** Inherits the core of this process. */
export function startLoad(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)), { stdio: 'inherit' });
  return {
    async run(job) {
      child.send(job);
      const [answer] = (await once(child, 'message')) as [Answer];
      if ('error' in answer) throw new Error(answer.error);
      return answer.load;
    },
    stop: () => child.disconnect(),
  };
}

export interface Contender {
  readonly arm: Arm;
  readonly job: Pick<Job, 'connections' | 'shots'>;
}

/** Short turns, many of them: a shared machine is twice as fast in one second as in the next, and the arms must see the same of it. */
export const TURNS_PER_ROUND = 4;

/**
 * A load of each contender in every turn; the order rotates, so that none always runs behind the same other one. A contender that is not measured does
 * not run. A single contender takes no turns.
 */
export async function measure(load: LoadGenerator, contenders: readonly Contender[], effort: Effort): Promise<Load[][]> {
  const results: Load[][] = contenders.map(() => []);
  const turns = contenders.length > 1 ? TURNS_PER_ROUND : 1;
  const times = { warmupMs: effort.warmupMs / turns, measureMs: effort.measureMs / turns };
  const arms = new Set(contenders.map(({ arm }) => arm));
  for (const arm of arms) arm.pause();
  try {
    for (let turn = 0; turn < effort.rounds * turns; turn += 1) {
      for (const index of rotated(contenders.length, turn)) {
        const { arm, job } = contenders[index] as Contender;
        arm.resume();
        results[index]?.push(await load.run({ ...job, ...times, port: arm.port, pid: arm.pid }));
        if (arms.size > 1) arm.pause();
      }
    }
  } finally {
    for (const arm of arms) arm.resume();
  }
  return results;
}

/** 0…n-1, beginning elsewhere in every round. */
export const rotated = (length: number, round: number): number[] => Array.from({ length }, (_, index) => (index + round) % length);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median of the ratios of values taken in the same turn: what disturbed a whole turn falls out. */
export const pairedRatio = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
