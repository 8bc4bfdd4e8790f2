import { expect, it } from 'vitest';
import { parse, stringify, version } from 'uuid';
import { isUuid } from '../contract/formats.ts';
import { orderedIds } from './ids.ts';

it('ids are UUIDs of version 7, never repeat, and each is greater than the one before', () => {
  const newId = orderedIds();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id.charAt(14) === '7')).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

it('ids are written as the library of their standard reads and writes them', () => {
  const newId = orderedIds();
  for (let count = 0; count < 2_000; count += 1) {
    const id = newId();
    expect(stringify(parse(id))).toBe(id);
    expect(version(id)).toBe(7);
    expect(Math.abs(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  }
});
