/** Tables that use every feature of a spec, and random rows and queries for them. */
import fc from 'fast-check';
import { hash } from 'node:crypto';
import type { Condition, Query, Search, TableSpec } from '../../src/domain/kernel/ports.ts';

export interface Thing {
  readonly id: string;
  readonly name: string;
  readonly sku: string | null;
  readonly kind: string | null;
  readonly size: number | null;
  readonly active: boolean;
  readonly tags: readonly string[];
  readonly at: string | null;
  readonly note?: string;
}

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly list: string;
  readonly position: number;
}

const things: TableSpec<Thing> = {
  name: 'things',
  scope: 'tenant',
  unique: { sku: { fields: ['sku'], fold: true }, spot: { fields: ['kind', 'size'] } },
  orders: {
    name: [{ field: 'name', fold: true }],
    at: [{ field: 'at' }],
    size: [{ field: 'size', descending: true }, { field: 'name' }],
    active: [{ field: 'active' }, { field: 'at', descending: true }],
    kind: [{ field: 'kind', descending: true }],
  },
  filters: ['kind', 'active', 'name'],
  arrayFilters: ['tags'],
  columns: ['note'],
  search: ['name', 'sku', 'note'],
  types: { size: 'number', active: 'boolean' },
};

const notes: TableSpec<Note> = {
  name: 'notes',
  scope: 'service',
  unique: { place: { fields: ['list', 'position'] } },
  orders: { list: [{ field: 'list' }, { field: 'position' }] },
  filters: ['list'],
  arrayFilters: [],
  columns: [],
  search: ['text'],
  types: { position: 'number' },
  // Most notes are stored as lists, some as objects; both can be read.
  codec: {
    encode: (note) => JSON.stringify(note.text === 'as it is' ? note : [note.id, note.text, note.list, note.position]),
    decode(text) {
      const stored: unknown = JSON.parse(text);
      if (!Array.isArray(stored)) return stored as Note;
      const [id, noteText, list, position] = stored as [string, string, string, number];
      return { id, text: noteText, list, position };
    },
  },
};

/** A row of a table without unique keys. */
export interface Mark {
  readonly id: string;
  readonly text: string;
  readonly colour: string | null;
}

const marks: TableSpec<Mark> = {
  name: 'marks',
  scope: 'tenant',
  unique: {},
  orders: { text: [{ field: 'text' }], colour: [{ field: 'colour' }, { field: 'text' }] },
  filters: ['colour'],
  arrayFilters: [],
  columns: [],
  search: ['text', 'colour'],
  types: {},
};

export const tables = { things, notes, marks };
export type Things = typeof tables;

const words = ['Bolt', 'bolt', 'NUT', 'Ärmel', 'a\u0308rmel', 'ab', 'B', 'M6', '箱', 'straße', 'x'];
const name = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
const at = fc.option(
  fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 40 }).map((day) => new Date(Date.UTC(2026, 0, day + 1)).toISOString()) },
    { weight: 1, arbitrary: fc.constantFrom('2026-01-05', 'soon', '2026-02-31T00:00:00.000Z') },
  ),
  { nil: null },
);
const ids = Array.from({ length: 24 }, (_, each) => `t${each}`);
export const thingIds = fc.constantFrom(...ids);

/** Ids that the file store encodes in different ways. */
export const ID_FORMATS = {
  'short text': (id: string) => id,
  UUIDs: (id: string) => toUuid(id),
  digests: (id: string) => hash('sha256', id),
  'UUIDs, with other texts among them': (id: string) => (id.endsWith('7') ? id : toUuid(id)),
  'digests, with UUIDs in capitals among them': (id: string) => (id.endsWith('1') ? toUuid(id).toUpperCase() : hash('sha256', id)),
} satisfies Readonly<Record<string, (id: string) => string>>;

