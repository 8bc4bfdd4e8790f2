/**
 * Detects that the data directory, or a file in it, was deleted or replaced while the store is open.
 *
 * Open files stay writable after that, so writes would seem to succeed and be lost, and another process may own what has the path now.
 * So every step that uses a path first compares what the path names with what was opened, and steps on open files do so once per
 * second. A loss is final: nothing is written to the directory any more.
 */
import { DirectoryLost } from '../errors.ts';
import { type Disk, type DiskFile, type FileIdentity, wrapDisk } from './disk.ts';
import { isNotFound } from './files.ts';

/** Steps on open files compare the files at most this often. */
const CHECK_INTERVAL_MS = 1_000;

export class DirectoryGuard {
  /** Compares the files before each step. */
  readonly disk: Disk;
  readonly #unguarded: Disk;
  readonly #directory: string;
  readonly #handle: DiskFile | undefined;
  readonly #required: readonly FileIdentity[];
  #segment: FileIdentity | undefined;
  #verifiedAt = performance.now();
  #lost: DirectoryLost | undefined;
  /** Called once, when the loss is detected. */
  onLost: (lost: DirectoryLost) => void = () => {};

  private constructor(disk: Disk, directory: string, handle: DiskFile | undefined, required: readonly FileIdentity[]) {
    this.#unguarded = disk;
    this.#directory = directory;
    this.#handle = handle;
    this.#required = required;
    this.disk = wrapDisk(disk, async (step, run) => {
      if (step.kind === 'open') return run(step);
      const isOnOpenFile = step.kind === 'write' || step.kind === 'truncate' || step.kind === 'sync';
      await (isOnOpenFile ? this.#verifyIfDue() : this.verify());
      const result = await run(step);
      // What is in a directory that was lost meanwhile must not count as durable.
      if (step.kind === 'sync' && this.#lost) throw this.#lost;
      return result;
    });
  }

  /** The caller keeps `requiredFiles` open; the guard keeps the directory open. */
  static async open(disk: Disk, directory: string, requiredFiles: readonly FileIdentity[]): Promise<DirectoryGuard> {
    // Windows cannot open directories, and does not delete them while they contain open files.
    const handle = process.platform === 'win32' ? undefined : await disk.open(directory, 'read');
    try {
      const opened = await (handle?.getStatus() ?? disk.getStatus(directory));
      const guard = new DirectoryGuard(disk, directory, handle, [opened, ...requiredFiles]);
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
    const problems = await Promise.all(files.map((file) => this.#findProblem(file)));
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

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #verifyIfDue(): Promise<void> {
    if (this.#lost !== undefined || performance.now() - this.#verifiedAt >= CHECK_INTERVAL_MS) await this.verify();
  }

  async #findProblem({ path, device, inode }: FileIdentity): Promise<'deleted' | 'replaced' | undefined> {
    try {
      const found = await this.#unguarded.getStatus(path);
      return found.device === device && found.inode === inode ? undefined : 'replaced';
    } catch (error) {
      if (isNotFound(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return 'deleted';
      throw error;
    }
  }
}
