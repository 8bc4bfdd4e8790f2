/** What can go wrong with a daemon as a process, each with its exit code. */

const EXIT = {
  /** The daemon stopped for a reason of its own; its log has it. */
  start_failed: 1,
  /** Flags or configuration that make no sense. */
  usage: 2,
  port_taken: 7,
  /** Another process serves it. */
  data_directory_locked: 7,
  /** It cannot be made, written, read or understood. */
  data_directory: 7,
  not_running: 7,
  unresponsive: 7,
  /** It did not become ready in time. */
  not_ready: 9,
} as const;

export type DaemonErrorCode = keyof typeof EXIT;

/** An error for the person at the terminal: what is the matter, and in `hint` what to do about it. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code: DaemonErrorCode;
  readonly hint: string | undefined;
  /** Which one the commands in the hint mean, where the command that failed was not told it. */
  readonly dataDir: string | undefined;
  constructor(code: DaemonErrorCode, message: string, { hint, dataDir, cause }: { hint?: string; dataDir?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.dataDir = dataDir;
  }
  get exit(): number {
    return EXIT[this.code];
  }
}

const DISK_TROUBLE: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOSPC: ['its disk is full', 'free some space and start again; what was stored is safe'],
  EDQUOT: ['the quota of its disk is used up', 'free some space and start again; what was stored is safe'],
  EFBIG: ['its files may not grow any further', 'raise the limit on the size of files (ulimit -f) and start again'],
  EROFS: ['its file system can only be read', 'mount it for writing, or choose another with --data-dir'],
};

/** What kept a start from writing to the data directory, in words; anything else as it is. */
export function explainDisk(dataDir: string, thrown: unknown): unknown {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    const trouble = DISK_TROUBLE[(cause as NodeJS.ErrnoException).code ?? ''];
    if (trouble)
      return new DaemonError('data_directory', `nothing can be written to ${dataDir}: ${trouble[0]}`, { hint: trouble[1], cause: thrown });
  }
  return thrown;
}

/** How an error crosses from the background process to the command that started it. */
export interface PlainDaemonError {
  readonly code: DaemonErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** By its name: in a build there are two of the class, the daemon's own and that of who started it. */
const isDaemonError = (thrown: unknown): thrown is DaemonError => thrown instanceof Error && thrown.name === 'DaemonError';

/** Whatever stopped a start, in plain data; a bug becomes `start_failed`. */
export function plainError(thrown: unknown): PlainDaemonError {
  if (isDaemonError(thrown)) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return { code: 'start_failed', message: thrown instanceof Error ? thrown.message : String(thrown), hint: undefined };
}

export const fromPlain = ({ code, message, hint }: PlainDaemonError): DaemonError =>
  new DaemonError(code, message, hint === undefined ? {} : { hint });
