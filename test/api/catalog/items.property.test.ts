/** Random sequences of changes over HTTP and the real store: the invariants of items hold after every step. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ITEM_TYPES } from '../../../src/contract/resources/items.ts';
import { CONTACT_TYPES } from '../../../src/contract/resources/contacts.ts';
import type { ContactRecord } from '../../../src/domain/contacts/records.ts';
import type { IngredientRecord, ItemRecord, SupplierLinkRecord } from '../../../src/domain/catalog/records.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { type CallOptions, type Reply, type TestService, ABSENT, startService } from '../../support/service/service.ts';
import { PROPERTY_TIMEOUT_MS, checkProperty, propertyRuns } from '../../support/property.ts';

const SLOTS = 5;

let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(async () => {
  await s[Symbol.asyncDispose]();
});

interface World {
  readonly tenantId: string;
  readonly options: CallOptions;
  readonly units: readonly (string | null)[];
  /** By slot: the id of the last record made there, also when it has been deleted since. */
  readonly items: string[];
  readonly contacts: string[];
}
interface State {
  readonly items: ReadonlyMap<string, ItemRecord>;
  readonly contacts: ReadonlyMap<string, ContactRecord>;
  readonly rows: ReadonlyMap<string, IngredientRecord>;
  readonly links: ReadonlyMap<string, SupplierLinkRecord>;
  readonly events: number;
}
type Step = (world: World, state: State) => Promise<Reply>;

const slot = fc.nat({ max: SLOTS - 1 });
const code = fc.constantFrom('a', 'A', ' a ', 'b', 'B', 'c', '', null);
const unit = fc.nat({ max: 3 });
const nullableSlot = fc.option(slot, { freq: 4 });
const id = (ids: readonly string[], at: number | null): string | null => (at === null ? null : (ids[at] ?? ABSENT));
const given = (fields: Record<string, unknown>) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const itemFields = fc.record({
  sku: maybe(code),
  barcode: maybe(code),
  itemType: maybe(fc.constantFrom(...ITEM_TYPES)),
  isActive: maybe(fc.constantFrom(true, true, false)),
  supplier: maybe(nullableSlot),
  unit: maybe(unit),
});
type ItemFields = typeof itemFields extends fc.Arbitrary<infer T> ? T : never;
const getBody = ({ supplier, unit: at, ...rest }: ItemFields, { contacts, units }: World) =>
  given({
    ...rest,
    ...(supplier === undefined ? {} : { supplierId: id(contacts, supplier) }),
    ...(at === undefined ? {} : { unitId: units[at] ?? null }),
  });

const NOWHERE = { id: ABSENT, itemId: ABSENT, supplierId: ABSENT };
/** One of the records, or an address that leads nowhere. */
const pick = <R>(records: ReadonlyMap<string, R>, n: number): R | typeof NOWHERE =>
  [...records.values()][n % Math.max(records.size, 1)] ?? NOWHERE;
const rowPath = ({ rows }: State, n: number) => {
  const { itemId, id: rowId } = pick(rows, n);
  return `/v1/items/${itemId}/ingredients/${rowId}`;
};
const linkPath = ({ links }: State, n: number) => {
  const { itemId, supplierId } = pick(links, n);
  return `/v1/items/${itemId}/suppliers/${supplierId}`;
};

const createItem = fc.tuple(slot, itemFields).map(([at, fields]): Step => async (world) => {
  const reply = await s.post('/v1/items', { name: `item ${String(at)}`, ...getBody(fields, world) }, world.options);
  if (reply.status === 201) world.items[at] = reply.body.data.id;
  return reply;
});
const updateItem = fc.tuple(slot, itemFields).map(
  ([at, fields]): Step =>
    (world) =>
      s.patch(`/v1/items/${id(world.items, at) ?? ''}`, getBody(fields, world), world.options),
);
const deleteItem = slot.map(
  (at): Step =>
    (world) =>
      s.delete(`/v1/items/${id(world.items, at) ?? ''}`, world.options),
);

