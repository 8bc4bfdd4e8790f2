/** Generated values around a contract schema. */
import fc from 'fast-check';
import type { AnySchema } from '../../../src/contract/schema/builder.ts';

/** Values that are right, nearly right, and wrong in every way a client gets things wrong. */
export function near(schema: AnySchema): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    '1',
    true,
    [],
    {},
    'x'.repeat(250),
    '😀'.repeat(64),
    'a\nb',
    'a\u0000b',
    'a\u009bb',
    'a\u202eb',
    'a\ud800',
    'a\rb',
    1e9,
    1e21,
  );
  return fc.oneof({ weight: 6, arbitrary: right(schema) }, { weight: 1, arbitrary: odd });
}
/** Values of the right kind, in and out of bounds. */
export function right(schema: AnySchema): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case 'string': {
      if (schema.format === 'uuid')
        return fc.oneof(fc.uuid(), fc.constantFrom('{7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e}', '7d9f4c1e3b8a4f6e9c550d2a1b3c4d5e'));
      if (schema.format === 'date') return fc.constantFrom('2026-02-28', '2026-02-29', '2024-02-29', '2026-13-01', '2026-1-1');
      if (schema.format === 'date-time')
        return fc.constantFrom(
          '2026-02-28T10:00:00Z',
          '2026-02-28T10:00:00.123+02:00',
          '2026-02-28',
          '2026-02-30T10:00:00Z',
          '2026-02-28T25:00:00Z',
        );
      return fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.constantFrom(
          'a',
          'x@y.example',
          'PT',
          'x'.repeat(schema.max ?? 10),
          'x'.repeat((schema.max ?? 10) + 1),
          '😀'.repeat(schema.max ?? 10),
        ),
      );
    }
    case 'number':
      return fc.oneof(
        fc.integer({ min: -5, max: 300 }),
        fc.double({ min: -2, max: 200, noNaN: true }),
        fc.constantFrom(0, 999_999_999.999_999, 1e9, 2 ** 53),
      );
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...schema.values, 'other');
    case 'array':
      return fc.array(near(schema.items), { maxLength: 3 });
    case 'object': {
      const entries = Object.entries(schema.properties).map(([key, field]) => [key, near(field)] as const);
      const record = fc.record(Object.fromEntries(entries), { requiredKeys: [] });
      return fc.oneof({ weight: 9, arbitrary: record }, { weight: 1, arbitrary: record.map((value) => ({ ...value, surprise: 1 })) });
    }
    case 'map':
      return fc.dictionary(fc.string(), near(schema.values), { maxKeys: 3 });
    case 'json':
      return fc.jsonValue();
  }
}
