/**
 * Connections to PostgreSQL: a pool of clients in pipeline mode. Statements of one connection are sent without waiting for the results of
 * those before, and run in order. Named statements are prepared once per connection.
 */
import type { Writable } from 'node:stream';
import pg from 'pg';
import { toStoreError } from './errors.ts';

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
  /** Runs statements without parameters or results, such as BEGIN and COMMIT. Resolves with the command tag of the last one. */
  execute(text: string): Promise<string>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** How long a caller waits for one of the connections. */
const POOL_TIMEOUT_MS = 30_000;
/** A server that does not answer for so long is lost. Queries may take long. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Of statements that read or write a few rows by key: longer than the time for which they may wait for a lock. */
export const SHORT_TIMEOUT_MS = 6_000;
/** As many groups of reads and writers of tenants run side by side. */
const MAX_CONNECTIONS = 10;

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
]
  .map((setting) => `SET ${setting}`)
  .join('; ');

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

export class Database implements Queryable {
  readonly url: string;
  readonly #pool: pg.Pool;

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
      pipeline: true,
    };
    this.#pool = new pg.Pool(config);
    this.#pool.on('error', onConnectionError);
    // An error of this also rejects the statements after it.
    this.#pool.on('connect', (client) => void client.query(PLANNER_SETTINGS).catch(() => undefined));
  }

  async query(statement: Statement, values: readonly unknown[]): Promise<readonly ResultRow[]> {
    return this.use((connection) => connection.query(statement, values));
  }

  /** Runs `work` with a connection of its own. The connection is closed when `work` fails, because its transaction may be open. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    // The error of a lost connection also rejects the statements that wait for it.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isFailed = true;
    try {
      const result = await work(createConnection(client));
      isFailed = false;
      return result;
    } finally {
      client.off('error', ignore);
      client.release(isFailed);
    }
  }

  /** Waits for connections in use, and closes all. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** pg does not declare the stream of a client. */
type ClientWithStream = pg.PoolClient & { readonly connection: { readonly stream: Writable } };

function createConnection(client: pg.PoolClient): Connection {
  const { stream } = (client as ClientWithStream).connection;
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
        const query = { name, text, values: values as unknown[], rowMode: 'array', query_timeout: timeoutMs } as const;
        const result = await client.query<unknown[]>(query);
        return result.rows;
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async execute(text) {
      holdWrites();
      try {
        const results = (await client.query(text)) as pg.QueryResult<pg.QueryResultRow> | readonly pg.QueryResult<pg.QueryResultRow>[];
        return ('command' in results ? results : results.at(-1))?.command ?? '';
      } catch (error) {
        throw toStoreError(error);
      }
    },
  };
}
