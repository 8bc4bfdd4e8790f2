import { expect, test } from 'vitest';
import { createListCodec } from './list-codec.ts';

interface Kit {
  readonly id: string;
  readonly memo: string | null;
  readonly items: readonly { readonly sku: string; readonly count?: number }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}
const codec = createListCodec<Kit>()(['id', 'memo', 'items', 'createdAt', 'updatedAt']);
const kit: Kit = { id: 'a', memo: null, items: [{ sku: 'b' }, { sku: 'c', count: 2 }], createdAt: '2026-01-01', updatedAt: '2026-01-02' };

test('the list codec stores a row without field names and restores it', () => {
  const text = codec.encode(kit);
  expect(text).toBe('["a",null,[{"sku":"b"},{"sku":"c","count":2}],"2026-01-01","2026-01-02"]');
  expect(codec.decode(text)).toStrictEqual(kit);
});

test('the list codec omits updatedAt of a row that was never changed', () => {
  const fresh = { ...kit, updatedAt: kit.createdAt };
  expect(codec.encode(fresh)).toMatch(/"2026-01-01",null\]$/u);
  expect(codec.decode(codec.encode(fresh))).toStrictEqual(fresh);
});

test('the list codec does not depend on the order of the fields of a row', () => {
  const { id, ...rest } = kit;
  expect(codec.encode({ ...rest, id })).toBe(codec.encode(kit));
});

test('the list codec keeps a row of an earlier release that lacks a field', () => {
  const { memo: _, ...old } = kit;
  const text = codec.encode(old as Kit);
  expect(codec.decode(text)).toStrictEqual(old);
});

test('the list codec reads a list that was stored before the last field existed', () => {
  const { memo, ...rest } = kit;
  const before = createListCodec<Omit<Kit, 'memo'>>()(['id', 'items', 'createdAt', 'updatedAt']);
  const now = createListCodec<Kit>()(['id', 'items', 'createdAt', 'updatedAt', 'memo']);
  expect(memo).toBeNull();
  const { memo: missing, ...read } = now.decode(before.encode(rest));
  expect(read).toStrictEqual(rest);
  expect(missing).toBeUndefined();
});

test('the list codec stores rare fields after the others, and nothing for a row without them', () => {
  type Tagged = Kit & { readonly tag?: string | undefined; readonly marks?: readonly string[] | undefined };
  const rare = createListCodec<Tagged>()(['id', 'memo', 'items', 'createdAt', 'updatedAt'], ['tag', 'marks']);
  expect(rare.encode({ ...kit, tag: undefined })).toBe(codec.encode(kit));
  expect(rare.decode(codec.encode(kit))).toStrictEqual(kit);
  for (const row of [
    { ...kit, tag: 'a' },
    { ...kit, marks: ['b'] },
    { ...kit, tag: 'a', marks: [] },
  ])
    expect(rare.decode(rare.encode(row))).toStrictEqual(row);
});
