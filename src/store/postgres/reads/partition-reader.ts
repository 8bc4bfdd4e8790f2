/** Reads the rows of one table of a tenant through the cache: what reads and transactions have in common. */
import type { CursorQuery, PageQuery, Query, Row, Selection, Value } from '../../../domain/kernel/ports.ts';
import { foldCase } from '../../case-folding.ts';
import { deepFreeze } from '../../deep-freeze.ts';
import { toUniqueValue } from '../../table-layout.ts';
import type { Queryable, ResultRow } from '../database.ts';
import type { TableHead } from '../heads.ts';
import { CachedRow, type CachedResult, type PartitionCache } from './partition-cache.ts';
import { MANY_SKIPPED, type QueryTables, type Sql, getPosition, selectAfter, selectCount, selectCounts, selectPage } from './query-sql.ts';
import { decodeText, encodeText } from '../sort-keys.ts';
import type { TableStatements } from './statements.ts';
import { type TableColumns, formatUniqueValue } from '../table-columns.ts';

export interface StoredTable {
  readonly columns: TableColumns;
  readonly statements: TableStatements;
}

/** What a query found: rows, and their total number. */
interface FoundRows {
  readonly rows: readonly CachedRow[];
  readonly total: number;
}

/** More rows than this, such as those of a check of all data, are not cached: they would displace everything else, and are not read again soon. */
const MAX_CACHED_TOGETHER = 256;

const toPageKey = (query: PageQuery): string => `page ${JSON.stringify(query)}`;
const toUniqueKey = (unique: number, text: string): string => `unique ${String(unique)} ${text}`;

/** A value of a unique key: the number of the key, and the text to find or undefined for values that are not compared. */
export interface UniqueText {
  readonly unique: number;
  readonly text: string | undefined;
}

export interface ReaderOptions {
  readonly table: StoredTable;
  /** The tenant, or '' for tables of the service. */
  readonly owner: string;
  readonly connection: Queryable;
  readonly head: TableHead;
  readonly cache: PartitionCache;
  /** False when the rows that the connection returns may differ from those of the head's revision. */
  readonly mayCache: boolean;
  /** The reader of the rows as of the head, from before changes were sent. What it has looked up stays true of these rows. */
  readonly committedReader?: PartitionReader | undefined;
  /** A table that a subquery names, and the revision of its rows: undefined when results that depend on them must not be cached. */
  readonly findTable: (name: string) => { readonly columns: TableColumns; readonly owner: string; readonly revision: string | undefined };
}

/** Selects rows by id, for `adopt`. */
export const selectMany = (connection: Queryable, { statements }: StoredTable, owner: string, ids: readonly string[]) =>
  ids.length === 1
    ? connection.query(statements.getOne, [owner, encodeText(ids[0]!)])
    : connection.query(statements.getMany, [owner, ids.map(encodeText)]);

