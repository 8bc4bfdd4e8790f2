/**
 * Detects that the data directory, or a file in it, was deleted or replaced while the store is open.
 *
 * Open files stay writable after that, so writes would seem to succeed and be lost, and another process may own what has the path now.
 * So every step that uses a path first compares what the path names with what was opened, and writes to open files do so once per
 * second. A loss is final: nothing is written to the directory any more.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type BeforeDiskStep, isNotFound } from './disk.ts';
import { DirectoryLost } from './errors.ts';

/** What a path named when it was opened. A file that is kept open keeps its inode number from being given to another. */
export interface FileIdentity {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/** Writes to open files compare the files at most this often. */
const CHECK_INTERVAL_MS = 1_000;

export class DirectoryGuard {
  /** Compares the files, and then calls what tests have set, before each step on disk but writes to the open segment. */
  readonly verifyBeforeStep: BeforeDiskStep;
  readonly #directory: string;
  readonly #handle: FileHandle | undefined;
  readonly #required: readonly FileIdentity[];
  #segment: FileIdentity | undefined;
  #verifiedAt = performance.now();
  #lost: DirectoryLost | undefined;
  /** Called once, when the loss is detected. */
  onLost: (lost: DirectoryLost) => void = () => {};

  private constructor(
    directory: string,
    handle: FileHandle | undefined,
    required: readonly FileIdentity[],
    announceStep: BeforeDiskStep | undefined,
  ) {
    this.#directory = directory;
    this.#handle = handle;
    this.#required = required;
    this.verifyBeforeStep = async (step, file) => {
      await announceStep?.(step, file);
      // Writes go to files that are open.
      await (step === 'write' ? this.verifyIfDue() : this.verify());
    };
  }

  /** The caller keeps `requiredFiles` open; the guard keeps the directory open. */
  static async open(directory: string, requiredFiles: readonly FileIdentity[], announceStep?: BeforeDiskStep): Promise<DirectoryGuard> {
    // Windows cannot open directories, and does not delete them while they contain open files.
    const handle = process.platform === 'win32' ? undefined : await open(directory, 'r');
    try {
      const opened = await (handle ? handle.stat({ bigint: true }) : stat(directory, { bigint: true }));
      const guard = new DirectoryGuard(
        directory,
        handle,
        [{ path: directory, device: opened.dev, inode: opened.ino }, ...requiredFiles],
        announceStep,
      );
      await guard.verify();
      return guard;
    } catch (error) {
      await handle?.close();
      throw error;
    }
  }

  /** Why the files are lost; undefined while none is known to be. */
  get lost(): DirectoryLost | undefined {
    return this.#lost;
  }

  /** From now on this journal segment, which the caller keeps open, must stay as well; undefined: none. */
  watchSegment(segment: FileIdentity | undefined): void {
    this.#segment = segment;
  }

  /** Throws `DirectoryLost` when a path no longer names what was opened, and from then on always. */
  async verify(): Promise<void> {
    if (this.#lost) throw this.#lost;
    const startedAt = performance.now();
    const segment = this.#segment;
    const files = segment ? [...this.#required, segment] : this.#required;
    const problems = await Promise.all(files.map(findProblem));
    // Another call may have detected the loss meanwhile.
    if (this.lost) throw this.lost;
    for (const [at, file] of files.entries()) {
      const problem = problems[at];
      // A segment that was closed meanwhile may be removed.
      if (problem === undefined || (file === segment && this.#segment !== segment)) continue;
      this.#lost = new DirectoryLost(this.#directory, file.path, problem);
      this.onLost(this.#lost);
      throw this.#lost;
    }
    this.#verifiedAt = startedAt;
  }

  /** Like `verify`, at most once per second; undefined when it is not due. */
  verifyIfDue(): Promise<void> | undefined {
    return this.#lost === undefined && performance.now() - this.#verifiedAt < CHECK_INTERVAL_MS ? undefined : this.verify();
  }

  /** Whether an open file is the watched segment. */
  async isWatchedSegment(handle: FileHandle): Promise<boolean> {
    const { dev, ino } = await handle.stat({ bigint: true });
    return this.#segment?.device === dev && this.#segment.inode === ino;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

async function findProblem({ path, device, inode }: FileIdentity): Promise<'deleted' | 'replaced' | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return dev === device && ino === inode ? undefined : 'replaced';
  } catch (error) {
    if (isNotFound(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return 'deleted';
    throw error;
  }
}
