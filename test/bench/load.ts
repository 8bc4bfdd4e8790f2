/** What the load generator is given and what it measures. */

/** What autocannon replaces, wherever it stands in path, headers or body, by text that was never sent before. */
export const UNIQUE = '[<id>]';

export interface Shot {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The only status that counts as a reply. */
  readonly status: number;
  /** Sent and checked, but in none of the figures. */
  readonly untimed?: true;
}

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  /** The process whose CPU time is counted. */
  readonly pid: number;
  /** Divided among the connections, each of which sends its part in turn. */
  readonly shots: readonly Shot[];
}

export interface Load {
  readonly requests: number;
  /** Replies per second. */
  readonly rate: number;
  /** Milliseconds from sending a request until its reply is read. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** CPU microseconds of the server per reply; null where the system does not report them. */
  readonly cpu: number | null;
  /** Share of its core that the generator itself used. */
  readonly busy: number;
}

export type Answer = { readonly load: Load } | { readonly error: string };