export class PartitionReader {
  readonly #options: ReaderOptions;
  /** Rows that were looked up and do not exist. Valid as long as the reader. */
  readonly #missing = new Set<string>();
  /** Unique values that were looked up, and the rows that have them. */
  readonly #owners = new Map<string, CachedRow | undefined>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get head(): TableHead {
    return this.#options.head;
  }

  get committedReader(): PartitionReader | undefined {
    return this.#options.committedReader;
  }

  getCached(id: string): CachedRow | undefined {
    return this.#options.cache.getRow(this.head, id);
  }

  /** Whether a row is known not to exist. */
  isMissing(id: string): boolean {
    return this.#isEmpty || this.#missing.has(id) || this.committedReader?.isMissing(id) === true;
  }

  /** Whether the table has no rows, so that nothing has to be looked up, such as when a new tenant is filled. */
  get #isEmpty(): boolean {
    return this.#options.mayCache && this.head.rows === 0;
  }

  /** A row that is cached, or known to be missing; undefined when it has to be read. */
  getKnown(id: string): { readonly row: CachedRow | undefined } | undefined {
    const row = this.getCached(id);
    return row !== undefined || this.isMissing(id) ? { row } : undefined;
  }

  async get(id: string): Promise<CachedRow | undefined> {
    return this.getCached(id) ?? (await this.getMany([id]))[0];
  }

  /** In the order of the ids. */
  async getMany(ids: readonly string[]): Promise<(CachedRow | undefined)[]> {
    const found = ids.map((id) => this.getCached(id));
    const wanted = ids.filter((id, at) => found[at] === undefined && !this.isMissing(id));
    if (wanted.length === 0) return found;
    const { connection, table, owner } = this.#options;
    const read = this.adopt(wanted, await selectMany(connection, table, owner, wanted));
    return ids.map((id, at) => found[at] ?? read.get(id));
  }

  /** Takes over what `selectMany` has found for these ids. */
  adopt(ids: readonly string[], rows: readonly ResultRow[]): ReadonlyMap<string, CachedRow> {
    const isKept = rows.length <= MAX_CACHED_TOGETHER;
    const read = new Map(rows.map(([row]) => [(row as Row).id, this.#keep(row as Row, isKept)]));
    for (const id of ids) if (!read.has(id)) this.#missing.add(id);
    return read;
  }

  /** The row with a unique value, or that there is none; undefined when it has to be looked up. */
  getKnownOwner(unique: number, text: string): { readonly row: CachedRow | undefined } | undefined {
    const key = toUniqueKey(unique, text);
    if (this.#isEmpty) return { row: undefined };
    if (this.#owners.has(key)) return { row: this.#owners.get(key) };
    const { cache, mayCache, committedReader } = this.#options;
    if (committedReader !== undefined) return committedReader.getKnownOwner(unique, text);
    const found = mayCache ? cache.getResult(this.head, key) : undefined;
    if (found === undefined) return undefined;
    const [id] = found.ids;
    const row = id === undefined ? undefined : this.getCached(id);
    return id === undefined || row !== undefined ? { row } : undefined;
  }

  /** The row with a value of a unique key, as `toUniqueText` formats it. */
  async findUnique(unique: number, text: string): Promise<CachedRow | undefined> {
    const { connection, table, owner } = this.#options;
    const known = this.getKnownOwner(unique, text);
    if (known !== undefined) return known.row;
    const key = toUniqueKey(unique, text);
    const found = await this.#findResult(key, {}, async () => {
      const rows = await connection.query(table.statements.findUnique[unique]!, [owner, [text]]);
      return { rows: rows.map(([row]) => this.#keep(row as Row)), total: rows.length };
    });
    return found.rows[0];
  }

  /** Looks up many values of a unique key, so that `findUnique` knows them. */
  async lookUpUnique(unique: number, texts: readonly string[]): Promise<void> {
    const { connection, table, owner } = this.#options;
    const rows = texts.length === 0 || this.#isEmpty ? [] : await connection.query(table.statements.findUnique[unique]!, [owner, texts]);
    for (const text of texts) this.#owners.set(toUniqueKey(unique, text), undefined);
    for (const [row, text] of rows) this.#owners.set(toUniqueKey(unique, String(text)), this.#keep(row as Row));
  }

  /** The ids of the rows with these values of one unique key, in their order. One statement, which reads no rows. `findUnique` knows then which are free. */
  async findUniqueIds(keys: readonly UniqueText[]): Promise<(string | undefined)[]> {
    const { connection, table, owner } = this.#options;
    const texts = keys.flatMap(({ text }) => text ?? []);
    const [first] = keys;
    if (first === undefined || texts.length === 0 || this.#isEmpty) return keys.map(() => undefined);
    const rows = await connection.query(table.statements.findUniqueIds[first.unique]!, [owner, texts]);
    const ids = new Map(rows.map(([id, text]) => [String(text), decodeText(String(id))]));
    for (const text of texts) if (!ids.has(text)) this.#owners.set(toUniqueKey(first.unique, text), undefined);
    return keys.map(({ text }) => (text === undefined ? undefined : ids.get(text)));
  }

  /** Those of the ids that have no row. One statement, which reads no rows. */
  async listMissing(ids: readonly string[]): Promise<string[]> {
    const { connection, table, owner } = this.#options;
    const wanted = ids.filter((id) => this.getKnown(id) === undefined);
    const found = wanted.length === 0 ? [] : await connection.query(table.statements.listMissing, [owner, wanted.map(encodeText)]);
    const missing = new Set(found.map(([id]) => String(id)));
    return ids.filter((id) => this.isMissing(id) || missing.has(encodeText(id)));
  }

  /** `values` as callers of `findUnique` give them. */
  toUniqueText(name: string, values: readonly Value[]): UniqueText {
    const { layout, spec } = this.#options.table.columns;
    const unique = layout.uniques.findIndex((each) => each.name === name);
    const key = layout.uniques[unique];
    if (key === undefined) throw new Error(`table ${spec.name} has no unique key ${name}`);
    if (values.length !== key.columns.length)
      throw new Error(`unique key ${name} of ${spec.name} takes ${String(key.columns.length)} values`);
    const folded = values.map((value) => (typeof value === 'string' && key.folded ? foldCase(value) : value));
    const value = toUniqueValue(folded, key.folded);
    return { unique, text: value === undefined ? undefined : formatUniqueValue(value) };
  }

  async listPage(query: PageQuery): Promise<FoundRows> {
    const cached = this.#getCachedResult(toPageKey(query), query);
    // All rows of a result of this revision exist.
    if (cached !== undefined) return { rows: (await this.getMany(cached.ids)) as CachedRow[], total: cached.total };
    const { rows, total } = await this.#selectPage(query);
    return { rows: rows.map((row) => this.#keep(row)), total };
  }

  /** Selects a page, and caches which rows it has. One far from the start is found by the end of the page before, if that is cached. */
  async #selectPage(query: PageQuery): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
    const { owner } = this.#options;
    const { page, ...selection } = query;
    const previous = { ...query, page: { ...page, number: page.number - 1 } };
    const after = this.#getCachedResult(toPageKey(previous), query)?.end;
    const sql = after
      ? selectAfter(this.#tables, owner, { ...selection, limit: page.size, after })
      : selectPage(this.#tables, owner, query);
    const [selected, total] = await Promise.all([this.#select(sql), this.count(query)]);
    const rows = selected.slice(0, page.size);
    const isFar = page.number * page.size >= MANY_SKIPPED && rows.length === page.size;
    const end = isFar ? { end: getPosition(this.#tables, query, rows.at(-1)!) } : {};
    this.#setCachedResult(toPageKey(query), query, { ids: rows.map(({ id }) => id), total, ...end });
    return { rows, total };
  }

  /** Rows after a position, at most `limit`; `more` is true when others follow. */
  async listAfter(query: CursorQuery): Promise<{ readonly rows: readonly CachedRow[]; readonly more: boolean }> {
    const { owner } = this.#options;
    const { rows } = await this.#findResult(`after ${JSON.stringify(query)}`, query, async () => {
      const found = await this.#select(selectAfter(this.#tables, owner, query));
      const isKept = found.length <= MAX_CACHED_TOGETHER;
      return { rows: found.map((row) => this.#keep(row, isKept)), total: found.length };
    });
    return { rows: rows.slice(0, query.limit), more: rows.length > query.limit };
  }

  async count({ where = [], search }: Selection): Promise<number> {
    const { connection, owner, mayCache, head } = this.#options;
    if (where.length === 0 && search === undefined && mayCache) return head.rows;
    const selection: Query = { where, ...(search && { search }) };
    const { total } = await this.#findResult(`count ${JSON.stringify(selection)}`, selection, async () => {
      const { statement, values } = selectCount(this.#tables, owner, selection);
      const [[count] = []] = await connection.query(statement, values);
      return { rows: [], total: Number(count) };
    });
    return total;
  }

  async countEach(filter: string, values: readonly Value[]): Promise<number[]> {
    const { connection, owner } = this.#options;
    if (values.length === 0) return [];
    const sql = selectCounts(this.#tables, owner, filter, values);
    return (await connection.query(sql.statement, sql.values)).map(([count]) => Number(count));
  }

  async #select({ statement, values }: Sql): Promise<Row[]> {
    return (await this.#options.connection.query(statement, values)).map(([row]) => row as Row);
  }

  get #tables(): QueryTables {
    const { table, findTable } = this.#options;
    return { table: table.columns, findTable };
  }

  async #findResult(text: string, selection: Selection, find: () => Promise<FoundRows>): Promise<FoundRows> {
    const cached = this.#getCachedResult(text, selection);
    // All rows of a result of this revision exist.
    if (cached !== undefined) return { rows: (await this.getMany(cached.ids)) as CachedRow[], total: cached.total };
    const found = await find();
    if (found.rows.length <= MAX_CACHED_TOGETHER)
      this.#setCachedResult(text, selection, { ids: found.rows.map(({ id }) => id), total: found.total });
    return found;
  }

  #getCachedResult(text: string, selection: Selection): CachedResult | undefined {
    const key = this.#toResultKey(text, selection);
    return key === undefined ? undefined : this.#options.cache.getResult(this.head, key);
  }

  #setCachedResult(text: string, selection: Selection, result: CachedResult): void {
    const key = this.#toResultKey(text, selection);
    if (key !== undefined) this.#options.cache.setResult(this.head, key, result);
  }

  /** Under which key a result is cached, with the revision of the table that its subquery reads; undefined if it must not be cached. */
  #toResultKey(text: string, { search }: Selection): string | undefined {
    const { mayCache, findTable } = this.#options;
    const other = search?.or && findTable(search.or.in.table);
    if (!mayCache || (other && other.revision === undefined)) return undefined;
    return other ? `${text} ${other.revision}` : text;
  }

  #keep(row: Row, isKept = true): CachedRow {
    const { cache, head, mayCache } = this.#options;
    const kept = new CachedRow(row.id, { row: deepFreeze(row) });
    if (mayCache && isKept) cache.setRow(head, kept);
    return kept;
  }
}