const numbers = {
  quantity: fc.constantFrom(1, 0.25, 2),
  wastePercent: maybe(fc.constantFrom(0, 5)),
  position: maybe(fc.integer({ min: 1, max: 6 })),
};
const createIngredient = fc.tuple(slot, slot, unit, fc.record(numbers)).map(([parent, child, at, fields]): Step => (world) => {
  const body = { ...given(fields), ingredientItemId: id(world.items, child), unitId: world.units[at] ?? null };
  return s.post(`/v1/items/${id(world.items, parent) ?? ''}/ingredients`, body, world.options);
});
const updateIngredient = fc
  .tuple(fc.nat(), maybe(slot), fc.record({ ...numbers, quantity: maybe(numbers.quantity) }))
  .map(([n, child, fields]): Step => (world, state) => {
    const body = { ...given(fields), ...(child === undefined ? {} : { ingredientItemId: id(world.items, child), unitId: null }) };
    return s.patch(rowPath(state, n), body, world.options);
  });
const deleteIngredient = fc.nat().map(
  (n): Step =>
    (world, state) =>
      s.delete(rowPath(state, n), world.options),
);

const terms = fc.record({ purchasePrice: maybe(fc.constantFrom(null, 1.5)), isPreferred: maybe(fc.boolean()) });
const createLink = fc.tuple(slot, slot, terms).map(
  ([at, contact, fields]): Step =>
    (world) =>
      s.post(
        `/v1/items/${id(world.items, at) ?? ''}/suppliers`,
        { ...given(fields), supplierId: id(world.contacts, contact) },
        world.options,
      ),
);
const updateLink = fc.tuple(fc.nat(), terms).map(
  ([n, fields]): Step =>
    (world, state) =>
      s.patch(linkPath(state, n), given(fields), world.options),
);
const deleteLink = fc.nat().map(
  (n): Step =>
    (world, state) =>
      s.delete(linkPath(state, n), world.options),
);

const contactFields = fc.record({
  contactType: maybe(fc.constantFrom('both', 'supplier', ...CONTACT_TYPES)),
  company: maybe(fc.constantFrom('Acme', 'ACME', 'Beta', null)),
  isPrimaryContact: maybe(fc.boolean()),
  isActive: maybe(fc.constantFrom(true, true, true, false)),
});
const createContact = fc.tuple(slot, contactFields).map(([at, fields]): Step => async (world) => {
  const reply = await s.post('/v1/contacts', { name: `contact ${String(at)}`, contactType: 'supplier', ...given(fields) }, world.options);
  if (reply.status === 201) world.contacts[at] = reply.body.data.id;
  return reply;
});
const updateContact = fc.tuple(slot, contactFields).map(
  ([at, fields]): Step =>
    (world) =>
      s.patch(`/v1/contacts/${id(world.contacts, at) ?? ''}`, given(fields), world.options),
);
const deleteContact = slot.map(
  (at): Step =>
    (world) =>
      s.delete(`/v1/contacts/${id(world.contacts, at) ?? ''}`, world.options),
);

const step = fc.oneof(
  { weight: 3, arbitrary: createItem },
  { weight: 5, arbitrary: updateItem },
  { weight: 1, arbitrary: deleteItem },
  { weight: 6, arbitrary: createIngredient },
  { weight: 3, arbitrary: updateIngredient },
  { weight: 2, arbitrary: deleteIngredient },
  { weight: 4, arbitrary: createLink },
  { weight: 3, arbitrary: updateLink },
  { weight: 2, arbitrary: deleteLink },
  { weight: 1, arbitrary: createContact },
  { weight: 3, arbitrary: updateContact },
  { weight: 1, arbitrary: deleteContact },
);

/** Enough for both counts below with any seed. */
const RUNS = { shortRuns: 4 };

