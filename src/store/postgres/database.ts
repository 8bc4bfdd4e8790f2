/**
 * Connections to PostgreSQL: a pool of clients in pipeline mode. Statements of one connection are sent without waiting for the results of
 * those before, and run in order. Named statements are prepared once per connection.
 */
import type { Writable } from 'node:stream';
import pg from 'pg';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { ConnectionLost, StatementUnknown, toConnectError, toStoreError } from './errors.ts';

/** A statement with parameters `$1`, `$2` …. Equal texts share one prepared statement. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** How long to wait for the result. The connection is closed afterwards. */
  readonly timeoutMs: number;
}

/** A result row: its columns in order. */
export type ResultRow = readonly unknown[];

/** Where statements can be sent: the pool, or one connection. */
export interface Queryable {
  /** Rejects with `StoreUnavailable` when the server cannot answer now. */
  query(statement: Statement, values: readonly unknown[]): Promise<readonly ResultRow[]>;
}

export interface Connection extends Queryable {
  /**
   * Runs statements without parameters or results, such as BEGIN and COMMIT. Resolves with the command tag of the last one. `timeoutMs`: as of
   * a statement. Default: a minute.
   */
  execute(text: string, timeoutMs?: number): Promise<string>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** How long a caller waits for one of the connections. */
const POOL_TIMEOUT_MS = 30_000;
/** A server that does not answer for so long is lost. Queries may take long. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Of statements that read or write a few rows by key: longer than the time for which they may wait for a lock. */
export const SHORT_TIMEOUT_MS = 6_000;
/** As many groups of reads and writers of tenants run side by side. */
export const MAX_CONNECTIONS = 10;
/** How long closing waits for the server. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Every table has indexes for its queries, beginning with the tenant. While a table is small, all its indexes seem about equally good for a
 * look-up, and a statement that is prepared then keeps its plan until the server has gathered statistics, however large the table has become.
 * - `enable_seqscan`: not the whole table.
 * - `cpu_operator_cost`, `random_page_cost`: not all rows of the tenant, by a smaller index or a bitmap. An index costs as much as the rows
 *   that it finds, however many pages it has kept of deleted rows. Among equals the server takes the newest index, the primary key.
 * - `plan_cache_mode`: do not plan look-ups and changes each time, which would take a tenth of the time of a write. The best plan of a
 *   query depends on its values and on pages, so reads change this and `random_page_cost` (read-groups.ts).
 * - `jit`: do not compile those plans that need a whole table nevertheless.
 */
const PLANNER_SETTINGS = [
  'enable_seqscan = off',
  'cpu_operator_cost = 0',
  'random_page_cost = 0',
  'plan_cache_mode = force_generic_plan',
  'jit = off',
];
/** Functions and operators of others must not replace those of the server. The user has this setting, too, because of poolers (schema.ts). */
const SEARCH_PATH = ['search_path = pg_catalog, pg_temp'];
/** The server notices within some seconds that the machine of a daemon is gone, and releases its locks. */
const NETWORK_SETTINGS = [
  'tcp_keepalives_idle = 5',
  'tcp_keepalives_interval = 2',
  'tcp_keepalives_count = 3',
  "tcp_user_timeout = '10s'",
  "idle_in_transaction_session_timeout = '30s'",
];
const SESSION_SETTINGS = [...SEARCH_PATH, ...PLANNER_SETTINGS, ...NETWORK_SETTINGS].map((setting) => `SET ${setting}`).join('; ');
const KEEP_ALIVE_DELAY_MS = 5_000;

const names = new Map<string, string>();

/** Names a statement. Call it with texts of a limited number of shapes: each stays prepared on each connection. */
export function defineStatement(text: string, timeoutMs = STATEMENT_TIMEOUT_MS): Statement {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `s${String(names.size + 1)}`));
  return { name, text, timeoutMs };
}

export interface DatabaseOptions {
  readonly url: string;
  /** Called with an error of a connection that no statement was waiting for. */
  readonly onConnectionError?: (error: Error) => void;
  readonly maxConnections?: number;
}

/** The pool's own timeout counts waiting for a free connection, too. */
class StoreClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/** A client beside the pool, for LISTEN. Its statements are rejected when they get no answer. */
export const createListenClient = (url: string): pg.Client =>
  new pg.Client({
    connectionString: url,
    application_name: 'stockroom listen',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  });

/** Closes the socket of a client at once, whether its server answers or not. */
export function destroyClient(client: pg.Client | pg.PoolClient): void {
  (client as WithStream).connection.stream.destroy();
}

export class Database implements Queryable {
  readonly url: string;
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.PoolClient>();
  /** Those that were idle since they were used. */
  readonly #reused = new WeakSet<pg.PoolClient>();
  /** What ends the calls that wait for the pool. Not one promise for all of them, which would keep each of them in memory. */
  readonly #waiting = new Set<(error: Error) => void>();
  #isDestroyed = false;
  /** Whether statements are prepared by name: not behind a pooler that gives the connections of the server to others in between. */
  #isPrepared = true;

