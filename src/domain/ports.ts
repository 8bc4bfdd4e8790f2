/**
 * What the domain needs from the outside, as interfaces: a store, a clock, fresh ids.
 * Queries are data, never functions, so that an SQL adapter can answer them as well as the file store does.
 */

/** A stored record: plain JSON with a primary key, unique within its tenant and table. */
export interface Row {
  readonly id: string;
}

export type Value = string | number | boolean | null;

/** Text compared without regard to case and surrounding blanks (D-19). */
interface Folded {
  readonly fold?: true;
}

/** At most one row per value; a row with a null, absent or blank value in one of the fields is not compared. */
export interface UniqueKey extends Folded {
  readonly fields: readonly string[];
}

/** One step of a list order, by a field of plain values: booleans, then numbers, then text by code units, nulls last; ties are broken by id. */
export interface OrderStep extends Folded {
  readonly field: string;
  readonly descending?: true;
  /** Of a first step: its field has few values, and most rows come last among those of their value. */
  readonly grouped?: true;
}

/** Everything an adapter must be able to answer quickly about a table, as data. */
export interface TableSpec<R extends Row = Row> {
  readonly name: string;
  /** `tenant`: rows belong to the tenant of the transaction. `service`: one set of rows for the whole service (tenants, keys). */
  readonly scope: 'tenant' | 'service';
  /** By name; `find` looks a row up through one of them and `put` refuses a second row with the same value. */
  readonly unique: Readonly<Record<string, UniqueKey>>;
  /** By name; `orderBy` names one of them. The first is the default. Every table has at least one. */
  readonly orders: Readonly<Record<string, readonly OrderStep[]>>;
  /** Fields with an equality index; an array field is indexed by each of its elements. */
  readonly filters: readonly string[];
  /** Further fields that conditions may name (ranges, prefixes) but that need no index of their own. */
  readonly columns: readonly string[];
  /** Text fields that `search` looks into: case-insensitive substring, null counts as absent. */
  readonly search: readonly string[];
  /** How an adapter may write rows, when there is a shorter way than their JSON. */
  readonly form?: RowForm<R>;
  /** Carries the row type; never read. */
  readonly row?: R;
}

/** Another form of rows, for what is written very often. Methods, so that a spec of any row stands for one of all rows. */
export interface RowForm<R extends Row = Row> {
  /** JSON text that `read` turns into the same row. */
  write(row: R): string;
  /** The row of whatever `write` returns or has returned in an earlier release; the JSON of a row included. */
  read(text: string): R;
}

/**
 * One condition on one field; a query's conditions are joined by AND. The field must be among the table's
 * filters, columns, order fields or unique fields. On an array field `equals` and `in` mean "contains".
 * Ranges and prefixes never match null; both compare exactly, or folded where the field's order folds. `id` may always be named.
 */
export type Condition =
  | { readonly field: string; readonly equals: Value }
  | { readonly field: string; readonly in: readonly Value[] }
  | { readonly field: string; readonly prefix: string }
  | {
      readonly field: string;
      /** Inclusive lower bound. */ readonly from?: string | number;
      /** Exclusive lower bound. */ readonly after?: string | number;
      /** Inclusive upper bound. */ readonly to?: string | number;
      /** Exclusive upper bound. */ readonly before?: string | number;
    };

/** Substring search over the table's search fields, which an empty text matches everywhere; a row also matches when `or` holds (a name found in another table). */
export interface Search {
  readonly text: string;
  readonly or?: { readonly field: string; readonly in: readonly Value[] };
}

export interface Selection {
  readonly where?: readonly Condition[];
  readonly search?: Search;
}

export interface Query extends Selection {
  /** Name of an order of the table; default: its first. */
  readonly orderBy?: string;
  /** Walk the order backwards, ties included. */
  readonly descending?: boolean;
}

/** Page numbers start at 1. */
export interface PageQuery extends Query {
  readonly page: { readonly number: number; readonly size: number };
}

/** Rows strictly behind a position in the order: the values of the order's fields and the id of the last row seen. */
export interface AfterQuery extends Query {
  readonly after?: { readonly values: readonly Value[]; readonly id: string };
  readonly limit: number;
  /** For what is asked again and again: an adapter may keep the answer as long as the table does not change. Equal names mean equal queries. */
  readonly name?: string;
}

/**
 * A pure function of one record, named so that an adapter may keep its result for as long as the record stays the same.
 * It must not look at anything else, not even the time.
 */