test(
  'random item changes keep the invariants of D-25 and emit exactly one event per changed record',
  { timeout: PROPERTY_TIMEOUT_MS },
  async () => {
    const counts = { done: 0, refused: 0 };
    await checkProperty(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
        const world = await newWorld();
        let before = await getState(world);
        for (const run of steps) {
          const reply = await run(world, before);
          expect(reply.status, reply.text).toBeLessThan(500);
          const after = await getState(world);
          if (reply.status >= 400) expect(after, 'a refusal changes nothing').toEqual(before);
          counts[reply.status < 400 ? 'done' : 'refused'] += 1;
          checkRecords(after);
          await checkChanges(world, before, after);
          before = after;
        }
        await checkNoOps(world, before);
        expect(await getState(world), 'sending back what is there changes nothing').toEqual(before);
      }),
      RUNS,
    );
    // The walk would prove little if nearly everything were refused, or nothing.
    expect(counts.done).toBeGreaterThan(counts.refused / 2);
    expect(counts.refused).toBeGreaterThan(3 * propertyRuns(RUNS.shortRuns));
  },
);

async function newWorld(): Promise<World> {
  const tenantId = (await s.addTenant(`world-${s.service.newId()}`)).id;
  const options = { key: await s.addKey({ tenantId }) };
  const units = [
    null,
    await addUnit(s, 'a kg', 'mass', [1, 1], { tenantId }),
    await addUnit(s, 'a g', 'mass', [1, 1000], { tenantId }),
    await addUnit(s, 'a piece', 'count', [1, 1], { tenantId }),
  ];
  const world: World = { tenantId, options, units, items: [], contacts: [] };
  for (let at = 0; at < SLOTS; at += 1) {
    world.items.push((await s.post('/v1/items', { name: `item ${String(at)}` }, options)).body.data.id);
    const contactType = at === 0 ? 'both' : 'supplier';
    world.contacts.push((await s.post('/v1/contacts', { name: `contact ${String(at)}`, contactType }, options)).body.data.id);
  }
  return world;
}

async function getState({ tenantId }: World): Promise<State> {
  const by = <R extends { readonly id: string }>(records: readonly R[]) => new Map(records.map((record) => [record.id, record]));
  return s.service.store.read(tenantId, async (tx) => ({
    items: by((await tx.items.listAfter({ limit: 1000 })).rows),
    contacts: by((await tx.contacts.listAfter({ limit: 1000 })).rows),
    rows: by((await tx.ingredients.listAfter({ limit: 1000 })).rows),
    links: by((await tx.supplierLinks.listAfter({ limit: 1000 })).rows),
    events: await tx.events.count(),
  }));
}

/** Invariants of one state. */
function checkRecords({ items, contacts, rows, links }: State): void {
  // 17: every reference resolves.
  for (const row of rows.values()) expect(items.has(row.itemId) && items.has(row.ingredientItemId)).toBe(true);
  for (const link of links.values()) expect(items.has(link.itemId) && contacts.has(link.supplierId)).toBe(true);
  for (const { id: itemId, itemType, supplierId } of items.values()) {
    const own = [...rows.values()].filter((row) => row.itemId === itemId).sort((a, b) => a.position - b.position);
    expect(own.map(({ position }) => position)).toEqual(own.map((_, index) => index + 1));
    if (itemType === 'material') expect(own).toEqual([]);
    if (itemType === 'combo') expect(own.filter(({ wastePercent }) => wastePercent > 0)).toEqual([]);
    if (own.some(({ ingredientItemId }) => items.get(ingredientItemId)?.itemType === 'combo')) throw new Error('a combo is an ingredient');
    // 15: exactly one link is preferred while there are any, and it is the item's supplier.
    const mine = [...links.values()].filter((link) => link.itemId === itemId);
    expect(mine.filter(({ isPreferred }) => isPreferred).map((link) => link.supplierId)).toEqual(mine.length > 0 ? [supplierId] : []);
    if (mine.length === 0) expect(supplierId).toBeNull();
    for (const link of mine) expect(contacts.get(link.supplierId)?.contactType).not.toBe('customer');
  }
  // 16: what is unique is unique, whatever its case.
  for (const field of ['sku', 'barcode'] as const) {
    const values = [...items.values()].map((item) => item[field]?.toLowerCase()).filter((value) => value !== undefined);
    expect(new Set(values).size).toBe(values.length);
  }
  // D-18, and 15: one primary contact per company, one house contact.
  const primaries = [...contacts.values()].filter((contact) => contact.isPrimaryContact && contact.company !== '');
  expect(new Set(primaries.map(({ company }) => company.toLowerCase())).size).toBe(primaries.length);
  expect([...contacts.values()].filter(({ isHouse }) => isHouse)).toHaveLength(1);
  checkAcyclic(items, rows);
}

