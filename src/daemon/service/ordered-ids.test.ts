import { expect, it } from 'vitest';
import { parse, stringify, version } from 'uuid';
import { isUuid } from '../../contract/schema/formats.ts';
import { createIdGenerator } from './ordered-ids.ts';

it('ids are unique UUIDs of version 7 in ascending order', () => {
  const newId = createIdGenerator();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id.charAt(14) === '7')).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

it('ids have the same text form as those of the uuid library', () => {
  const newId = createIdGenerator();
  for (let count = 0; count < 2_000; count += 1) {
    const id = newId();
    expect(stringify(parse(id))).toBe(id);
    expect(version(id)).toBe(7);
    expect(Math.abs(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  }
});
