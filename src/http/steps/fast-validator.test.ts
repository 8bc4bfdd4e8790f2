import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../contract/index.ts';
import { toJoi } from '../../contract/schema/joi.ts';
import { type AnySchema, type ObjectSpec, t } from '../../contract/schema/builder.ts';
import type { Operation } from '../../contract/operation.ts';
import { createItem } from '../../contract/resources/items.ts';
import { createOrder } from '../../contract/resources/orders.ts';
import { createFastValidator } from './fast-validator.ts';
import { checkProperty } from '../../../test/support/property.ts';

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

/** Values close to those of a schema: most of them valid, some just invalid. */
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
        fc.constantFrom(
          'a',
          'EUR',
          'buy',
          'Bolt\n',
          'Schraube M6',
          '\u{1F529}',
          '\u{1F529}'.repeat(3),
          'x'.repeat(schema.max ?? 5),
          'a\u009b',
          'a\u202e',
          'a\ud800',
          'a\r\n',
        ),
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

describe('createFastValidator', () => {
  const parts = (OPERATIONS as readonly Operation[]).flatMap(({ id, body, query, params }) =>
    Object.entries({ body, query, params }).flatMap(([place, spec]) => (spec ? [{ name: `${id} ${place}`, place, spec }] : [])),
  );

  it.each(parts)('accepts for $name only values that joi accepts, with the same result', async ({ place, spec }) => {
    const validateFast = createFastValidator(spec);
    await checkProperty(
      fc.property(objects(spec), (value) => {
        const accepted = validateFast(structuredClone(value));
        if (accepted === undefined) return;
        const result = toJoi(spec).validate(value, { abortEarly: false, convert: place !== 'body' });
        expect(result.error).toBeUndefined();
        deepStrictEqual({ ...accepted }, result.value);
      }),
      { shortRuns: 20 },
    );
  });

  it('accepts the most frequent request bodies', () => {
    const item = { name: 'Hex bolt M6', sku: 'BOLT-M6', unitId: ID, categoryId: null, salePrice: 0.35 };
    expect(createFastValidator(createItem.body)(item)).toEqual({ ...item, itemType: 'product', isActive: true });
    const order = { module: 'buy', contactId: ID, dueDate: '2026-03-09', lines: [{ itemId: ID, quantity: 2, unitPrice: 2.5 }] };
    expect(createFastValidator(createOrder.body)(order)).toEqual({ ...order, status: 'draft', priority: 'normal' });
  });

  it('leaves values to joi that are invalid or need conversion or nested defaults', () => {
    const validateFast = createFastValidator(createItem.body);
    expect(validateFast({ name: 'Bolt', unitId: ID.toUpperCase() })).toBeUndefined();
    expect(validateFast({ name: 'Bolt', colour: 'red' })).toBeUndefined();
    expect(validateFast({ name: 'Bolt', salePrice: '1' })).toBeUndefined();
    expect(validateFast({ sku: 'BOLT' })).toBeUndefined();
    expect(validateFast([])).toBeUndefined();
    expect(validateFast(null)).toBeUndefined();
    for (const field of [t.json(), t.map(t.json())]) expect(createFastValidator(t.object({ field }))({ field: {} })).toBeUndefined();
  });
});