export interface View<R extends Row, V> {
  readonly name: string;
  of(record: R): V;
}

/** Records come back frozen; change one by putting a new value. */
export interface ReadTable<R extends Row> {
  get(id: string): Promise<R | undefined>;
  /** In the order of `ids`; absent ones are undefined. */
  getMany(ids: readonly string[]): Promise<(R | undefined)[]>;
  /** The row with this value of a unique key (`values` in the order of the key's fields). */
  find(unique: string, ...values: Value[]): Promise<R | undefined>;
  page(query: PageQuery): Promise<{ rows: R[]; total: number }>;
  after(query: AfterQuery): Promise<{ rows: R[]; more: boolean }>;
  /** The ids of what `after` answers, without reading the rows. */
  idsAfter(query: AfterQuery): Promise<{ ids: string[]; more: boolean }>;
  count(selection?: Selection): Promise<number>;
  /** `get` and `page` through a view. */
  getView<V>(view: View<R, V>, id: string): Promise<V | undefined>;
  pageView<V>(view: View<R, V>, query: PageQuery): Promise<{ rows: V[]; total: number }>;
  /** A value that stays the same only while no row of the table does change: what is derived from them is good as long. One that is always new will do. */
  revision(): Promise<unknown>;
}

export interface Table<R extends Row> extends ReadTable<R> {
  /** Insert or replace. Throws `DuplicateKey` when another row has the same value of a unique key. */
  put(record: R): Promise<void>;
  /** `put` of each, one after another; rows that are alike cost less this way. */
  putMany(records: readonly R[]): Promise<void>;
  /** False when there was no such row. */
  remove(id: string): Promise<boolean>;
}

/** Thrown by `put`; the domain turns it into its own error with the field's wire name. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
  readonly table: string;
  readonly key: string;
  readonly existingId: string;
  constructor(table: string, key: string, existingId: string) {
    super(`${table}: ${key} is taken by ${existingId}`);
    this.table = table;
    this.key = key;
    this.existingId = existingId;
  }
}

/** The store cannot make a change durable now (disk full, I/O error, read-only). Nothing of the change was kept; reads go on. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

type Tables = Readonly<Record<string, TableSpec>>;
type RowOf<S> = S extends TableSpec<infer R> ? R : never;
/** Read access to every table by its name: `tx.items.get(id)`. */
export type ReadTables<S extends Tables> = { readonly [K in keyof S]: ReadTable<RowOf<S[K]>> };
export type WriteTables<S extends Tables> = { readonly [K in keyof S]: Table<RowOf<S[K]>> };

/** What one commit changed, told to listeners after it is durable. */
export interface Commit {
  readonly tenant: string;
  /** Increases by one with every commit of the store, across restarts. */
  readonly sequence: number;
  readonly changes: readonly {
    readonly table: string;
    readonly id: string;
    /** There was no such row before this change. */
    readonly added: boolean;
    readonly removed: boolean;
  }[];
}

/**
 * Serial transactions over named tables.
 * A transaction sees its own writes and everything committed before it; nobody else sees them until it has ended.
 * If `work` throws, nothing of it remains. `transact` resolves only when the change is durable.
 * `work` awaits nothing but the tables: everything else in the store may be waiting for it. It never opens another transaction.
 * `work` runs again from the start when the adapter has to retry, so it must have no effect besides the transaction's.
 */
export interface Store<S extends Tables> {
  /**
   * `tenant` is the tenant's id; tables of scope `service` are reachable from any tenant. Transactions are performed in the order in
   * which they were asked for, but not at once: what is read meanwhile may be as it was before.
   */
  transact<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>): Promise<T>;
  /** Sees one state from start to end, and resolves only when everything it may have seen is durable. */
  read<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T>;
  /**
   * Like `read`, but does not wait until what it saw is durable: only for what no answer shows by itself, such as who is asking,
   * because the answer's own read or transaction waits.
   */
  glance<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T>;
  /** Transactions that were asked for and have not ended: whoever could wait leaves the machine to them. */
  readonly transacting: number;
  /** Called after each durable commit, in commit order. Returns the function that ends it. */
  onCommit(listener: (commit: Commit) => void): () => void;
  /** Finishes what was begun, leaves the store in its quickest-to-open form, releases it; later calls throw `StoreUnavailable`. */
  close(): Promise<void>;
}

export interface Clock {
  now(): Date;
}

export type NewId = () => string;
