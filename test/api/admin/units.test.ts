/** Units over the admin API. */
import { expect, test } from 'vitest';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';

const unit = async (a: TestAdmin, symbol: string) =>
  (await a.get(`/admin/units?search=${symbol}`)).body.data.find((each: { symbol: string }) => each.symbol === symbol);

test('units have an exact factor to the base unit of their dimension', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/units', {
    name: 'Pound',
    symbol: 'lb',
    dimension: 'mass',
    factorNum: 45_359_237,
    factorDen: 100_000_000,
    precision: 3,
  });
  expect(reply.status).toBe(201);
  expect(reply.body.data).toMatchObject({
    symbol: 'lb',
    dimension: 'mass',
    factorNum: 45_359_237,
    factorDen: 100_000_000,
    precision: 3,
    isActive: true,
  });
  expect((await a.post('/admin/units', { name: 'Set', symbol: 'set' })).body.data).toMatchObject({
    dimension: 'count',
    factorNum: 1,
    factorDen: 1,
    precision: 0,
  });
  expect((await a.audit()).map(({ action }) => action)).toEqual(['unit.created', 'unit.created']);
  expect(await a.s.events()).toEqual([]);
});

test('units reject invalid fields by name', async () => {
  await using a = await startAdmin();
  const bad = [
    [{ symbol: 'x' }, '/name', 'required'],
    [{ name: 'X', symbol: ' ' }, '/symbol', 'empty'],
    [{ name: 'X', symbol: 'x', dimension: 'colour' }, '/dimension', 'not_allowed'],
    [{ name: 'X', symbol: 'x', factorNum: 0 }, '/factorNum', 'too_small'],
    [{ name: 'X', symbol: 'x', factorDen: 1.5 }, '/factorDen', 'wrong_type'],
    [{ name: 'X', symbol: 'x', factorNum: 1_000_000_001 }, '/factorNum', 'too_big'],
    [{ name: 'X', symbol: 'x', precision: 7 }, '/precision', 'too_big'],
    [{ name: 'X', symbol: 'x', precision: '2' }, '/precision', 'wrong_type'],
  ] as const;
  for (const [body, path, code] of bad) {
    const { status, body: reply } = await a.post('/admin/units', body);
    expect([status, reply.error.fields?.[0]?.path, reply.error.fields?.[0]?.code], JSON.stringify(body)).toEqual([400, path, code]);
  }
  const duplicate = await a.post('/admin/units', { name: 'Kilo', symbol: 'KG' });
  expect(duplicate.body.error).toMatchObject({ code: 'DUPLICATE_VALUE', details: { field: 'symbol' } });
  expect(await a.audit()).toEqual([]);
});

test('a used unit can change only fields that no quantity depends on', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/units', { name: 'Bag', symbol: 'bag', dimension: 'mass', factorNum: 50, precision: 1 })).body.data;
  const change = (body: object) => a.patch(`/admin/units/${id}`, body);
  expect((await change({ factorNum: 60, precision: 2 })).status).toBe(200);
  expect((await a.s.post('/v1/items', { name: 'Beans', unitId: id })).status).toBe(201);
  for (const body of [{ factorNum: 50 }, { factorDen: 2 }, { dimension: 'volume' }, { precision: 1 }]) {
    const refused = await change(body);
    expect(refused.body.error, JSON.stringify(body)).toMatchObject({
      code: 'RESOURCE_IN_USE',
      message:
        'The unit is in use by 1 item (Beans). Its dimension and factor cannot change, and its precision can only increase. Create another unit instead.',
      details: { references: { items: 1 } },
    });
  }
  expect((await a.delete(`/admin/units/${id}`)).body.error).toMatchObject({
    code: 'RESOURCE_IN_USE',
    message: 'The unit is in use by 1 item (Beans). Deactivate it instead: set isActive to false.',
    details: { references: { items: 1 } },
  });
  const allowed = await change({ name: 'Bag of 60 kg', symbol: 'bag60', precision: 3, isActive: false });
  expect(allowed.body.data).toMatchObject({ name: 'Bag of 60 kg', symbol: 'bag60', precision: 3, factorNum: 60, isActive: false });
});

test('an unused unit can be deleted and its symbol reused', async () => {
  await using a = await startAdmin();
  const { id } = await unit(a, 'pcs');
  expect((await a.delete(`/admin/units/${id}`)).status).toBe(204);
  expect((await a.delete(`/admin/units/${id}`)).status).toBe(404);
  expect((await a.post('/admin/units', { name: 'Piece', symbol: 'pcs' })).status).toBe(201);
  expect((await a.audit()).map(({ action }) => action)).toEqual(['unit.deleted', 'unit.created']);
});

test('units list searches by name and symbol within the tenant', async () => {
  await using a = await startAdmin();
  const symbols = async (query: string) =>
    (await a.get(`/admin/units?tenant=first&${query}`)).body.data.map(({ symbol }: { symbol: string }) => symbol);
  expect(await symbols('sort=symbol')).toEqual(['g', 'h', 'kg', 'l', 'm', 'pcs']);
  const { id } = await unit(a, 'kg');
  await a.patch(`/admin/units/${id}`, { isActive: false });
  expect(await symbols('is_active=false')).toEqual(['kg']);
  await a.post('/admin/tenants', { name: 'Second' });
  expect((await a.get(`/admin/units/${id}?tenant=second`)).status).toBe(404);
  expect((await a.patch(`/admin/units/${id}?tenant=second`, { name: 'X' })).status).toBe(404);
  expect((await a.delete(`/admin/units/${id}?tenant=second`)).status).toBe(404);
});
