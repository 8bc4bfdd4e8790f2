/** Arguments and flags of a command, derived from its operation, so that names, types and values are defined once. */
import { Args, Flags, type Interfaces } from '@oclif/core';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema, ObjectSpec, Shape } from '../../contract/schema/builder.ts';
import { type RecordKind, formatAlternatives, getRecordNames } from '../../contract/schema/record-kinds.ts';
import { toFlagName } from '../flag-name.ts';
import { repeatable, valueList } from './common-flags.ts';
import { integerFlag } from './integer-flag.ts';

/** Path parameters as required arguments, in the order of the path. */
export function paramArgs(op: Pick<Operation, 'params'>): Interfaces.ArgInput<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(op.params?.properties ?? {}).map(([name, schema]) => [
      name,
      Args.string({ required: true, description: describeParam(name, schema) }),
    ]),
  );
}

function describeParam(name: string, schema: AnySchema): string {
  const { refersTo, description } = schema;
  if (refersTo !== undefined) return `${listNameTerms(refersTo)} of the ${toWords(name.replace(/_id$/u, ''))}`;
  return description ?? `Id of the ${toWords(name.replace(/_id$/u, ''))}`;
}

/** What identifies a record: `SKU, name or id`. */
function listNameTerms(kind: RecordKind): string {
  const terms = Object.values(getRecordNames(kind).fields).join(', ');
  return `${terms.slice(0, 1).toUpperCase()}${terms.slice(1)} or id`;
}

const PAGING: readonly string[] = ['page', 'page_size', 'cursor', 'include_deleted'];

/** The filters of a list. */
export const listFilters = ({ query }: Pick<Operation, 'query'>, without: readonly string[]): Shape =>
  Object.fromEntries(Object.entries(query?.properties ?? {}).filter(([name]) => !PAGING.includes(name) && !without.includes(name)));

/** Flags for the pages of a list. */
export function pagingFlags(op: Pick<Operation, 'query'>): Interfaces.FlagInput {
  const max = op.query?.properties['page_size'];
  const bounds = max?.kind === 'number' && max.max !== undefined ? { max: max.max } : {};
  return {
    all: Flags.boolean({
      description: 'Fetch every row, by time of creation unless --sort is given.',
      exclusive: ['limit', 'page', 'page-size'],
    }),
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Maximum number of rows.', exclusive: ['page', 'page-size'] }),
    page: integerFlag({ helpValue: 'N', min: 1, description: 'Page number, from 1.' }),
    'page-size': integerFlag({ helpValue: 'N', min: 1, ...bounds, description: max?.description ?? 'Rows per page.' }),
  };
}

export function queryFlags(filters: Shape): Interfaces.FlagInput {
  const siblings = new Set(Object.keys(filters).map(toFlagName));
  return Object.fromEntries(
    Object.entries(filters).map(([name, schema]) => {
      const flag = isInstant(schema)
        ? Flags.string({ description: `${describeFlag(name, schema, siblings)} ${describeLocalTime(name)}`, helpValue: '2h|TIME' })
        : createFlag(name, schema, siblings);
      return [toFlagName(name), flag];
    }),
  );
}

/** The state at a time is asked for: that of a day is the one at its end, while a period begins or ends with the start of the day. */
const STATE_TIMES: ReadonlySet<string> = new Set(['as_of']);

const describeLocalTime = (name: string): string => `Local time without an offset${STATE_TIMES.has(name) ? '; a day is its end' : ''}.`;

/** Flags for points in time, which `resolveInstants` of the command converts to timestamps. */
export const listInstantFlags = (filters: Shape): readonly { readonly flag: string; readonly isStateTime: boolean }[] =>
  Object.entries(filters)
    .filter(([, schema]) => isInstant(schema))
    .map(([name]) => ({ flag: toFlagName(name), isStateTime: STATE_TIMES.has(name) }));

const isInstant = (schema: AnySchema): boolean => schema.kind === 'string' && schema.format === 'date-time';

/** Converts flags to the query of a request. */
export function toQuery(op: Pick<Operation, 'query'>, flags: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const names = Object.keys(op.query?.properties ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const value = flags[toFlagName(name)];
      if (Array.isArray(value)) return [name, value.join(',')];
      return [name, typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value)];
    }),
  );
}

/** Creates a flag for each field of the body that one can set, except `without`; lists and objects are set with `--data` and `--set`. */
export function bodyFlags(op: Pick<Operation, 'body' | 'method'>, without: readonly string[] = []): Interfaces.FlagInput {
  const siblings = new Set(Object.keys(op.body?.properties ?? {}).map(toFlagName));
  return Object.fromEntries(
    Object.entries(op.body?.properties ?? {})
      .filter(([name, schema]) => hasFlag(schema) && !without.includes(name))
      .map(([name, schema]) => [
        toFlagName(name),
        createFlag(name, schema, siblings, schema.optional === true ? '' : REQUIRED, op.method === 'PATCH'),
      ]),
  );
}

/** Whether a flag can set a field: neither a list nor an object. */
export const hasFlag = ({ kind }: AnySchema): boolean => kind !== 'array' && kind !== 'object' && kind !== 'json';

