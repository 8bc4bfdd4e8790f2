/**
 * Which mutants a run tries. The plan is written to a file, because the processes of the tests and the processes these
 * start have to change the same places of the same sources.
 */
import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { PLAN_FILE } from './environment.ts';
import { addMutations, findMutations, OPERATORS, type Operator, type PlacedMutation } from './find-mutants.ts';

export interface Mutant {
  readonly id: number;
  /** Relative to the repository. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly operator: Operator;
  readonly description: string;
  readonly runsAtImport: boolean;
  /** Where it stands among the mutations of its file. */
  readonly index: number;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Mutants of the files below some folders or files: as many of each operator, chosen by a seed. */
export function choosePlan(sources: readonly string[], { count, seed }: { count: number; seed: number }): Mutant[] {
  const random = randomNumbers(seed);
  const candidates = shuffle(sources.flatMap(listFiles).flatMap(candidatesOf), random);
  const groups = OPERATORS.map((operator) => candidates.filter(({ mutation }) => mutation.operator === operator));
  const chosen: Candidate[] = [];
  while (chosen.length < count && groups.some((group) => group.length > 0)) {
    for (const group of groups) {
      const next = group.pop();
      if (next !== undefined && chosen.length < count && !chosen.some((other) => isOverlap(other, next))) chosen.push(next);
    }
  }
  return chosen
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.mutation.start - b.mutation.start)
    .map(({ path, line, index, mutation: { operator, description, runsAtImport } }, id) => ({
      id,
      path,
      line,
      operator,
      description: description.replaceAll(/\s+/g, ' '),
      runsAtImport,
      index,
    }));
}

/** The source of a file with all mutants of the plan that are in it; undefined without any. */
export function addPlannedMutants(path: string, source: string): string | undefined {
  const mutants = readPlan().get(relative(ROOT, path).replaceAll('\\', '/'));
  if (mutants === undefined) return undefined;
  const mutations = findMutations(path, source);
  return addMutations(
    source,
    mutants.map(({ id, index }) => ({ id, mutation: mutations[index] as PlacedMutation })),
  );
}

let plan: Map<string, Mutant[]> | undefined;
const readPlan = (): Map<string, Mutant[]> =>
  (plan ??= Map.groupBy(JSON.parse(readFileSync(process.env[PLAN_FILE] ?? '', 'utf8')) as Mutant[], ({ path }) => path));

interface Candidate {
  readonly path: string;
  readonly line: number;
  readonly index: number;
  readonly mutation: PlacedMutation;
}

const listFiles = (source: string): string[] =>
  (source.endsWith('.ts') ? [source] : globSync(`${source}/**/*.ts`, { cwd: ROOT }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
    .toSorted();

function candidatesOf(path: string): Candidate[] {
  const source = readFileSync(resolve(ROOT, path), 'utf8');
  return findMutations(path, source).map((mutation, index) => ({
    path,
    line: source.slice(0, mutation.start).split('\n').length,
    index,
    mutation,
  }));
}

const isOverlap = (a: Candidate, b: Candidate): boolean =>
  a.path === b.path && a.mutation.start <= b.mutation.end && b.mutation.start <= a.mutation.end;

function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const shuffled = [...list];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
