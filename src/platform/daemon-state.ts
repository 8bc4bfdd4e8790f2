/** What the daemon publishes about itself: its state file, its start options and its status. */

/** The state file of a running daemon. Valid only if `GET /healthz` at `url` returns the same instanceId. */
export interface DaemonState {
  readonly pid: number;
  /** Proves that the pid is this daemon and not a later process, or one of another container; absent where there is no such proof. */
  readonly processIdentity?: string;
  /** When the daemon started, as a timestamp. */
  readonly startTime: string;
  readonly instanceId: string;
  readonly url: string;
  readonly version: string;
  readonly dataDir: string;
  /** As the daemon created it. Read it through `findAdminSocketPath`: in a container the data directory may have another path. */
  readonly adminSocket: string;
  /** Of the metrics, if they have a listener. */
  readonly metricsUrl?: string;
  /** Of the admin API on a port, if it has one; its token is in the file `control-token`. */
  readonly controlUrl?: string;
  /** The start options, reused by a restart. */
  readonly options: DaemonOptions;
}

/** The start options of a daemon. Absent options have their default. */
export interface DaemonOptions {
  readonly host?: string;
  readonly port?: number;
  /** Allows listening without TLS on an address that other machines can reach. */
  readonly insecure?: boolean;
  /** The data directory is deleted when the daemon stops. */
  readonly ephemeral?: boolean;
  /** Address of the PostgreSQL store, without a password. */
  readonly store?: string;
  readonly testClock?: boolean;
  /** Offset of the test clock from the system clock. */
  readonly clockOffsetSeconds?: number;
  /** Requests per minute by tier, in addition to the built-in tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly logLevel?: LogLevel;
  /** Retry schedule of deliveries: a name, or seconds joined by commas. */
  readonly webhookRetries?: string;
  /** The origin under which clients reach the service. */
  readonly publicUrl?: string;
  /** Origins of other pages that may use the API; `http://localhost:*` is every port. */
  readonly cors?: readonly string[];
  /** Whether applications may register themselves. Default: only if all clients are on this machine. */
  readonly allowRegistration?: boolean;
  /** Whether the daemon serves the console. */
  readonly console?: boolean;
  /** Addresses of proxies whose `X-Forwarded-*` headers are used, in CIDR notation. */
  readonly trustProxy?: readonly string[];
  /** How long the daemon still serves requests after it was asked to stop. */
  readonly drainSeconds?: number;
  /** Default: `extended`. */
  readonly contract?: ContractMode;
  /** Base URL of a collector that gets spans by OTLP. */
  readonly otlpEndpoint?: string;
  /** Port of a listener for metrics. */
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  /** Record requests with headers and bodies. */
  readonly record?: boolean;
  /** Port of the admin API with a token. */
  readonly controlPort?: number;
  readonly controlHost?: string;
}

/** `strict`: the given contract without extensions. */
export const CONTRACTS = ['extended', 'strict'] as const;
export type ContractMode = (typeof CONTRACTS)[number];

export const PORT_MAX = 65_535;
/** Longer than any load balancer needs to notice that a daemon is not ready. */
export const DRAIN_MAX_S = 600;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The status of one daemon, as printed by `daemon start` and `daemon status`. */
export interface DaemonStatus {
  /** `unresponsive`: a process holds the data directory but does not respond, for example while starting or stopping. */
  readonly status: 'running' | 'stopped' | 'unresponsive';
  readonly url: string | null;
  readonly pid: number | null;
  readonly dataDir: string;
  readonly version: string | null;
  readonly instanceId: string | null;
  /** Of the admin API on a port, if it has one. */
  readonly controlUrl?: string;
}

/** The status with what `GET /readyz` answers. */
export interface DaemonHealth extends DaemonStatus {
  /** Null if a running daemon does not say. */
  readonly ready: boolean | null;
  /** Why it is not ready. */
  readonly reason: string | null;
}

/** How far a start is in replaying the journal of its store. */
export interface ReplayProgress {
  readonly replayedBytes: number;
  /** Equal to `replayedBytes` in the last report. */
  readonly totalBytes: number;
  readonly milliseconds: number;
}

/** What a start reports while it runs. */
export interface StartObserver {
  /** Called at most once, with the reason for a long wait. */
  readonly onWait?: (reason: string) => void;
  /** Called about twice a second while the daemon replays its journal for more than a second. */
  readonly onReplay?: (progress: ReplayProgress) => void;
}
