/** The copy of a program, compared with the service. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stockroom, startStockroom } from '../../../src/embedded/index.ts';
import { createClient } from '../../../src/client/client.ts';
import { createHttpTransport } from '../../../src/client/transport/transport.ts';
import { compareCopy, parseCopy } from '../../../src/cli/torture/copy.ts';

let stockroom: Stockroom;
beforeAll(async () => {
  stockroom = await startStockroom();
});
afterAll(() => stockroom.stop());

const compare = (copy: object) => {
  const client = createClient({
    transport: createHttpTransport({ url: stockroom.url }),
    key: stockroom.apiKey,
  });
  return compareCopy(parseCopy(JSON.stringify(copy)), client, stockroom.tenant.houseContactId);
};

test('a copy is compared in its lists and fields only, by id', async () => {
  const { data: bolt } = await stockroom.client.items.create({ name: 'Bolt', sku: 'BOLT' });
  const { data: nut } = await stockroom.client.items.create({ name: 'Nut' });
  const row = ({ id, name }: { id: string; name: string }) => ({ id, name, own: 'field' });
  expect(await compare({ items: [row(bolt), row(nut)], contacts: [], other: [] })).toEqual([]);
  expect(await compare({ items: { [bolt.id]: { name: 'Bolt' }, [nut.id]: { name: 'Nut' } } })).toEqual([]);
  expect(await compare({ items: [row(bolt), row(bolt), { id: '1', name: 'Gone' }] })).toEqual([
    'item BOLT Bolt: 2 times in the copy',
    'item Nut: only in the service',
    'item 1: only in the copy',
  ]);
  expect(await compare({ items: [{ ...row(bolt), name: 'Screw' }, row(nut)] })).toEqual([
    'item BOLT Bolt: name: "Screw" in the copy, "Bolt" in the service',
  ]);
});

test('stock levels are compared by item and site', async () => {
  const { data: item } = await stockroom.client.items.create({ name: 'Stocked' });
  await stockroom.client.stockDocuments.create(
    { type: 'receipt', lines: [{ itemId: item.id, quantity: 5, unitCost: 1 }] },
    { query: { approve: true } },
  );
  const levels = await stockroom.client.stockLevels.list().all();
  expect(await compare({ stockLevels: levels })).toEqual([]);
  const changed = levels.map((level) => (level.itemId === item.id ? { ...level, onHand: 4 } : level));
  expect(await compare({ stockLevels: changed })).toEqual([expect.stringMatching(/onHand: 4 in the copy, 5 in the service$/u)]);
});

test.for([
  ['[]', 'it is no object with contacts, items, orders, stockLevels'],
  ['{"item": []}', 'it has none of the lists contacts, items, orders, stockLevels'],
  ['{"items": [1]}', 'items has something that is no record'],
  ['{"items": {"a": 1}}', 'items has something that is no record'],
] as const)('the copy %s is rejected', ([text, message]) => {
  expect(() => parseCopy(text)).toThrow(message);
});
