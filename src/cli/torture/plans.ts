/** Which faults each run gets: first every single one that the program can meet, in an order of the seed, then some together. */
import { type PlannedFault, TORTURE_FAULTS, TORTURE_FAULT_KINDS, type TortureFault } from '../../contract/admin/torture.ts';
import { createSeededRandom } from '../../demo/seeded-random.ts';
import { invalidValueError, usageError } from '../errors/failure.ts';
import type { Counts } from './run.ts';

/** Faults of a run with several. */
const TOGETHER_MIN = 2;
const TOGETHER_MAX = 5;

/** `lose-answer:2,restart:7`. Throws a usage error. */
export function parseFaults(text: string): PlannedFault[] {
  return text.split(',').map((part) => {
    const [, name = '', position = ''] = /^([^:]*):(\d+)$/u.exec(part.trim()) ?? [];
    const at = Number(position);
    if (!Number.isSafeInteger(at) || at < 1)
      throw usageError(`Invalid fault "${part.trim()}" in --faults`, 'Write KIND:POSITION, such as lose-answer:2');
    return { kind: toKind('--faults', name), at };
  });
}

/** `expire-key,restart`. Throws a usage error. */
export const parseKinds = (texts: readonly string[]): TortureFault[] =>
  texts.flatMap((text) => text.split(',')).map((name) => toKind('--skip', name.trim()));

function toKind(flag: string, name: string): TortureFault {
  const kind = TORTURE_FAULT_KINDS.find((known) => known === name);
  if (kind === undefined) throw invalidValueError(flag, name, TORTURE_FAULT_KINDS, 'kinds');
  return kind;
}

/** Returns the faults of a run, by its number from 0; undefined if the program meets nothing that can fail. */
export function createPlanner(counts: Counts, seed: number, skipped: readonly TortureFault[]): (run: number) => PlannedFault[] | undefined {
  const random = createSeededRandom(seed);
  const kinds = shuffle(
    TORTURE_FAULT_KINDS.filter((kind) => !skipped.includes(kind) && counts[TORTURE_FAULTS[kind]] > 0),
    random,
  );
  const byKind = kinds.map((kind) =>
    shuffle(
      Array.from({ length: counts[TORTURE_FAULTS[kind]] }, (_, at): PlannedFault => ({ kind, at: at + 1 })),
      random,
    ),
  );
  const longest = Math.max(0, ...byKind.map(({ length }) => length));
  // A kind after the other, so that a program that cannot stand one of them is found soon.
  const single = Array.from({ length: longest }, (_, turn) => byKind.flatMap((faults) => faults[turn] ?? [])).flat();
  return (run) => {
    const fault = single[run];
    if (fault) return [fault];
    if (single.length === 0) return undefined;
    const length = TOGETHER_MIN + Math.floor(random() * (TOGETHER_MAX - TOGETHER_MIN + 1));
    return [...new Set(Array.from({ length }, () => single[Math.floor(random() * single.length)]!))];
  };
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => [random(), value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value);
}

/** The fewest of the faults with which the program still fails: each is left out once. */
export async function shrinkFaults(
  faults: readonly PlannedFault[],
  fails: (fewer: readonly PlannedFault[]) => Promise<boolean>,
): Promise<readonly PlannedFault[]> {
  let kept = faults;
  for (const fault of faults) {
    if (kept.length === 1) break;
    const fewer = kept.filter((each) => each !== fault);
    if (await fails(fewer)) kept = fewer;
  }
  return kept;
}
