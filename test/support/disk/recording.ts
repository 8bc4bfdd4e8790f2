/** Records the disk operations of a program, and reconstructs what a disk may hold after a crash between any two of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { AroundStep, DiskStep } from '../../../src/store/file/disk/disk.ts';

/** The files below a directory, by relative path. */
export type Files = ReadonlyMap<string, Buffer>;

/** Operations by what they change: the contents of a file, or the entries of a directory. Numbers identify files across renames. */
export type RecordedOperation =
  | { readonly kind: 'write'; readonly file: number; readonly position: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'link' | 'unlink'; readonly file: number; readonly directory: string; readonly path: string }
  | { readonly kind: 'rename'; readonly file: number; readonly directory: string; readonly path: string; readonly from: string }
  /** `covers`: operations before this position had ended when the sync began. */
  | { readonly kind: 'sync'; readonly target: number | string; readonly covers: number; readonly isFailed: boolean };

export class Recording {
  readonly operations: RecordedOperation[] = [];
  /** Files that exist before the first operation, by number. */
  readonly initialFiles: ReadonlyMap<number, { readonly path: string; readonly content: Buffer }>;
  readonly #root: string;
  readonly #names = new Map<string, number>();
  #nextFile = 0;

  constructor(root: string, files: Files = new Map()) {
    this.#root = root;
    this.initialFiles = new Map([...files].map(([path, content]) => [this.#nextFile++, { path, content }]));
    for (const [file, { path }] of this.initialFiles) this.#names.set(path, file);
  }

  get length(): number {
    return this.operations.length;
  }

  /** Records each step when it has ended. `inner` may make it fail. */
  intercept(inner: AroundStep = (step, run) => run(step)): AroundStep {
    return async (step, run) => {
      const covers = this.length;
      try {
        return await inner(step, async (taken) => {
          const result = await run(taken);
          this.#record(taken, covers);
          return result;
        });
      } catch (error) {
        if (isSync(step)) this.#recordSync(step.path, covers, true);
        throw error;
      }
    };
  }

  #record(operation: DiskStep, covers: number): void {
    const path = relative(this.#root, operation.path);
    const directory = dirname(path);
    const file = this.#names.get(path);
    if (isSync(operation)) return this.#recordSync(operation.path, covers, false);
    if (operation.kind === 'create' && file === undefined) {
      this.operations.push({ kind: 'link', file: this.#nextFile, directory, path });
      this.#names.set(path, this.#nextFile++);
    } else if (operation.kind === 'rename') {
      const from = relative(this.#root, operation.from);
      const renamed = this.#names.get(from)!;
      this.operations.push({ kind: 'rename', file: renamed, directory, path, from });
      this.#names.delete(from);
      this.#names.set(path, renamed);
    } else if (file !== undefined) {
      if (operation.kind === 'create') this.operations.push({ kind: 'truncate', file, length: 0 });
      if (operation.kind === 'truncate') this.operations.push({ kind: 'truncate', file, length: operation.length });
      if (operation.kind === 'write') {
        const { position, buffers } = operation;
        this.operations.push({ kind: 'write', file, position, data: Buffer.concat(buffers) });
      }
      if (operation.kind === 'unlink') {
        this.operations.push({ kind: 'unlink', file, directory, path });
        this.#names.delete(path);
      }
    }
  }

  #recordSync(path: string, covers: number, isFailed: boolean): void {
    const name = relative(this.#root, path);
    const target = this.#names.get(name) ?? (name === '' ? '.' : name);
    this.operations.push({ kind: 'sync', target, covers, isFailed });
  }
}

const isSync = ({ kind }: DiskStep): boolean => kind === 'sync' || kind === 'sync-directory';

/** Writes files into an empty directory. */
export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}