const toUuid = (id: string): string => hash('sha256', id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5');

/** The query with the ids in its conditions in that format. */
export const withIdFormat = (drawn: Query, format: (id: string) => string): Query => ({
  ...drawn,
  ...(drawn.where && {
    where: drawn.where.map((each) =>
      each.field === 'id' && 'in' in each ? { field: 'id', in: each.in.map((id) => format(String(id))) } : each,
    ),
  }),
});

export const thingArbitrary: fc.Arbitrary<Thing> = fc.record(
  {
    id: thingIds,
    name,
    sku: fc.option(fc.constantFrom('A1', 'a1 ', 'B2', 'c3', ' ', '', 'D-4', 'e5', 'F6', 'ß'), { nil: null }),
    kind: fc.option(fc.constantFrom('x', 'y', 'z'), { nil: null }),
    size: fc.option(fc.oneof(fc.integer({ min: -3, max: 30 }), fc.constantFrom(0.5, 1e21, -0.25)), { nil: null }),
    active: fc.boolean(),
    tags: fc.array(fc.constantFrom('red', 'blue', 'old'), { maxLength: 3 }),
    at,
    note: name,
  },
  { requiredKeys: ['id', 'name', 'sku', 'kind', 'size', 'active', 'tags', 'at'] },
);

const bounds = (value: fc.Arbitrary<string | number>): fc.Arbitrary<object> =>
  fc.record({ from: value, after: value, to: value, before: value }, { requiredKeys: [] }).filter((each) => Object.keys(each).length > 0);

const someAt = at.filter((value) => value !== null);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field: fc.constant('kind'), equals: fc.constantFrom('x', 'y', null, 'none') }),
  fc.record({ field: fc.constant('active'), equals: fc.boolean() }),
  fc.record({ field: fc.constant('tags'), equals: fc.constantFrom('red', 'blue') }),
  fc.record({ field: fc.constant('tags'), in: fc.array(fc.constantFrom('red', 'old', 'none'), { maxLength: 3 }) }),
  fc.record({ field: fc.constant('kind'), in: fc.array(fc.constantFrom('x', 'y', null), { maxLength: 3 }) }),
  fc.record({ field: fc.constant('sku'), equals: fc.constantFrom('A1', 'a1', 'B2', null, ' ') }),
  fc.record({ field: fc.constant('sku'), in: fc.constantFrom(['A1', 'c3'], ['ß', null]) }),
  fc.record({ field: fc.constant('id'), in: fc.array(thingIds, { maxLength: 4 }) }),
  fc.record({ field: fc.constant('name'), equals: name }),
  fc.record({ field: fc.constant('name'), prefix: fc.constantFrom('b', 'Bo', 'a\u0308', '') }),
  fc.record({ field: fc.constant('note'), prefix: fc.constantFrom('b', 'Bo', 'NUT') }),
  fc.record({ field: fc.constant('sku'), prefix: fc.constantFrom('a', 'A', 'D') }),
  fc.record({ field: fc.constant('size'), equals: fc.constantFrom(0, 1, null, '1') }),
  fc.tuple(fc.constant('size'), bounds(fc.integer({ min: -3, max: 30 }))).map(([field, range]) => ({ field, ...range })),
  fc.tuple(fc.constant('at'), bounds(someAt)).map(([field, range]) => ({ field, ...range })),
  fc.tuple(fc.constant('name'), bounds(name)).map(([field, range]) => ({ field, ...range })),
);

const search: fc.Arbitrary<Search> = fc.record(
  {
    text: fc.constantFrom('b', 'bo', 'BOLT', 'olt m', 'är', 'ar', 'A\u0308RM', '箱', '6', 'zzz', '', 'straße', 'STRAS', 'x x', 'd-4'),
    // Marks have the values of the field as their ids.
    or: fc.record({
      field: fc.constantFrom('kind', 'tags'),
      in: fc.record({
        table: fc.constant('marks'),
        field: fc.constantFrom('text', 'colour'),
        search: fc.constantFrom('b', 'BOLT', 'olt m', 'är', 'ar', '箱', 'zzz', '', 'stras'),
      }),
    }),
  },
  { requiredKeys: ['text'] },
);

export const queryArbitrary: fc.Arbitrary<Query> = fc.record(
  {
    where: fc.array(condition, { maxLength: 3 }),
    search,
    orderBy: fc.constantFrom('name', 'at', 'size', 'active'),
    descending: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Marks that subqueries find. */
export const markArbitrary: fc.Arbitrary<Mark> = fc.record({
  id: fc.constantFrom('x', 'y', 'z', 'red', 'old', 'none'),
  text: name,
  colour: fc.option(name, { nil: null }),
});

export function createThing(id: string, more: Partial<Thing> = {}): Thing {
  return { id, name: `Thing ${id}`, sku: null, kind: null, size: null, active: true, tags: [], at: null, ...more };
}
