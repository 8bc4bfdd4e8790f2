/**
 * The fields of a record that request bodies set, derived from the schema of the body: the contract is the only list of them.
 * Decimal numbers are stored as micro-units (D-9), text without surrounding blanks.
 */
import type { AnySchema, Infer, ObjectSchema, Shape } from '../../contract/schema/builder.ts';
import { fromMicro, toMicro, toPositiveMicro } from '../kernel/numbers.ts';
import { blankToNull, requireText } from '../kernel/text.ts';

/** The fields as they are stored: every one of them is present. */
export type StoredFields<P extends Shape> = { readonly [K in keyof P]: Exclude<Infer<P[K]>, undefined> };

export interface BodyFields<F> {
  /** The defaults of the schema; without one null, or an empty string for a required text. */
  readonly empty: F;
  /** The fields after a change: an omitted field is unchanged, null clears, blank text counts as null. Throws 400 for the first bad value. */
  merge(before: F, body: { readonly [K in keyof F]?: F[K] | undefined }): F;
  /** The fields as JSON shows them: decimals instead of micro-units. */
  toWire(fields: F): F;
  /** The fields that differ, with their values as JSON shows them. All fields are primitive values. */
  diff(before: F, after: F): Record<string, { from: unknown; to: unknown }>;
}

/** Derives the fields from the schema of a body. `omitted` names fields of the body that the record does not store in this way. */
export function defineBodyFields<P extends Shape, const O extends keyof P & string = never>(
  { properties }: ObjectSchema<P>,
  omitted: readonly O[] = [],
): BodyFields<StoredFields<Omit<P, O>>> {
  type F = StoredFields<Omit<P, O>>;
  type Values = Readonly<Record<string, unknown>>;
  const fields = Object.entries<AnySchema>(properties)
    .filter(([name]) => !(omitted as readonly string[]).includes(name))
    .map(([name, schema]) => ({ name, path: `/${name}`, isMicro: isDecimal(schema), toStored: getConverter(schema), schema }));
  const build = (getValue: (field: (typeof fields)[number]) => unknown): F => {
    const values: Record<string, unknown> = {};
    for (const field of fields) values[field.name] = getValue(field);
    // `fields` has every field of F; the compiler cannot infer that from a loop.
    return values as F;
  };
  return {
    empty: build(({ schema, path, toStored }) => {
      if (schema.default !== undefined) return toStored(schema.default, path);
      return schema.kind === 'string' && !schema.nullable ? '' : null;
    }),
    merge: (before, body) =>
      build(({ name, path, toStored }) => {
        const value = (body as Values)[name];
        if (value === undefined) return (before as Values)[name];
        return value === null ? null : toStored(value, path);
      }),
    toWire: (stored) => build(({ name, isMicro }) => toWireValue((stored as Values)[name], isMicro)),
    diff(before, after) {
      const changes: Record<string, { from: unknown; to: unknown }> = {};
      for (const { name, isMicro } of fields) {
        const [from, to] = [(before as Values)[name], (after as Values)[name]];
        if (from !== to) changes[name] = { from: toWireValue(from, isMicro), to: toWireValue(to, isMicro) };
      }
      return changes;
    },
  };
}

const toWireValue = (value: unknown, isMicro: boolean): unknown => (isMicro && typeof value === 'number' ? fromMicro(value) : value);

const isDecimal = (schema: AnySchema): boolean => schema.kind === 'number' && !schema.integer;

/** How a value of the schema is stored. Validation has checked its type. */
function getConverter(schema: AnySchema): (value: unknown, path: string) => unknown {
  if (schema.kind === 'number' && isDecimal(schema)) {
    const convert = schema.above === 0 ? toPositiveMicro : toMicro;
    return (value, path) => convert(value as number, path);
  }
  if (schema.kind === 'string' && schema.format === undefined) {
    return schema.nullable ? (value) => blankToNull(value as string) : (value, path) => requireText(value as string, path);
  }
  return (value) => value;
}
