/**
 * Notices that the reader of stdout has closed the pipe (`| head -3`), for commands that may print nothing for a long time. Node cannot poll
 * for that, but Linux lists who has a pipe open; elsewhere the next write fails.
 */
import { fstatSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';

const CHECK_MS = 500;
const OWNER_CAN_READ = 0o400;

/** Reports a closed pipe as a failed write would: by an `error` event of stdout. */
export function watchPipeReader(): void {
  if (process.platform !== 'linux') return;
  const stdout = fstatSync(process.stdout.fd);
  if (!stdout.isFIFO()) return;
  const pipe = `pipe:[${String(stdout.ino)}]`;
  const listReaders = () => readdirSync('/proc').filter((pid) => /^\d+$/u.test(pid) && hasOpen(pid, pipe, false));
  let readers = listReaders();
  // Processes of other users are not visible.
  if (readers.length === 0) return;
  const timer = setInterval(() => {
    if (readers.some((pid) => hasOpen(pid, pipe, true))) return;
    // The first reader may have passed the pipe on.
    readers = listReaders();
    if (readers.length > 0) return;
    clearInterval(timer);
    process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }, CHECK_MS);
  timer.unref();
}

/**
 * Whether a process has a pipe open for reading. The permissions of the link are those of the open file. `ifUnknown`: the result for a process
 * of another user, which a reader becomes by `sudo`.
 */
function hasOpen(pid: string, pipe: string, ifUnknown: boolean): boolean {
  try {
    const directory = `/proc/${pid}/fd`;
    return readdirSync(directory).some((fd) => {
      const path = `${directory}/${fd}`;
      return readlinkSync(path) === pipe && (lstatSync(path).mode & OWNER_CAN_READ) !== 0;
    });
  } catch (error) {
    // Otherwise it has ended or closed a file in the meantime.
    return (error as NodeJS.ErrnoException).code === 'EACCES' && ifUnknown;
  }
}
