/** Values that a schema rejects, with what is wrong about each. Pure. */
import type { AnySchema, NumberSpec, StringSpec } from '../contract/schema/builder.ts';

export interface WrongValue {
  readonly what: string;
  readonly value: unknown;
}

/** Values of a field in a body. */
export function listWrongValues(schema: AnySchema): readonly WrongValue[] {
  const wrongType = { what: 'of another type', value: schema.kind === 'string' || schema.kind === 'enum' ? 17 : 'text' };
  const nothing = schema.nullable ? [] : [{ what: 'null', value: null }];
  return [...(schema.kind === 'json' ? [] : [wrongType, ...nothing]), ...listOutOfLimits(schema)];
}

/** Values of a parameter in a query, where everything is text. */
export function listWrongParameters(schema: AnySchema): readonly WrongValue[] {
  switch (schema.kind) {
    case 'number':
      return [{ what: 'not a number', value: 'x' }, ...listOutOfLimits(schema)];
    case 'boolean':
      return [{ what: 'not a boolean', value: 'x' }];
    case 'array':
      return listWrongParameters(schema.items);
    default:
      return listOutOfLimits(schema);
  }
}

function listOutOfLimits(schema: AnySchema): readonly WrongValue[] {
  switch (schema.kind) {
    case 'string':
      return listWrongTexts(schema);
    case 'number':
      return listWrongNumbers(schema);
    case 'enum':
      return [{ what: 'unknown', value: 'conform_unknown' }];
    case 'array':
      return schema.min === undefined || schema.min === 0 ? [] : [{ what: 'empty', value: [] }];
    default:
      return [];
  }
}

function listWrongTexts({ min = 0, max, format }: StringSpec): readonly WrongValue[] {
  if (format !== undefined) return [{ what: `not a ${format}`, value: 'x' }];
  return [
    ...(min > 0 ? [{ what: 'empty', value: '' }] : []),
    ...(max === undefined ? [] : [{ what: `longer than ${String(max)}`, value: 'x'.repeat(max + 1) }]),
  ];
}

function listWrongNumbers({ integer, min, max, above, below }: NumberSpec): readonly WrongValue[] {
  return [
    ...(integer ? [{ what: 'not whole', value: 1.5 }] : []),
    ...(min === undefined || min <= Number.MIN_SAFE_INTEGER ? [] : [{ what: `below ${String(min)}`, value: min - 1 }]),
    ...(above === undefined ? [] : [{ what: `not above ${String(above)}`, value: above }]),
    ...(max === undefined || max >= Number.MAX_SAFE_INTEGER ? [] : [{ what: `above ${String(max)}`, value: max + 1 }]),
    ...(below === undefined ? [] : [{ what: `not below ${String(below)}`, value: below }]),
  ];
}
