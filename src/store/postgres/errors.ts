/** What errors of PostgreSQL mean for callers of the store. Codes: PostgreSQL documentation, appendix A. */
import { StoreUnavailable } from '../../domain/kernel/ports.ts';

/** The database cannot be used by this release, or not as configured. The message is for the user who starts a daemon. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
  readonly hint: string | undefined;
  constructor(message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
  }
}

/** The server ended a transaction so that another one can continue: it can run again. */
export class TransactionConflict extends StoreUnavailable {}

/** A pooler has led to a connection of the server that does not have a prepared statement, or has another one of that name. */
export class StatementUnknown extends TransactionConflict {}

/** Only one tenant cannot be changed now; the database itself can be used. */
export class TenantUnavailable extends StoreUnavailable {}

/** Somebody else has held a lock for too long. */
export class LockTimeout extends TenantUnavailable {}

/** The server has closed the connection, or it broke. Whether the statement was executed is unknown. */
export class ConnectionLost extends StoreUnavailable {}

/** A row has a unique value of another one. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
}

const REASONS: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only',
  '25P03': 'the database server ended a transaction that was idle for too long',
  '25P04': 'the database server ended a transaction that took too long',
  '53100': 'the disk of the database server is full',
  '53200': 'the database server has no memory left',
  '53300': 'the database server has too many connections',
  '55P03': 'another session holds a lock',
  '57014': 'the statement took too long',
  '57P01': 'the database server is stopping',
  '57P02': 'the database server crashed',
  '57P03': 'the database server is starting',
  '57P05': 'the database server ended an idle connection',
  ECONNREFUSED: 'nothing listens at the address of the database',
  ECONNRESET: 'the connection to the database was lost',
  ENOTFOUND: 'the host of the database is unknown',
  EAI_AGAIN: 'the host of the database could not be looked up',
  EPIPE: 'the connection to the database was lost',
  ETIMEDOUT: 'the database does not answer',
};
/** What keeps a daemon from opening a database. */
const REFUSALS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  '28000': ['The database refuses the user', 'Check user name and pg_hba.conf'],
  '28P01': ['The database rejects the user or the password', 'Set the password in STOCKROOM_STORE, in PGPASSWORD or in ~/.pgpass'],
  '3D000': ['The database does not exist', "Create it with CREATE DATABASE, encoding 'UTF8'"],
  '42501': ['The database user lacks a right', 'The user must own the database, or have CREATE on it and own the schema stockroom'],
};

/** Certificates that are not accepted, as Node names them. */
const TLS_CODE = /^ERR_(?:TLS|SSL|OSSL)_|CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^HOSTNAME_MISMATCH$/u;
const NO_TLS = 'The server does not support SSL connections';

/** Turns what an administrator has to change into `DatabaseUnusable`. */
export function explainOpenError(thrown: unknown): unknown {
  const error = thrown instanceof StoreUnavailable && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (error instanceof Error && (error.message === NO_TLS || TLS_CODE.test(getErrorCode(error) ?? '') || isUnreadableFile(error)))
    return new DatabaseUnusable(`No encrypted connection to the database: ${error.message}`, {
      hint: 'Check sslmode and sslrootcert in the address, and the certificate of the server',
      cause: error,
    });
  const [message, hint] = REFUSALS[getErrorCode(error) ?? ''] ?? [];
  return message === undefined || hint === undefined ? thrown : new DatabaseUnusable(message, { hint, cause: error });
}

/** A certificate or key that the address names. */
const isUnreadableFile = (error: Error): boolean => (error as NodeJS.ErrnoException).syscall === 'open';

/** Serialization failure, deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);
/** What the driver says when a statement has no result in time. */
const NO_ANSWER = 'Query read timeout';
/** Errors of the connection that have no code. */
const LOST =
  /connection (?:terminated|timeout|ended|error)|timeout expired|timeout (?:exceeded )?when trying to connect|client was closed|not queryable/iu;
const LOST_REASON = 'the connection to the database was lost';
/** With which the server closes a connection. */
const CLOSED: ReadonlySet<string> = new Set(['25P03', '25P04', '57P01', '57P02', '57P05']);

export const getErrorCode = (error: unknown): string | undefined => (error as { readonly code?: string } | null)?.code;

/** Errors that may end without a change of the daemon become `StoreUnavailable`; others, which are bugs, stay as they are. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable || !(error instanceof Error)) return error;
  const code = isMissingSocket(error) ? 'ECONNREFUSED' : (getErrorCode(error) ?? (error.message === NO_ANSWER ? 'ETIMEDOUT' : ''));
  if (code === '23505') return new UniqueViolation(error.message, { cause: error });
  if (CONFLICTS.has(code)) return new TransactionConflict('Two transactions conflicted', { cause: error });
  if (code === '26000' || code === '42P05') return new StatementUnknown('A pooler has no prepared statements', { cause: error });
  const reason = REASONS[code] ?? (isConnectionError(error, code) ? LOST_REASON : undefined);
  if (reason === undefined) return error;
  const isLost = reason === LOST_REASON || CLOSED.has(code);
  const Unavailable = code === '55P03' ? LockTimeout : isLost ? ConnectionLost : StoreUnavailable;
  return new Unavailable(`The store is unavailable: ${reason}`, { cause: error });
}

/** Without a connection nothing can be done, whatever the reason. */
export function toConnectError(error: unknown): unknown {
  const known = toStoreError(error);
  if (known instanceof StoreUnavailable) return known;
  return new StoreUnavailable('The store is unavailable: there is no connection to the database', { cause: error });
}

/** Of an address with a directory as host. */
const isMissingSocket = ({ code, syscall }: NodeJS.ErrnoException): boolean => code === 'ENOENT' && syscall === 'connect';

/** Errors of the operating system and of streams are those of sockets. */
const isConnectionError = (error: NodeJS.ErrnoException, code: string): boolean =>
  code.startsWith('08') ||
  code.startsWith('53') ||
  code.startsWith('ERR_STREAM_') ||
  error.syscall !== undefined ||
  LOST.test(error.message);
