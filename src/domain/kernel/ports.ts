/**
 * What the domain needs from outside, as interfaces: a store, a clock and new ids.
 * Queries are data, never functions, so that an SQL adapter could answer them as well as the file store does.
 */

/** A stored record: plain JSON with a primary key, unique within its tenant and table. */
export interface Row {
  readonly id: string;
}

export type Value = string | number | boolean | null;

/** `fold`: text is compared ignoring case and surrounding blanks (D-19). */
interface Folded {
  readonly fold?: true;
}

/** At most one row per value. Rows with a null, absent or blank value in one of the fields are exempt. */
export interface UniqueKey extends Folded {
  readonly fields: readonly string[];
}

/** One field of a sort order: booleans first, then numbers, then text by code units, nulls last. Ties are broken by id. */
export interface OrderStep extends Folded {
  readonly field: string;
  readonly descending?: true;
}

/** A table and the indexes for its queries, as data. */
export interface TableSpec<R extends Row = Row> {
  readonly name: string;
  /** `tenant`: rows belong to the tenant of the transaction. `service`: one set of rows for the whole service (tenants, keys). */
  readonly scope: 'tenant' | 'service';
  /** By name. `findUnique` looks a row up by one of them, and `put` rejects a second row with the same value. */
  readonly unique: Readonly<Record<string, UniqueKey>>;
  /** Sort orders by name, for `orderBy`. There is at least one; the first is the default. */
  readonly orders: Readonly<Record<string, readonly OrderStep[]>>;
  /** Fields with an equality index, whose values are no arrays. */
  readonly filters: readonly string[];
  /** Fields with an equality index of the elements of their arrays. */
  readonly arrayFilters: readonly string[];
  /** Further fields that conditions may name, without an index. */
  readonly columns: readonly string[];
  /** Text fields that `search` matches. */
  readonly search: readonly string[];
  /** Types of the fields named above that are not text. Any of them may be null. */
  readonly types: Readonly<Record<string, 'number' | 'boolean'>>;
  /** A storage format shorter than JSON. */
  readonly codec?: RowCodec<R>;
  /** Only carries the row type. */
  readonly row?: R;
}

/** A compact storage format for rows. Methods instead of function properties, so that the codec of a specific row type is assignable to `RowCodec`. */
export interface RowCodec<R extends Row = Row> {
  /** JSON text that `decode` turns into the same row. If it is an array, its first element is the id. */
  encode(row: R): string;
  /** Also decodes what earlier releases encoded, and rows stored as JSON objects. */
  decode(text: string): R;
}

/**
 * A condition on one field; the conditions of a query are joined by AND. The field must be `id` or one of the table's filters, columns,
 * order fields or unique fields. On an array field, `equals` and `in` mean "contains". Ranges and prefixes never match null and compare
 * folded text where the order of the field folds.
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

/**
 * Substring search over the table's search fields, ignoring case and accents (D-21); an empty text matches every row. A row also matches if
 * its value of the field `or` is the id of a row of another table that the subquery finds.
 */
export interface Search {
  readonly text: string;
  readonly or?: { readonly field: string; readonly in: Subquery };
}

/** The ids of the rows of a table, of the same tenant or of the service, whose search field `field` contains the text `search`. */
export interface Subquery {
  readonly table: string;
  readonly field: string;
  readonly search: string;
}

export interface Selection {
  readonly where?: readonly Condition[];
  readonly search?: Search;
}

export interface Query extends Selection {
  /** Name of an order of the table; default: its first. */
  readonly orderBy?: string;
  /** Reverses the order, including ties. */
  readonly descending?: boolean;
}

/** Page numbers start at 1. */
export interface PageQuery extends Query {
  readonly page: { readonly number: number; readonly size: number };
}

/** Rows strictly after a position in the order, given by the order fields and the id of the last row. */
export interface CursorQuery extends Query {
  readonly after?: { readonly values: readonly Value[]; readonly id: string };
  readonly limit: number;
}

/** Returned records are frozen; to change one, `put` a new value. */
export interface ReadTable<R extends Row> {
  get(id: string): Promise<R | undefined>;
  /** In the order of `ids`; undefined for ids without a row. */
  getMany(ids: readonly string[]): Promise<(R | undefined)[]>;
  /** Those of the ids that have no row. Does not read the rows. */
  listMissing(ids: readonly string[]): Promise<string[]>;
  /** The row with this value of a unique key (`values` in the order of the key's fields). */
  findUnique(unique: string, ...values: Value[]): Promise<R | undefined>;
  /** The ids of the rows with these values of one unique key, in their order. Does not read the rows. */
  findUniqueIds(unique: string, values: readonly (readonly Value[])[]): Promise<(string | undefined)[]>;
  listPage(query: PageQuery): Promise<{ rows: R[]; total: number }>;
  listAfter(query: CursorQuery): Promise<{ rows: R[]; more: boolean }>;
  /** The ids that `listAfter` would return, without reading the rows. */
  listIdsAfter(query: CursorQuery): Promise<{ ids: string[]; more: boolean }>;
  count(selection?: Selection): Promise<number>;
  /** The number of rows with each of these values of a filter. */
  countEach(filter: string, values: readonly Value[]): Promise<number[]>;
  /** A value that differs after any change of the table, for checks that take several reads. It may differ without a change. */
  getRevision(): Promise<unknown>;
}