/** 14: taking away what contains nothing that is left, again and again, takes away everything. */
function checkAcyclic(items: State['items'], rows: State['rows']): void {
  const left = new Set(items.keys());
  for (let size = -1; size !== left.size;) {
    size = left.size;
    const busy = new Set([...rows.values()].filter((row) => left.has(row.ingredientItemId)).map((row) => row.itemId));
    for (const itemId of left) if (!busy.has(itemId)) left.delete(itemId);
  }
  expect([...left]).toEqual([]);
}

/** D-23, D-25: a changed record has a later updatedAt, and exactly one event exists for each item and contact that changed. */
async function checkChanges({ tenantId }: World, before: State, after: State): Promise<void> {
  const moved = new Set<string>();
  for (const [was, is] of [
    [before.items, after.items],
    [before.contacts, after.contacts],
    [before.rows, after.rows],
    [before.links, after.links],
  ] as const) {
    for (const [key, record] of is) {
      const old = was.get(key);
      const changedId = 'itemId' in record ? record.itemId : key;
      if (old === record) continue;
      if (old && JSON.stringify(old) === JSON.stringify(record)) continue;
      if (old) expect(record.updatedAt > old.updatedAt, 'updatedAt moves with the record').toBe(true);
      moved.add(changedId);
    }
    for (const [key, record] of was) if (!is.has(key)) moved.add('itemId' in record ? record.itemId : key);
  }
  for (const itemId of moved) {
    const [old, now] = [before.items.get(itemId), after.items.get(itemId)];
    if (old && now) expect(now.updatedAt > old.updatedAt, 'an item moves with what belongs to it').toBe(true);
  }
  const events = await s.events(before.events, tenantId);
  expect(events.map(({ resourceId }) => resourceId).sort()).toEqual([...moved].sort());
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => before.events + index + 1));
}

/** 19: sending back what is there changes nothing. */
async function checkNoOps({ options }: World, state: State): Promise<void> {
  for (const itemId of state.items.keys()) {
    const { data } = (await s.get(`/v1/items/${itemId}`, options)).body;
    const { id: _id, createdAt: _c, updatedAt: _u, category: _k, supplier: _s, ...body } = data;
    expect((await s.patch(`/v1/items/${itemId}`, body, options)).body.data).toEqual(data);
    for (const row of (await s.get(`/v1/items/${itemId}/ingredients`, options)).body.data) {
      const { ingredientItemId, quantity, perQuantity, wastePercent, position, notes } = row;
      const same = { ingredientItemId, quantity, perQuantity, wastePercent, position, notes };
      expect((await s.patch(`/v1/items/${itemId}/ingredients/${row.id}`, same, options)).body.data).toEqual(row);
    }
    for (const link of (await s.get(`/v1/items/${itemId}/suppliers`, options)).body.data) {
      const { itemId: _i, supplierId, supplier: _r, createdAt: _a, updatedAt: _b, ...same } = link;
      expect((await s.patch(`/v1/items/${itemId}/suppliers/${supplierId}`, same, options)).body.data).toEqual(link);
    }
  }
  for (const contactId of state.contacts.keys()) {
    const { data } = (await s.get(`/v1/contacts/${contactId}`, options)).body;
    const { id: _id, createdAt: _c, updatedAt: _u, ...body } = data;
    expect((await s.patch(`/v1/contacts/${contactId}`, body, options)).body.data).toEqual(data);
  }
}
