import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../contract/index.ts';
import { toJoi } from '../contract/joi.ts';
import type { AnySchema, ObjectSpec } from '../contract/schema.ts';
import type { Operation } from '../contract/operation.ts';
import { createItem } from '../contract/items.ts';
import { createOrder } from '../contract/orders.ts';
import { plainness } from './plain.ts';

const SEED = 20_261_121;

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

/** Values near what a schema takes: some valid, some just beside it. */
function near(schema: AnySchema): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, '', ' ', 0, -0, 1.5, 1e21, true, [], {}, 'x', '7', ID.toUpperCase(), '2026-02-30');
  return fc.oneof({ weight: 12, arbitrary: valid(schema) }, { weight: 1, arbitrary: odd });
}

function valid(schema: AnySchema): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case 'string':
      if (schema.format === 'uuid') return fc.constantFrom(ID, ID.toUpperCase());
      if (schema.format === 'date') return fc.constantFrom('2026-03-31', '2026-02-29', '2028-02-29');
      if (schema.format === 'date-time')
        return fc.constantFrom('2026-03-31T14:00:00Z', '2026-03-31T14:00:00+02:00', '2026-02-30T14:00:00Z');
      return fc.oneof(
        fc.constantFrom('a', 'EUR', 'buy', 'Bolt\n', 'Schraube M6', '\u{1F529}', '\u{1F529}'.repeat(3), 'x'.repeat(schema.max ?? 5)),
        fc.string({ unit: 'binary', maxLength: (schema.max ?? 20) + 1 }),
      );
    case 'number':
      return fc.oneof(
        fc.constantFrom(schema.min ?? 0, schema.max ?? 1, schema.above ?? 2, schema.below ?? 3),
        fc.integer({ min: -2, max: 200 }),
        fc.double({ noNaN: true }),
      );
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...schema.values);
    case 'array':
      return fc.array(near(schema.items), { maxLength: 3 });
    case 'object':
      return objects(schema);
    case 'map':
      return fc.dictionary(fc.string(), near(schema.values));
    case 'json':
      return fc.jsonValue();
  }
}

function objects({ properties }: ObjectSpec): fc.Arbitrary<object> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, near(field)]));
  const requiredKeys = Object.keys(properties).filter((name) => !properties[name]?.optional);
  return fc.oneof(
    { weight: 9, arbitrary: fc.record(fields, { requiredKeys, noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.record({ ...fields, unknown: fc.constant(1) }, { requiredKeys: [], noNullPrototype: true }) },
  );
}

describe('what is told to be valid without joi', () => {
  const parts = (OPERATIONS as readonly Operation[]).flatMap(({ id, body, query, params }) =>
    Object.entries({ body, query, params }).flatMap(([place, spec]) => (spec ? [{ name: `${id} ${place}`, place, spec }] : [])),
  );

  it.each(parts)('$name: joi finds no fault and answers the same', ({ place, spec }) => {
    const plain = plainness(spec);
    fc.assert(
      fc.property(objects(spec), (value) => {
        const told = plain(structuredClone(value));
        if (told === undefined) return;
        const result = toJoi(spec).validate(value, { abortEarly: false, convert: place !== 'body' });
        expect(result.error).toBeUndefined();
        deepStrictEqual({ ...told }, result.value);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('covers the bodies that are sent most', () => {
    const item = { name: 'Hex bolt M6', sku: 'BOLT-M6', unitId: ID, categoryId: null, salePrice: 0.35 };
    expect(plainness(createItem.body)(item)).toEqual({ ...item, itemType: 'product', isActive: true });
    const order = { module: 'buy', contactId: ID, dueDate: '2026-03-09', lines: [{ itemId: ID, quantity: 2, unitPrice: 2.5 }] };
    expect(plainness(createOrder.body)(order)).toEqual({ ...order, status: 'draft', priority: 'normal' });
  });

  it('leaves what is to be converted, filled in further down or refused to joi', () => {
    const plain = plainness(createItem.body);
    expect(plain({ name: 'Bolt', unitId: ID.toUpperCase() })).toBeUndefined();
    expect(plain({ name: 'Bolt', colour: 'red' })).toBeUndefined();
    expect(plain({ name: 'Bolt', salePrice: '1' })).toBeUndefined();
    expect(plain({ sku: 'BOLT' })).toBeUndefined();
    expect(plain([])).toBeUndefined();
    expect(plain(null)).toBeUndefined();
  });
});
