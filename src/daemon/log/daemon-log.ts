/** The log of a daemon: one JSON object per line, without secrets. Goes to a file in the background and to stderr in the foreground. */
import { closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../../platform/daemon-state.ts';
import { formatLogLine } from './format-line.ts';
import { createOutageFilter } from './outage-lines.ts';
import { redact } from '../../domain/kernel/redact.ts';

const FILE_MAX_BYTES = 5 * 1024 * 1024;

export interface DaemonLog {
  readonly log: Logger;
  /** Continues in a new file if the log was moved, as logrotate does; undefined if it is not in a file. */
  readonly reopen?: () => void;
  close(): void;
}

/**
 * Logs to `path`. At 5 MiB the file is renamed to `<path>.1` and a new one is started, so the log takes at most 10 MiB. `reopen` continues in
 * a new file when another program has moved the old one.
 */
export function createFileLog(path: string, level: LogLevel, maxBytes = FILE_MAX_BYTES): DaemonLog {
  let file: LogFile | undefined = openLog(path);
  const write = (line: string): void => {
    const bytes = Buffer.from(redact(line));
    try {
      if (file === undefined) return;
      if (file.size > 0 && file.size + bytes.length > maxBytes && isAt(file.fd, path)) file = rotate(file, path);
      file.size += writeSync(file.fd, bytes);
    } catch {
      // The disk is full. The service continues without a log, and there is no other place to report that.
    }
  };
  return {
    log: createLogger(level, { write }),
    reopen() {
      if (file !== undefined && !isAt(file.fd, path)) file = replaceLog(file, path);
    },
    close() {
      if (file !== undefined) closeSync(file.fd);
      // Its number may be given to another file or connection.
      file = undefined;
    },
  };
}

interface LogFile {
  readonly fd: number;
  size: number;
}

function openLog(path: string): LogFile {
  const fd = openSync(path, 'a', 0o600);
  return { fd, size: fstatSync(fd).size };
}

/** The old file stays in use unless all steps succeed, at most one rotation too long. */
function rotate(old: LogFile, path: string): LogFile {
  const draft = `${path}.new`;
  let next: LogFile | undefined;
  try {
    next = openLog(draft);
    renameSync(path, `${path}.1`);
    renameSync(draft, path);
  } catch {
    if (next !== undefined) {
      closeSync(next.fd);
      rmSync(draft, { force: true });
    }
    return old;
  }
  closeSync(old.fd);
  return next;
}

function replaceLog(old: LogFile, path: string): LogFile {
  let next: LogFile;
  try {
    next = openLog(path);
  } catch {
    return old;
  }
  closeSync(old.fd);
  return next;
}

/** Whether the path names the open file. A path that was replaced may be the log of another daemon. */
function isAt(fd: number, path: string): boolean {
  const [opened, named] = [fstatSync(fd, { bigint: true }), statSync(path, { bigint: true, throwIfNoEntry: false })];
  return opened.dev === named?.dev && opened.ino === named.ino;
}

/** Logs to stderr: readable lines on a terminal, otherwise JSON. */
export function createStderrLog(level: LogLevel): DaemonLog {
  const { stderr } = process;
  // A closed pipe, as after `| head`, must not stop the daemon.
  stderr.removeAllListeners('error');
  stderr.on('error', () => undefined);
  const write = (line: string): void => {
    const safe = redact(line);
    stderr.write(stderr.isTTY ? `${formatLogLine(safe)}\n` : safe);
  };
  return { log: createLogger(level, { write }), close: () => undefined };
}

function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  const filter = createOutageFilter();
  return pino(
    {
      level,
      hooks: {
        logMethod([facts, ...rest], write) {
          const kept = filter(facts);
          if (kept !== undefined) Reflect.apply(write, this, [kept, ...rest]);
        },
      },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
    },
    destination,
  );
}

/** Errors with a cause outside the program: an outage, damaged files, a wrong configuration. Their stack would explain nothing. */
const EXPECTED: ReadonlySet<string> = new Set([
  'StoreUnavailable',
  'StoreDamaged',
  'StoreTooNew',
  'SnapshotUnusable',
  'DirectoryLost',
  'DaemonError',
]);

/** Pino appends the messages of all causes to the message; they are in the stack, too. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!EXPECTED.has(error.name)) return { ...pino.stdSerializers.err(error), message: error.message };
  const causes: string[] = [];
  for (let { cause } = error; cause instanceof Error; { cause } = cause) causes.push(cause.message);
  return { type: error.name, message: error.message, ...(causes.length > 0 && { causes }) };
}