  constructor({ url, onConnectionError = () => undefined, maxConnections = MAX_CONNECTIONS }: DatabaseOptions) {
    this.url = url;
    const config: pg.PoolConfig & { readonly pipeline: true } = {
      connectionString: url,
      application_name: 'stockroom',
      max: maxConnections,
      Client: StoreClient,
      connectionTimeoutMillis: POOL_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      pipeline: true,
    };
    this.#pool = new pg.Pool(config);
    this.#pool.on('error', onConnectionError);
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      // An error of this also rejects the statements after it.
      client.query(SESSION_SETTINGS).catch(() => undefined);
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
  }

  /** Whether all connections are gone for good. */
  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  async query(statement: Statement, values: readonly unknown[]): Promise<readonly ResultRow[]> {
    const run = () => this.use((connection) => connection.query(statement, values));
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StatementUnknown)) throw error;
      return run();
    }
  }

  /**
   * Runs `work` with a connection of its own. The connection is closed when `work` fails, because its transaction may be open. A server can
   * close a connection while it is idle, which the first statement finds out: then `work` runs again, with another connection. So a first
   * statement may be executed twice: it begins a transaction, or is one that can be repeated.
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.#connect();
      const wasIdle = this.#reused.has(client);
      let isAnswered = false;
      try {
        return await this.#useClient(client, work, () => (isAnswered = true));
      } catch (error) {
        if (!wasIdle || isAnswered || !(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  /** `onAnswer` is called when the server has answered a statement. */
  async #useClient<T>(client: pg.PoolClient, work: (connection: Connection) => Promise<T>, onAnswer: () => void): Promise<T> {
    // The error of a lost connection also rejects the statements that wait for it.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isFailed = true;
    try {
      const result = await work(this.#createConnection(client, onAnswer));
      isFailed = false;
      return result;
    } finally {
      this.#reused.add(client);
      client.off('error', ignore);
      client.release(isFailed);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#isDestroyed) throw createClosedError();
    const connecting = this.#pool.connect();
    try {
      return await this.#unlessDestroyed(connecting);
    } catch (error) {
      // A connection that is made later belongs to nobody.
      if (this.#isDestroyed) connecting.then((client) => client.release(true)).catch(() => undefined);
      throw toConnectError(error);
    }
  }

  /** Rejects as soon as all connections are destroyed. */
  async #unlessDestroyed<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#waiting.delete(reject);
    }
  }

  #createConnection(client: pg.PoolClient, onAnswer: () => void): Connection {
    return createConnection(
      client,
      () => this.#isPrepared,
      (error) => {
        if (error instanceof StatementUnknown) this.#isPrepared = false;
        if (!(error instanceof ConnectionLost)) onAnswer();
      },
    );
  }

  /** Waits for connections in use, and closes all; those whose server does not answer after a short time. */
  async close(): Promise<void> {
    if (this.#isDestroyed) return;
    const timer = setTimeout(() => this.destroy(), CLOSE_TIMEOUT_MS);
    await this.#unlessDestroyed(this.#pool.end()).catch((error: unknown) => {
      if (!this.#isDestroyed) throw error;
    });
    clearTimeout(timer);
    this.#isDestroyed = true;
  }

  /** Closes all connections at once. Calls in progress are rejected with `StoreUnavailable`, and so are later ones. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    for (const reject of this.#waiting) reject(createClosedError());
    for (const client of this.#clients) destroyClient(client);
    if (!this.#pool.ending) this.#pool.end().catch(() => undefined);
  }
}

const createClosedError = (): StoreUnavailable => new StoreUnavailable('The store is closed');

/** pg does not declare the stream of a client. */
interface WithStream {
  readonly connection: { readonly stream: Writable };
}

/** `isPrepared`: whether statements are prepared by name. `onSettled`: called after each statement, with its error if it failed. */
function createConnection(client: pg.PoolClient, isPrepared: () => boolean, onSettled: (error?: unknown) => void): Connection {
  const { stream } = (client as WithStream).connection;
  const fail = (thrown: unknown): unknown => {
    const error = toStoreError(thrown);
    onSettled(error);
    return error;
  };
  let isHeld = false;
  /** Statements that are sent in a row share a system call, which would take a fifth of the time of a write. */
  function holdWrites(): void {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.nextTick(() => {
      isHeld = false;
      stream.uncork();
    });
  }
  return {
    async query({ name, text, timeoutMs }, values) {
      holdWrites();
      try {
        const query = {
          ...(isPrepared() ? { name } : {}),
          text,
          values: values as unknown[],
          rowMode: 'array',
          query_timeout: timeoutMs,
        } as const;
        const result = await client.query<unknown[]>(query);
        onSettled();
        return result.rows;
      } catch (error) {
        throw fail(error);
      }
    },
    async execute(text, timeoutMs = STATEMENT_TIMEOUT_MS) {
      holdWrites();
      try {
        const results = (await client.query<pg.QueryResultRow>({ text, query_timeout: timeoutMs } as pg.QueryConfig)) as
          | pg.QueryResult<pg.QueryResultRow>
          | readonly pg.QueryResult<pg.QueryResultRow>[];
        onSettled();
        return ('command' in results ? results : results.at(-1))?.command ?? '';
      } catch (error) {
        throw fail(error);
      }
    },
  };
}
