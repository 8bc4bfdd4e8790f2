/** The three readings of one schema statement agree: what joi accepts, the published JSON Schema accepts, and the other way round. */
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/contract/index.ts';
import { errors } from '../../src/contract/errors.ts';
import { toJoi } from '../../src/contract/joi.ts';
import { toJsonSchema } from '../../src/contract/json-schema.ts';
import { type Operation, errorsOf } from '../../src/contract/operation.ts';
import type { AnySchema } from '../../src/contract/schema.ts';

const SEED = 20_261_121;
const ajv = addFormats.default(new Ajv2020.default({ strict: true, allowUnionTypes: true, allErrors: false, keywords: ['x-extension'] }));

/** Values that are right, nearly right, and wrong in every way a client gets things wrong. */
function near(schema: AnySchema): fc.Arbitrary<unknown> {
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
    1e9,
    1e21,
  );
  return fc.oneof({ weight: 6, arbitrary: right(schema) }, { weight: 1, arbitrary: odd });
}
function right(schema: AnySchema): fc.Arbitrary<unknown> {
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

describe('one statement, one verdict', () => {
  for (const op of OPERATIONS) {
    const { body } = op as { body?: AnySchema };
    if (!body) continue;
    it(`${op.id}: joi and JSON Schema agree on every body`, () => {
      const joi = toJoi(body);
      const validate = ajv.compile(toJsonSchema(body, { dialect: 'draft-2020-12', side: 'input' }));
      fc.assert(
        fc.property(near(body), (value) => {
          const accepted = joi.validate(value, { convert: false }).error;
          expect({ value, accepted: accepted === undefined, why: accepted?.message }).toMatchObject({ accepted: validate(value) });
        }),
        { seed: SEED, numRuns: 400 },
      );
    });
  }

  it('every operation has an id of its own, an example for what it needs, and a scope or none', () => {
    expect(new Set(OPERATIONS.map((op) => op.id)).size).toBe(OPERATIONS.length);
    for (const op of OPERATIONS) {
      const { body, params, example } = op as { body?: AnySchema; params?: AnySchema; example?: { body?: unknown; params?: unknown } };
      if (body) expect(toJoi(body).validate(example?.body, { convert: false }).error, op.id).toBeUndefined();
      if (params) expect(toJoi(params).validate(example?.params).error, op.id).toBeUndefined();
    }
  });

  it('every operation names the refusals that its kind can meet', () => {
    for (const op of OPERATIONS as readonly Operation[]) {
      const codes = errorsOf(op);
      expect(codes.includes('SCOPE_REQUIRED'), op.id).toBe(op.scope !== null);
      expect(codes.includes('PLAN_REQUIRED'), op.id).toBe(op.plan !== undefined);
      expect(codes.includes('CONFLICT'), op.id).toBe(op.method === 'POST' || op.method === 'PATCH');
      expect(new Set(codes).size, op.id).toBe(codes.length);
      for (const code of codes) expect(errors[code].status, code).toBeGreaterThanOrEqual(400);
    }
  });
});