export interface Table<R extends Row> extends ReadTable<R> {
  /** Insert or replace. Throws `DuplicateKey` when another row has the same value of a unique key. */
  put(record: R): Promise<void>;
  /** Like `put` of each in turn, but faster for similar rows. `from`: a tenant that has these rows, so that a store may keep their bytes once. */
  putMany(records: readonly R[], from?: string): Promise<void>;
  /** False if there is no such row. */
  remove(id: string): Promise<boolean>;
}

/** Thrown by `put`. The domain turns it into an error with the API's field name. */
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

/** The store cannot make a change durable now (disk full, I/O error, read-only). The change was discarded; reads continue. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

type Tables = Readonly<Record<string, TableSpec>>;
type RowType<S> = S extends TableSpec<infer R> ? R : never;
/** Read access to every table by name: `tx.items.get(id)`. */
export type ReadTables<S extends Tables> = { readonly [K in keyof S]: ReadTable<RowType<S[K]>> };

/** What a transaction adds to the tables: a time and ids that have the order of the commits of its tenant, whichever daemon makes them. */
export interface TransactionTime {
  /** The same instant throughout the transaction, and never earlier than that of any transaction before it. */
  readonly now: Date;
  /** Each id is greater than all ids of earlier transactions of this daemon. */
  readonly newId: NewId;
}
/** Every table by name, for reading and writing. */
export type WriteTables<S extends Tables> = { readonly [K in keyof S]: Table<RowType<S[K]>> } & TransactionTime;

/** Ids of rows, by table. */
export type RowIds<S extends Tables> = { readonly [K in keyof S]?: readonly string[] };

/** The changes of one durable commit, for listeners. */
export interface Commit {
  readonly tenant: string;
  /** Increases by one with every commit of the tenant, or of the whole store in the file store, across restarts. */
  readonly sequence: number;
  readonly changes: readonly {
    readonly table: string;
    /** Undefined when another daemon made the commit and its notification did not arrive: any rows of the table may have changed. */
    readonly id: string | undefined;
    /** The change inserted the row. */
    readonly added: boolean;
    readonly removed: boolean;
  }[];
}

/**
 * Serial transactions over named tables.
 * A transaction sees its own writes and everything committed before it; others see its writes only after it has committed.
 * If `work` throws, the transaction is rolled back. `transact` resolves when the commit is durable.
 * `work` may await the tables only, because all other transactions may be waiting for it. It must not open another transaction.
 * An adapter may retry, so `work` must have no effects outside of the transaction.
 */
export interface Store<S extends Tables> {
  /**
   * `tenant` is the tenant's id; tables of scope `service` are accessible from any tenant. Transactions run in the order in which they were
   * requested, but not immediately: a read that starts in between may see the state before. `reads`: rows that `work` is going to read,
   * which an adapter may read together with those of other transactions.
   */
  transact<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>, reads?: RowIds<S>): Promise<T>;
  /** Sees one consistent state, and resolves when everything it may have seen is durable. */
  read<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T>;
  /**
   * Like `read`, but an adapter may return committed data before it is durable. Only for data that no response shows by itself, such as the
   * caller's key: the read or transaction for the response waits.
   */
  readLatest<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T>;
  /**
   * Reads a table of scope `tenant` across tenants: of each tenant with rows that match, the first one in the order of the query. For
   * maintenance of all tenants, which would otherwise take transactions for each of them. Like `read`, but the tenants need not be read at
   * the same time.
   */
  readFirstRows<K extends keyof S & string>(table: K, query?: Query): Promise<readonly { tenant: string; row: RowType<S[K]> }[]>;
  /** The number of transactions that have been requested and have not ended. Background work yields to them. */
  readonly pendingTransactions: number;
  /** Calls the listener after each durable commit, in commit order. Returns the function that unsubscribes it. */
  onCommit(listener: (commit: Commit) => void): () => void;
  /** Finishes pending work and releases the store, in the state that opens fastest. Later calls throw `StoreUnavailable`. */
  close(): Promise<void>;
}

export interface Clock {
  /** The time of the service, or of this tenant, whose clock may be ahead or behind (S-4). */
  now(tenantId?: string): Date;
  /** Milliseconds by which the clock of a tenant is ahead of that of the service. Default: 0. */
  getAheadMs?(tenantId: string): number;
}

export type NewId = () => string;
