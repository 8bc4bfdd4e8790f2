/** The daemon's log: one JSON object per line, without secrets; a capped file in the background, stderr in the foreground. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../contract/places.ts';
import { humanLine } from './log-line.ts';
import { redact } from './redact.ts';

const FILE_MAX_BYTES = 5 * 1024 * 1024;

export interface DaemonLog {
  readonly log: Logger;
  close(): void;
}

/** Writes to `path`; above 5 MiB the file becomes `<path>.1` and a new one begins, so at most 10 MiB are kept. */
export function fileLog(path: string, level: LogLevel, maxBytes = FILE_MAX_BYTES): DaemonLog {
  let fd = openSync(path, 'a', 0o600);
  let size = fstatSync(fd).size;
  const write = (line: string): void => {
    const bytes = Buffer.from(redact(line));
    try {
      if (size > 0 && size + bytes.length > maxBytes) {
        closeSync(fd);
        renameSync(path, `${path}.1`);
        fd = openSync(path, 'a', 0o600);
        size = 0;
      }
      size += writeSync(fd, bytes);
    } catch {
      // A full disk: the service must go on without its log, and there is nowhere left to say so.
    }
  };
  return { log: logger(level, { write }), close: () => closeSync(fd) };
}

/** Writes to stderr: for people when it is a terminal, JSON otherwise. */
export function stderrLog(level: LogLevel): DaemonLog {
  const { stderr } = process;
  // Who only wanted the first lines closes the pipe; that is no reason to stop serving.
  stderr.removeAllListeners('error');
  stderr.on('error', () => undefined);
  const write = (line: string): void => {
    const safe = redact(line);
    stderr.write(stderr.isTTY ? `${humanLine(safe)}\n` : safe);
  };
  return { log: logger(level, { write }), close: () => undefined };
}

function logger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
}
