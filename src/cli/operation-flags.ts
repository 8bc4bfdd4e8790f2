/** Arguments and flags of a command, read from the operation that it performs: names, types and allowed values are never written twice. */
import { Args, Flags, type Interfaces } from '@oclif/core';
import type { Operation } from '../contract/operation.ts';
import type { AnySchema, ObjectSpec, Shape } from '../contract/schema.ts';
import { usage } from './failure.ts';
import { flagOf } from './problem.ts';

type Descriptions = Readonly<Record<string, string>>;

/** Path parameters as required arguments, in the order of the path. */
export function paramArgs(op: Pick<Operation, 'params'>, descriptions: Descriptions = {}): Interfaces.ArgInput {
  return Object.fromEntries(
    Object.entries(op.params?.properties ?? {}).map(([name, schema]) => [
      name,
      // Without `ignoreStdin` oclif would take a missing argument from whatever is piped in.
      Args.string({
        required: true,
        ignoreStdin: true,
        description: descriptions[name] ?? schema.description ?? `Id of the ${words(name.replace(/_id$/u, ''))}`,
      }),
    ]),
  );
}

/** The flags of a list: its filters, then how much of it. */
export function listFlags(op: Pick<Operation, 'query'>): Interfaces.FlagInput {
  const { page: _page, page_size: _size, tenant: _tenant, ...filters } = op.query?.properties ?? {};
  const max = op.query?.properties['page_size'];
  const bounds = max?.kind === 'number' && max.max !== undefined ? { max: max.max } : {};
  return {
    ...queryFlags(filters),
    all: Flags.boolean({ description: 'Every row, page after page, as they come.', exclusive: ['limit', 'page', 'page-size'] }),
    limit: Flags.integer({ helpValue: 'N', min: 1, description: 'At most so many rows.', exclusive: ['page', 'page-size'] }),
    page: Flags.integer({ helpValue: 'N', min: 1, description: 'Which page, from 1.' }),
    'page-size': Flags.integer({ helpValue: 'N', min: 1, ...bounds, description: max?.description ?? 'Rows per page.' }),
  };
}

export function queryFlags(filters: Shape): Interfaces.FlagInput {
  return Object.fromEntries(
    Object.entries(filters).map(([name, schema]) => {
      const flag = isInstant(schema)
        ? Flags.string({ description: describe(name, schema, undefined), helpValue: '2h|TIMESTAMP' })
        : flagFor(name, schema, undefined);
      return [flagOf(name), flag];
    }),
  );
}

/** The flags of a query that are points in time: `inTime` of the command reads them. */
export const instantFlags = (filters: Shape): readonly string[] =>
  Object.entries(filters)
    .filter(([, schema]) => isInstant(schema))
    .map(([name]) => flagOf(name));

const isInstant = (schema: AnySchema): boolean => schema.kind === 'string' && schema.format === 'date-time';

/** The query of a request from the flags that `listFlags` or `queryFlags` made. */
export function queryOf(op: Pick<Operation, 'query'>, flags: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const names = Object.keys(op.query?.properties ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const value = flags[flagOf(name)];
      return [name, typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value)];
    }),
  );
}

/**
 * A flag for every plain field of the body; lists and objects come through `--data` and `--set`. `descriptions` says in words what the
 * contract leaves to the name; fields that a command gives flags of its own are in `without`.
 */
export function bodyFlags(
  op: Pick<Operation, 'body'>,
  descriptions: Descriptions = {},
  without: readonly string[] = [],
): Interfaces.FlagInput {
  return Object.fromEntries(
    Object.entries(op.body?.properties ?? {})
      .filter(([name, schema]) => isPlain(schema) && !without.includes(name))
      .map(([name, schema]) => [flagOf(name), flagFor(name, schema, descriptions[name])]),
  );
}

/** Fields that one flag can carry: no lists, no objects. */
export const isPlain = ({ kind }: AnySchema): boolean => kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'enum';

/** The plain fields of a body with the names of their flags. */
export const plainFields = (body: ObjectSpec | undefined): readonly { name: string; flag: string; schema: AnySchema }[] =>
  Object.entries(body?.properties ?? {})
    .filter(([, schema]) => isPlain(schema))
    .map(([name, schema]) => ({ name, flag: flagOf(name), schema }));

function flagFor(name: string, schema: AnySchema, given: string | undefined): Interfaces.FlagInput[string] {
  const description = describe(name, schema, given);
  if (schema.kind === 'boolean') return Flags.boolean({ allowNo: true, description });
  const helpValue = helpValueOf(name, schema);
  const common = { description, ...(helpValue === undefined ? {} : { helpValue }) };
  if (schema.kind === 'enum') return Flags.string({ ...common, options: [...schema.values] });
  if (schema.kind === 'array' && schema.items.kind === 'enum')
    return Flags.string({ ...common, parse: listParser(name, schema.items.values) });
  return Flags.string(common);
}

/** Values joined by commas, each one of an enum. */
const listParser = (name: string, values: readonly string[]) => (input: string) => {
  const wrong = input.split(',').find((value) => !values.includes(value));
  if (wrong !== undefined) throw usage(`--${flagOf(name)} cannot be "${wrong}"; it takes ${values.join(', ')}`);
  return Promise.resolve(input);
};

function describe(name: string, schema: AnySchema, given: string | undefined): string {
  const text = given ?? schema.description ?? `${words(name).replace(/^./u, (first) => first.toUpperCase())}.`;
  const values = schema.kind === 'array' && schema.items.kind === 'enum' ? ` (${schema.items.values.join(', ')})` : '';
  const clear = schema.nullable ? ' Empty clears it.' : '';
  const preset =
    schema.default === undefined || schema.default === '' ? '' : ` Default: ${JSON.stringify(schema.default).replaceAll('"', '')}.`;
  return text.replace(/\.?$/u, `${values}.`) + preset + clear;
}

const HELP_VALUES: Readonly<Record<string, string>> = { uuid: 'ID', date: 'YYYY-MM-DD', 'date-time': 'TIMESTAMP' };

const CHOICES_MAX_CHARS = 32;

function helpValueOf(name: string, schema: AnySchema): string | undefined {
  if (schema.kind === 'enum') {
    const choices = schema.values.join('|');
    // Longer ones would leave no room for the descriptions of all flags: help lists them below the flag instead.
    return choices.length <= CHOICES_MAX_CHARS ? choices : undefined;
  }
  if (schema.kind === 'array') return 'A,B';
  if (schema.kind === 'number') return schema.integer ? 'N' : 'NUMBER';
  return (schema.kind === 'string' && HELP_VALUES[schema.format ?? '']) || (name.endsWith('Id') ? 'ID' : 'TEXT');
}

/** `salePrice` and `page_size` → `sale price`, `page size`. */
const words = (name: string): string => flagOf(name).replaceAll('-', ' ');
