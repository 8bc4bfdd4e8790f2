import { expect, it } from 'vitest';
import { isUuid } from '../../contract/schema/formats.ts';
import { createIdGenerator } from './ordered-ids.ts';

it('ids are unique UUIDs of version 7 in ascending order', () => {
  const newId = createIdGenerator();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => isUuid(id) && /^.{14}7.{4}[89ab]/u.test(id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

it('ids contain the time', () => {
  const newId = createIdGenerator();
  expect(Math.abs(Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
});
