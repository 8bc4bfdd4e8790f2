/** Reads small input whole, but no more than a limit: a device or a wrong file may never end. */
import { explainReadError } from '../../client/settings/file-errors.ts';
import { usageError } from '../errors/failure.ts';

const KIB = 1024;

/** `name`: of the source in messages. Throws a usage error for more than `max` bytes. */
export async function readBounded(stream: AsyncIterable<Buffer>, max: number, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > max)
      throw usageError(`${name} is larger than ${max < KIB * KIB ? `${String(max / KIB)} KiB` : `${String(max / KIB / KIB)} MiB`}`);
  }
  return Buffer.concat(chunks);
}

/** The same for a file. */
export async function readBoundedFile(path: string, max: number): Promise<Buffer> {
  const stream = process.getBuiltinModule('node:fs').createReadStream(path) as AsyncIterable<Buffer>;
  return readBounded(stream, max, path).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : usageError(`Cannot read ${path}: ${explainReadError(error)}`);
  });
}

/** Reads a file of any size; 0 is stdin. `name`: of the file in the usage error that it throws. */
export function readWholeFile(path: string | 0, name = String(path)): Buffer {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path);
  } catch (error) {
    throw usageError(`Cannot read ${name}: ${explainReadError(error)}`);
  }
}
