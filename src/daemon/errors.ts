/** Errors of starting, finding and stopping daemons, with their exit codes. */
import { lstatSync } from 'node:fs';
import { sep } from 'node:path';

const EXIT = {
  /** The daemon exited during its start; its log has the reason. */
  START_FAILED: 1,
  /** Invalid flags or configuration. */
  USAGE: 2,
  PORT_TAKEN: 7,
  /** Another process holds the lock of the data directory. */
  DATA_DIRECTORY_LOCKED: 7,
  /** The data directory cannot be created, written, read or parsed. */
  DATA_DIRECTORY: 7,
  /** The daemon runs, but not with the options of the start. */
  OTHER_OPTIONS: 5,
  /** The target of a copy has other data. */
  TARGET_NOT_EMPTY: 5,
  /** The database cannot be reached or used. */
  STORE: 7,
  UNRESPONSIVE: 7,
  /** The daemon did not become ready in time. */
  NOT_READY: 9,
  /** The command of `exec`, as shells report it. */
  COMMAND_NOT_EXECUTABLE: 126,
  COMMAND_NOT_FOUND: 127,
} as const;

export type DaemonErrorCode = keyof typeof EXIT;

/** An error for the user: `message` says what failed, `hint` what to do about it. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code: DaemonErrorCode;
  readonly hint: string | undefined;
  /** The data directory that the commands in the hint need as --data-dir, when the failed command had no such flag. */
  readonly dataDir: string | undefined;
  constructor(
    code: DaemonErrorCode,
    message: string,
    { hint, dataDir, cause }: { hint?: string | undefined; dataDir?: string; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.dataDir = dataDir;
  }
  get exit(): number {
    return EXIT[this.code];
  }
}

const DISK_ERRORS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space and start again; stored data is safe'],
  EDQUOT: ['the disk quota is used up', 'Free some space and start again; stored data is safe'],
  EFBIG: ['the file size limit is reached', 'Raise the limit (ulimit -f) and start again'],
  EROFS: ['the file system is read-only', 'Mount it read-write, or choose another directory with --data-dir'],
  EIO: ['the disk or its server reports an error', 'Check the disk, or choose another directory with --data-dir'],
  ESTALE: ['the file server no longer has it', 'Mount it again, or choose another directory with --data-dir'],
  ENOTCONN: ['its file system is not connected', 'Mount it again, or choose another directory with --data-dir'],
};

const CHOOSE_ANOTHER = 'Choose another with --data-dir or STOCKROOM_DATA_DIR';

/** Why a path cannot be a data directory, or a file in it cannot be used. */
const PATH_ERRORS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'part of the path is a file',
  EISDIR: 'it is a directory',
  ELOOP: 'part of the path is a circle of symbolic links',
  ENAMETOOLONG: 'a name in the path is too long',
};

/** A DaemonError when an error of the file system kept a start from using the data directory; otherwise the error itself. */
export function explainDiskError(dataDir: string, thrown: unknown): unknown {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DaemonError) return thrown;
    const { code, path, syscall } = cause as NodeJS.ErrnoException;
    if ((code === 'EACCES' || code === 'EPERM') && path !== undefined)
      return new DaemonError('DATA_DIRECTORY', `Cannot access ${path}: permission denied`, {
        hint: 'Make it readable and writable for this user, or choose another data directory with --data-dir',
        cause: thrown,
      });
    const [reason, hint] = DISK_ERRORS[code ?? ''] ?? [];
    if (reason !== undefined && hint !== undefined)
      return new DaemonError('DATA_DIRECTORY', `Cannot write to ${dataDir}: ${reason}`, { hint, cause: thrown });
    if (code === undefined || syscall === undefined || path === undefined) continue;
    // A path is reported for calls of the file system, and for sockets, whose errors are reported elsewhere.
    if (path !== dataDir && !path.startsWith(dataDir + sep)) continue;
    const what = path === dataDir || code === 'ENOTDIR' || code === 'ENOENT' ? `the data directory ${dataDir}` : path;
    return new DaemonError('DATA_DIRECTORY', `Cannot use ${what}: ${describePathError(cause, dataDir)}`, {
      hint: CHOOSE_ANOTHER,
      cause: thrown,
    });
  }
  return thrown;
}

function describePathError({ code, message, syscall }: NodeJS.ErrnoException, dataDir: string): string {
  // From reading the directory itself.
  if (code === 'ENOTDIR' && syscall === 'scandir') return PATH_ERRORS['EEXIST'] ?? message;
  if (code !== 'ENOENT') return PATH_ERRORS[code ?? ''] ?? message;
  return lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? 'it is a symbolic link to a missing directory'
    : 'no directory can be created there';
}

/** An error as the daemon process sends it to the command that started it. */
export interface SerializedDaemonError {
  readonly code: DaemonErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Any other error than a DaemonError is a bug and becomes `START_FAILED`. */
export function serializeError(thrown: unknown): SerializedDaemonError {
  if (thrown instanceof DaemonError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return { code: 'START_FAILED', message: thrown instanceof Error ? thrown.message : String(thrown), hint: undefined };
}

export const deserializeError = ({ code, message, hint }: SerializedDaemonError): DaemonError => new DaemonError(code, message, { hint });
