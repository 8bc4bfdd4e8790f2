/** GET /v1/contacts. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions } from '../../support/service/service.ts';
import { refused } from '../../support/service/call-trace.ts';
import { useService } from '../../support/service/shared-service.ts';

const s = useService();

const create = async (body: object, options?: CallOptions) => {
  const reply = await s.post('/v1/contacts', body, options);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};

describe('GET /v1/contacts', () => {
  let options: { key: string };
  const names = async (query: string) => {
    const reply = await s.get(`/v1/contacts?${query}`, options);
    expect(reply.status, reply.text).toBe(200);
    return reply.body.data.map(({ name }: { name: string }) => name);
  };
  beforeAll(async () => {
    options = { key: await s.addKey({ tenantId: (await s.addTenant('House')).id }) };
    for (const body of [
      { name: 'bruno', company: 'Zeta', country: 'ES', email: 'Bruno@zeta.es', contactGroup: 'retail, north' },
      { name: 'Ana', company: 'alpha', contactType: 'supplier', country: 'PT', isActive: false },
      { name: 'carla', contactType: 'both', country: 'PT', email: 'bruno@carla.pt', contactGroup: 'retail' },
    ]) {
      s.clock.advance(1);
      await create(body, options);
    }
  });

  test.each([
    ['name', ['Ana', 'bruno', 'carla', 'House']],
    ['company', ['carla', 'Ana', 'House', 'bruno']],
    ['created_at', ['House', 'bruno', 'Ana', 'carla']],
    ['updated_at', ['House', 'bruno', 'Ana', 'carla']],
  ])('sorts by %s case-insensitively in both directions', async (sort, expected) => {
    expect(await names(`sort=${sort}`)).toEqual(expected);
    expect(await names(`sort=-${sort}`)).toEqual([...expected].reverse());
  });

  test('sorts by name by default and paginates', async () => {
    expect(await names('')).toEqual(await names('sort=name'));
    const { data, pagination } = (await s.get('/v1/contacts?page=2&page_size=3', options)).body;
    expect(data).toHaveLength(1);
    expect(pagination).toEqual({ page: 2, pageSize: 3, total: 4, totalPages: 2 });
  });

  test.each([
    ['contact_types=customer', ['bruno']],
    ['contact_types=supplier,both', ['Ana', 'carla', 'House']],
    ['is_active=false', ['Ana']],
    ['country=pt', ['Ana', 'carla']],
    ['country=ES,pt&is_active=true', ['bruno', 'carla']],
    ['contact_group=retail', ['carla']],
    ['contact_group=retail,%20north', ['bruno']],
    ['email=BRUNO@ZETA.ES', ['bruno']],
    ['email=bruno', []],
    ['search=BRUNO', ['bruno', 'carla']],
    ['search=ALP', ['Ana']],
    ['search=zeta.es', ['bruno']],
    ['search=%20', ['Ana', 'bruno', 'carla', 'House']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('updated_since includes changed contacts, created_since does not', async () => {
    s.clock.advance(1);
    const since = s.clock.now().toISOString();
    const [{ id }] = (await s.get('/v1/contacts?search=carla.pt', options)).body.data;
    await s.patch(`/v1/contacts/${id}`, { phone: '1' }, options);
    expect(await names(`updated_since=${since}`)).toEqual(['carla']);
    expect(await names(`created_since=${since}`)).toEqual([]);
  });

  test.each([
    'contact_types=friend',
    'contact_types=',
    'country=Portugal',
    'is_active=1x',
    'sort=email',
    'page_size=500',
    'contact_type=both',
  ])('rejects %s', async (query) => {
    const reply = await refused(s, () => s.get(`/v1/contacts?${query}`, options), 400, 'VALIDATION_FAILED');
    expect(reply.body.error.fields[0]).toMatchObject({ in: 'query', path: `/${query.split('=')[0] ?? ''}` });
  });
});