/** Lists the fields of a body that have flags. */
export const listFlagFields = (body: ObjectSpec | undefined): readonly { name: string; flag: string; schema: AnySchema }[] =>
  Object.entries(body?.properties ?? {})
    .filter(([, schema]) => hasFlag(schema))
    .map(([name, schema]) => ({ name, flag: toFlagName(name), schema }));

/** Marks the flag of a field that the body needs. oclif does not require it, because `--data` and `--set` can set the field. */
export const REQUIRED = '(required) ';

/** Short names of flags. */
const FLAG_ALIASES: Readonly<Record<string, string[]>> = {
  'api-key-id': ['key'],
  'cancel-reason': ['reason'],
  'rate-limit-tier': ['tier'],
  'item-type': ['type'],
  'contact-type': ['type'],
  'ingredient-item-id': ['ingredient'],
  'to-site-id': ['to'],
};

/** `--contact` for `--contact-id`, because it takes a name, too. */
const listAliases = (flag: string, schema: AnySchema): string[] => [
  ...(getReferredKind(schema) !== undefined && flag.endsWith('-id') ? [flag.replace(/-id$/u, '')] : []),
  ...(FLAG_ALIASES[flag] ?? []),
];

/** `siblings`: the flags of the command. */
function createFlag(
  name: string,
  schema: AnySchema,
  siblings: ReadonlySet<string>,
  mark = '',
  isUpdate = false,
): Interfaces.FlagInput[string] {
  const description = mark + describeFlag(name, schema, siblings, isUpdate);
  if (schema.kind === 'boolean') return Flags.boolean({ allowNo: true, description });
  const helpValue = getHelpValue(name, schema);
  const aliases = listAliases(toFlagName(name), schema);
  const common = { description, ...(helpValue === undefined ? {} : { helpValue }), ...(aliases.length === 0 ? {} : { aliases }) };
  if (schema.kind === 'enum') return Flags.string({ ...common, options: [...schema.values] });
  if (schema.kind === 'map') return Flags.string({ ...common, ...repeatable });
  if (schema.kind !== 'array') return Flags.string(common);
  const options = schema.items.kind === 'enum' ? { options: [...schema.items.values] } : {};
  return Flags.string({ ...common, ...options, ...valueList });
}

/** The name of a field in a description of the contract, which may be a flag here. */
const FIELD = /`?\b([a-z]+(?:[A-Z][a-z]+)+)\b`?/gu;

/** `isUpdate`: whether an empty value changes something. */
function describeFlag(name: string, schema: AnySchema, siblings: ReadonlySet<string>, isUpdate = false): string {
  const kind = getReferredKind(schema);
  const words = toWords(kind === undefined ? name : name.replace(/(?:Id|_id)$/u, ''));
  const text =
    schema.description
      ?.replaceAll(FIELD, (code, field: string) => (siblings.has(toFlagName(field)) ? `--${toFlagName(field)}` : code))
      .replace(/^Id of (?:an? )?(.)/u, (_id, first: string) => first.toUpperCase())
      .replace('Without one, or with null: ', 'Default: ') ?? `${words.replace(/^./u, (first) => first.toUpperCase())}.`;
  const names = kind === undefined ? '' : ` (${formatAlternatives([...Object.values(getRecordNames(kind).fields), 'id'])})`;
  const clear = schema.nullable && isUpdate ? ' Empty clears it.' : '';
  const repeat = schema.kind === 'map' ? ' Repeatable.' : '';
  const preset =
    schema.default === undefined || schema.default === '' ? '' : ` Default: ${JSON.stringify(schema.default).replaceAll('"', '')}.`;
  return text.replace(/\.(?=\s|$)|$/u, `${names}.`) + preset + clear + repeat;
}

/** The kind of record that a flag refers to, once or in a list. */
const getReferredKind = (schema: AnySchema): RecordKind | undefined => (schema.kind === 'array' ? schema.items : schema).refersTo;

const HELP_VALUES: Readonly<Record<string, string>> = { uuid: 'ID', date: 'YYYY-MM-DD', 'date-time': 'TIMESTAMP' };

const MAX_CHOICES_CHARS = 32;

function getHelpValue(name: string, schema: AnySchema): string | undefined {
  if (schema.kind === 'enum') {
    const choices = schema.values.join('|');
    // Longer lists would leave no room for descriptions; help prints them below the flag instead.
    return choices.length <= MAX_CHOICES_CHARS ? choices : undefined;
  }
  if (schema.kind === 'array') return 'A,B';
  if (schema.kind === 'map') return 'KEY=VALUE';
  if (schema.refersTo !== undefined) return getRecordNames(schema.refersTo).noun.toUpperCase().replaceAll(' ', '-');
  if (schema.kind === 'number') return schema.integer ? 'N' : 'NUMBER';
  return (schema.kind === 'string' && HELP_VALUES[schema.format ?? '']) || (name.endsWith('Id') ? 'ID' : 'TEXT');
}

/** `salePrice` and `page_size` → `sale price`, `page size`. */
const toWords = (name: string): string => toFlagName(name).replaceAll('-', ' ');
