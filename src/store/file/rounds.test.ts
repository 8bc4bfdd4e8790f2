import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Rounds } from './rounds.ts';

const burn = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
};

test('what is asked for in one turn runs in one round, in its order', async () => {
  const seen: string[] = [];
  const rounds = new Rounds(() => seen.push('end'));
  await Promise.all(['a', 'b', 'c'].map((name) => rounds.run(async () => void seen.push(name))));
  expect(seen).toEqual(['a', 'b', 'c', 'end']);
});

test('long works are not one long round: others get a turn in between, and the order stays', async () => {
  const seen: string[] = [];
  const rounds = new Rounds(() => seen.push('end'));
  const works = ['a', 'b', 'c'].map((name) =>
    rounds.run(async () => {
      burn(20);
      seen.push(name);
    }),
  );
  // Asked for in the middle of a round: behind those that were left over.
  const late = works[0]!.then(() => rounds.run(async () => void seen.push('late')));
  await works[0];
  await nextTurn();
  seen.push('other');
  await Promise.all([...works, late]);
  await nextTurn();
  expect(seen.filter((each) => each !== 'other')).toEqual(['a', 'end', 'b', 'end', 'c', 'end', 'late', 'end']);
  expect(seen.indexOf('other')).toBeLessThan(seen.indexOf('c'));
});

test('a work that fails ends nobody else', async () => {
  const rounds = new Rounds(() => {});
  const failing = rounds.run(() => Promise.reject(new Error('no')));
  const next = rounds.run(async () => 1);
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe(1);
});
