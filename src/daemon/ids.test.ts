import { expect, it } from 'vitest';
import { isUuid } from '../contract/formats.ts';
import { orderedIds } from './ids.ts';

it('ids are UUIDs of version 7, never repeat, and each is greater than the one before', () => {
  const newId = orderedIds();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id.charAt(14) === '7')).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
