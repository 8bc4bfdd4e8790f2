import { expect, test } from 'vitest';
import { listForm } from './list-form.ts';

interface Thing {
  readonly id: string;
  readonly note: string | null;
  readonly parts: readonly { readonly of: string; readonly many?: number }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}
const form = listForm<Thing>()(['id', 'note', 'parts', 'createdAt', 'updatedAt']);
const thing: Thing = { id: 'a', note: null, parts: [{ of: 'b' }, { of: 'c', many: 2 }], createdAt: '2026-01-01', updatedAt: '2026-01-02' };

test('a row is written without the names of its fields and read as it was', () => {
  const text = form.write(thing);
  expect(text).toBe('["a",null,[{"of":"b"},{"of":"c","many":2}],"2026-01-01","2026-01-02"]');
  expect(form.read(text)).toStrictEqual(thing);
});

test('a row that was never changed does not say so in full', () => {
  const fresh = { ...thing, updatedAt: thing.createdAt };
  expect(form.write(fresh)).toMatch(/"2026-01-01",null\]$/u);
  expect(form.read(form.write(fresh))).toStrictEqual(fresh);
});

test('the order of the fields of a row does not matter', () => {
  const { id, ...rest } = thing;
  expect(form.write({ ...rest, id })).toBe(form.write(thing));
});

test('a row of an earlier release that lacks a field is read and written without it', () => {
  const { note: _, ...old } = thing;
  const text = form.write(old as Thing);
  expect(form.read(text)).toStrictEqual(old);
});

test('a list from before the last field was added is read without it', () => {
  const { note, ...rest } = thing;
  const before = listForm<Omit<Thing, 'note'>>()(['id', 'parts', 'createdAt', 'updatedAt']);
  const now = listForm<Thing>()(['id', 'parts', 'createdAt', 'updatedAt', 'note']);
  expect(note).toBeNull();
  const { note: missing, ...read } = now.read(before.write(rest));
  expect(read).toStrictEqual(rest);
  expect(missing).toBeUndefined();
});
