/**
 * Everything that the store does on disk. `local-disk.ts` does it on the disk of the machine; `wrapDisk` puts something around each step:
 * the directory guard compares files before it, and tests observe it or make it fail.
 */

/** What a path names. A file that is kept open keeps its inode number from being given to another. */
export interface FileIdentity {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

export interface FileStatus extends FileIdentity {
  /** Length in bytes. */
  readonly size: number;
}

/** An open file. */
export interface DiskFile extends AsyncDisposable {
  readonly path: string;
  getStatus(): Promise<FileStatus>;
  /** Reads into a new buffer, which is shorter than `length` only at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  /** Writes all buffers. Fails when only some bytes could be written. */
  write(buffers: readonly Buffer[], position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Makes everything written to the file durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  createDirectory(path: string): Promise<void>;
  /** Creates an empty file, readable by its owner only, in place of any other. */
  create(path: string): Promise<DiskFile>;
  /** Opens a file for reading and, by default, writing. */
  open(path: string, mode?: 'read' | 'write'): Promise<DiskFile>;
  readText(path: string): Promise<string>;
  getStatus(path: string): Promise<FileStatus>;
  /** Names of the files in a directory. */
  list(directory: string): Promise<string[]>;
  rename(from: string, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes the entries of a directory durable. */
  syncDirectory(path: string): Promise<void>;
}

/** A step on disk. All but `open` change something or make a change durable. */
export type DiskStep =
  | { readonly kind: 'create' | 'open' | 'sync' | 'unlink' | 'sync-directory'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly buffers: readonly Buffer[]; readonly position: number }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'rename'; readonly path: string; readonly from: string };

/** Takes a step with `run`. An error that it throws instead counts as the step's own failure. */
export type AroundStep = <S extends DiskStep, T>(step: S, run: (step: S) => Promise<T>) => Promise<T>;

/** A disk whose steps are taken by `around`. */
export function wrapDisk(disk: Disk, around: AroundStep): Disk {
  const wrapFile = (file: DiskFile): DiskFile => {
    const { path } = file;
    const close = (): Promise<void> => file.close();
    return {
      path,
      getStatus: () => file.getStatus(),
      read: (position, length) => file.read(position, length),
      write: (buffers, position) => around({ kind: 'write', path, buffers, position }, (step) => file.write(step.buffers, step.position)),
      truncate: (length) => around({ kind: 'truncate', path, length }, (step) => file.truncate(step.length)),
      sync: () => around({ kind: 'sync', path }, () => file.sync()),
      close,
      [Symbol.asyncDispose]: close,
    };
  };
  return {
    createDirectory: (path) => disk.createDirectory(path),
    create: async (path) => wrapFile(await around({ kind: 'create', path }, () => disk.create(path))),
    open: async (path, mode) => wrapFile(await around({ kind: 'open', path }, () => disk.open(path, mode))),
    readText: (path) => disk.readText(path),
    getStatus: (path) => disk.getStatus(path),
    list: (directory) => disk.list(directory),
    rename: (from, path) => around({ kind: 'rename', path, from }, () => disk.rename(from, path)),
    unlink: (path) => around({ kind: 'unlink', path }, () => disk.unlink(path)),
    syncDirectory: (path) => around({ kind: 'sync-directory', path }, () => disk.syncDirectory(path)),
  };
}
