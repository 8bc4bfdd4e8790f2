/** joi and the published JSON Schema of one schema statement accept the same values. */
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/contract/index.ts';
import { errors } from '../../src/contract/errors.ts';
import { BODY_MAX_VALUES, PROBLEMS_MAX } from '../../src/contract/limits.ts';
import { countValues } from '../../src/contract/schema/count-values.ts';
import { toJoi } from '../../src/contract/schema/joi.ts';
import { toJsonSchema } from '../../src/contract/schema/json-schema.ts';
import { type Operation, listErrorCodes } from '../../src/contract/operation.ts';
import type { AnySchema } from '../../src/contract/schema/builder.ts';
import { listStrictOperations, toStrictSchema } from '../../src/contract/strict.ts';
import { near } from '../support/contract/schema-arbitraries.ts';
import { checkProperty } from '../support/property.ts';

const ajv = addFormats.default(new Ajv2020.default({ strict: true, allowUnionTypes: true, allErrors: false, keywords: ['x-extension'] }));

describe('joi and JSON Schema', () => {
  for (const op of OPERATIONS) {
    const { body } = op as { body?: AnySchema };
    if (!body) continue;
    it(`${op.id}: joi and JSON Schema agree on every body`, async () => {
      const joi = toJoi(body);
      const validate = ajv.compile(toJsonSchema(body, { dialect: 'draft-2020-12', side: 'input' }));
      await checkProperty(
        fc.property(near(body), (value) => {
          const accepted = joi.validate(value, { convert: false }).error;
          expect({ value, accepted: accepted === undefined, why: accepted?.message }).toMatchObject({ accepted: validate(value) });
        }),
        { shortRuns: 40, longRuns: 400 },
      );
    });
  }

  it('no nullable field and no map has extensions, which the types of the strict client would keep', () => {
    const listKept = (schema: AnySchema, path: string): string[] => {
      if ((schema.nullable || schema.kind === 'map') && toStrictSchema(schema) !== schema) return [path];
      if (schema.kind === 'array') return listKept(schema.items, path);
      return schema.kind === 'object'
        ? Object.entries(schema.properties).flatMap(([name, field]) => listKept(field, `${path}/${name}`))
        : [];
    };
    const given = listStrictOperations().map((op) => op.extended ?? op);
    expect(
      given.flatMap(({ id, query, body, result }) => [query, body, result].flatMap((part) => (part ? listKept(part, id) : []))),
    ).toEqual([]);
  });

  it('every operation has a unique id, examples for its inputs, and a scope or none', () => {
    expect(new Set(OPERATIONS.map((op) => op.id)).size).toBe(OPERATIONS.length);
    for (const op of OPERATIONS) {
      const { body, params, example } = op as { body?: AnySchema; params?: AnySchema; example?: { body?: unknown; params?: unknown } };
      if (body) expect(toJoi(body).validate(example?.body, { convert: false }).error, op.id).toBeUndefined();
      if (params) expect(toJoi(params).validate(example?.params).error, op.id).toBeUndefined();
    }
  });

  it('every body with a limited size fits into the limit of fields and list entries', () => {
    const tooLarge = (OPERATIONS as readonly Operation[]).filter(({ body }) => body && countValues(body) > BODY_MAX_VALUES - PROBLEMS_MAX);
    expect(tooLarge.map(({ id }) => id)).toEqual([]);
  });

  it('every operation lists the errors of its kind', () => {
    for (const op of OPERATIONS as readonly Operation[]) {
      const codes = listErrorCodes(op);
      // Events need the scopes of what they are about.
      expect(codes.includes('SCOPE_REQUIRED'), op.id).toBe(op.scope !== null || op.id === 'events.list');
      expect(codes.includes('PLAN_REQUIRED'), op.id).toBe(op.plan !== undefined);
      expect(codes.includes('CONFLICT'), op.id).toBe(op.method === 'POST' || op.method === 'PATCH');
      expect(new Set(codes).size, op.id).toBe(codes.length);
      for (const code of codes) expect(errors[code].status, code).toBeGreaterThanOrEqual(400);
    }
  });
});
