/**
 * The records that the rows of an import may update. They are read page by page before the first row is sent, and only what a comparison
 * needs is kept: of each record its key, its id and 8 bytes per field of the file. If the file has fewer rows than the list has pages, the
 * record of each row is read instead.
 */
import type { Client, Reply } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { ListBody } from '../../client/lists/complete-list.ts';
import { iterateBatches } from '../../client/lists/batches.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { toFlagName } from '../flag-name.ts';
import { type BulkResource, ID, normalizeKey } from './bulk-resource.ts';
import { createSeenValues } from './rows/seen-values.ts';
import type { SendRequest } from './send.ts';

type Json = Readonly<Record<string, unknown>>;
type Identified = Json & { readonly id: string };
type Value = Json & { readonly id?: string };

/** One record, as far as rows are compared with it. */
export interface ExistingRecord {
  readonly id: string;
  /** Identifies the state of the record. */
  readonly version: string;
  isEqual(field: string, value: unknown): boolean;
}

/** Finds the records that a row may update, by what identifies them; two if there are several. */
export type FindExisting = (
  row: { readonly key: string; readonly parent: string | undefined },
  request: SendRequest,
) => Promise<readonly ExistingRecord[]>;

export interface ReadExistingOptions {
  readonly resource: BulkResource;
  /** The field of the key. */
  readonly upsert: string;
  /** The fields to compare. */
  readonly fields: readonly string[];
  /** Number of rows that will be compared. */
  readonly rows: number;
  readonly client: Client;
  readonly onRead: (count: number, total: number) => void;
}

export async function readExisting(options: ReadExistingOptions): Promise<FindExisting> {
  const { resource, upsert, fields, rows, client, onRead } = options;
  if (resource.parent) return createParentLookup(options, resource.parent.param);
  const first = await client.perform(resource.list, { query: { page_size: 1 } });
  const { pagination } = (first as Reply as Reply<ListBody>).body;
  if (Math.ceil(pagination.total / PAGE_SIZE_MAX) > rows) return createLookup(options);
  const table = createRecordTable(fields, upsert);
  let count = 0;
  for await (const { rows: records, total } of iterateBatches(client, resource.list, {}, null)) {
    for (const record of records as readonly Identified[]) {
      const key = record[upsert];
      if (typeof key === 'string' && key.trim() !== '') table.add(key, record);
    }
    count += records.length;
    onRead(count, total);
  }
  return ({ key }) => Promise.resolve(table.find(key));
}

/** Reads the record of each row when it is needed. */
function createLookup({ resource, upsert, fields }: ReadExistingOptions): FindExisting {
  const { list } = resource;
  const get = resource.upsert?.get ?? list;
  async function readOne(id: string, request: SendRequest): Promise<readonly Identified[]> {
    const [param = ''] = Object.keys(get.params?.properties ?? {});
    try {
      const reply = await request((client) => client.perform(get, { params: { [param]: id } }));
      return [(reply as Reply<{ data: Identified }>).body.data];
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }
  async function readList(value: string, request: SendRequest): Promise<readonly Identified[]> {
    const reply = await request((client) => client.perform(list, { query: { [toParameter(upsert)]: value, page_size: 2 } }));
    return (reply as Reply<{ data: readonly Identified[] }>).body.data;
  }
  return async ({ key }, request) => {
    const table = createRecordTable(fields, upsert);
    for (const record of await (upsert === ID ? readOne : readList)(key, request)) table.add(key, record);
    return table.find(key);
  };
}

/** Reads the records of a parent when the first row needs them. */
function createParentLookup({ resource, upsert, fields }: ReadExistingOptions, param: string): FindExisting {
  type Table = ReturnType<typeof createRecordTable>;
  const tables = new Map<string, Promise<Table>>();
  const read = async (parent: string, request: SendRequest): Promise<Table> => {
    const table = createRecordTable(fields, upsert);
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const query = { page, page_size: PAGE_SIZE_MAX };
      const reply = await request((client) => client.perform(resource.list, { params: { [param]: parent }, query }));
      const { data, pagination } = (reply as Reply<ListBody>).body;
      // Supplier links have no id of their own.
      for (const record of data as readonly Value[])
        table.add(String(record[upsert]), { ...record, id: record.id ?? String(record[upsert]) });
      pages = pagination.totalPages;
    }
    return table;
  };
  return async ({ key, parent = '' }, request) => {
    const table = tables.get(parent) ?? read(parent, request);
    tables.set(parent, table);
    return (await table).find(key);
  };
}

/** The filter of a list by a field. */
const toParameter = (field: string): string => toFlagName(field).replaceAll('-', '_');

const ID_BYTES = 16;
const DIGEST_BYTES = 8;
const FIRST_CAPACITY = 1_024;

/** A compact table of records by key, the value of the field `upsert`. */
export function createRecordTable(comparedFields: readonly string[], upsert: string) {
  // A record that was changed and changed back has another version.
  const fields = [...comparedFields, 'updatedAt'];
  const { hash } = process.getBuiltinModule('node:crypto');
  const stride = ID_BYTES + fields.length * DIGEST_BYTES;
  const numbers = createSeenValues();
  /** Number of the first record with a key → that of another one. */
  const others = new Map<number, number>();
  let buffer = Buffer.alloc(FIRST_CAPACITY * stride);
  let count = 0;

  const digest = (value: unknown): Buffer => hash('sha256', JSON.stringify(normalizeValue(value)), 'buffer').subarray(0, DIGEST_BYTES);
  function toRecord(number: number): ExistingRecord {
    const start = (number - 1) * stride;
    const bytes = buffer.subarray(start, start + stride);
    const isEqual = (field: string, value: unknown): boolean => {
      const at = fields.indexOf(field);
      const from = ID_BYTES + at * DIGEST_BYTES;
      return at !== -1 && bytes.subarray(from, from + DIGEST_BYTES).equals(digest(value));
    };
    return { id: formatId(bytes.toString('hex', 0, ID_BYTES)), version: hash('sha256', bytes).slice(0, DIGEST_BYTES * 2), isEqual };
  }
  return {
    add(key: string, record: Identified): void {
      count += 1;
      const first = numbers.add(normalizeKey(upsert, key), count);
      if (first !== null) others.set(first, count);
      if (count * stride > buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
      const start = (count - 1) * stride;
      buffer.write(record.id.replaceAll('-', ''), start, 'hex');
      for (const [at, field] of fields.entries()) digest(record[field]).copy(buffer, start + ID_BYTES + at * DIGEST_BYTES);
    },
    find(key: string): readonly ExistingRecord[] {
      const first = numbers.find(normalizeKey(upsert, key));
      if (first === null) return [];
      const other = others.get(first);
      return (other === undefined ? [first] : [first, other]).map(toRecord);
    },
  };
}

/** As the service stores it: texts are trimmed, and blank ones are null or empty, depending on the field. */
export function normalizeValue(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  return value ?? null;
}

const formatId = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
