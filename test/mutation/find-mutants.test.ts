import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { addMutations, findMutations } from './find-mutants.ts';
import { choosePlan } from './plan.ts';

const SOURCE = `
export const limit = 5;
async function load(n: number): Promise<number | undefined> {
  if (n <= limit && isOpen()) await close();
  return (await read()) + 1;
}`;

test('each operator changes the places it names, and types stay as they are', () => {
  const found = findMutations('a.ts', SOURCE).map(({ operator, description }) => `${operator}: ${description}`);
  expect(found.toSorted()).toEqual([
    'dropped call: await close(); → (nothing)',
    'early return: load → return;',
    'negated condition: n <= limit && isOpen() → (n <= limit) || (isOpen())',
    'off by one: (await read()) + 1 → (await read())',
    'off by one: n <= limit → (n) < (limit)',
    'removed await: await close() → close()',
    'removed await: await read() → read()',
    'swapped constant: 5 → 6',
  ]);
});

test('only what stands outside of functions runs at import', () => {
  const atImport = findMutations('a.ts', SOURCE).filter(({ runsAtImport }) => runsAtImport);
  expect(atImport.map(({ description }) => description)).toEqual(['5 → 6']);
});

test('a plan is the same for the same seed, has every operator, and leaves sources that parse', () => {
  const choose = (seed: number) => choosePlan(['src/delivery'], { count: 120, seed });
  const plan = choose(1);
  expect(choose(1)).toEqual(plan);
  expect(choose(2)).not.toEqual(plan);
  expect(new Set(plan.map(({ operator }) => operator)).size).toBe(6);
  for (const [path, mutants] of Map.groupBy(plan, (mutant) => mutant.path)) {
    const source = readFileSync(path, 'utf8');
    const mutations = findMutations(path, source);
    const changed = addMutations(
      source,
      mutants.map(({ id, index }) => ({ id, mutation: mutations[index] ?? expect.fail('no such mutation') })),
    );
    expect(parseSync(path, changed).errors).toEqual([]);
  }
});

test('a dropped call leaves the branches of its statement as they are', () => {
  const source = 'function f(a: boolean) { if (a) g(); else h(); }';
  const dropped = findMutations('a.ts', source).filter(({ description }) => description.startsWith('g()'));
  const changed = addMutations(
    source,
    dropped.map((mutation) => ({ id: 3, mutation })),
  );
  expect(changed).toBe('function f(a: boolean) { if (a) { if (!globalThis.isActiveMutant(3)) { g(); } } else h(); }');
});
