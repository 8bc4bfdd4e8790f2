/** A service for the tests of a file, and the calls that create and read items. */
import { expect } from 'vitest';
import type { CallOptions } from '../service/service.ts';
import { useService } from '../service/shared-service.ts';

export function useItems() {
  const s = useService();
  return {
    s,
    async create(body: object, options?: CallOptions) {
      const reply = await s.post('/v1/items', body, options);
      expect(reply.status, reply.text).toBe(201);
      return reply.body.data;
    },
    read: async (id: string) => (await s.get(`/v1/items/${id}`)).body.data,
    supplier: async (name: string, more: object = {}): Promise<string> =>
      (await s.post('/v1/contacts', { name, company: `${name} Lda`, contactType: 'supplier', ...more })).body.data.id,
  };
}
