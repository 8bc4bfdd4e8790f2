/** What the tests of items do: create them, read them, and find them a supplier. */
import { expect } from 'vitest';
import type { CallOptions } from './service.ts';
import { s } from './started.ts';

export const create = async (body: object, options?: CallOptions) => {
  const reply = await s.post('/v1/items', body, options);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};
export const read = async (id: string) => (await s.get(`/v1/items/${id}`)).body.data;
export const supplier = async (name: string, more: object = {}): Promise<string> =>
  (await s.post('/v1/contacts', { name, company: `${name} Lda`, contactType: 'supplier', ...more })).body.data.id;
