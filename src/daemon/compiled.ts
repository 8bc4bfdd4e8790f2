/**
 * Runs a bundle with the code that V8 made of it when it ran before.
 *
 * Node's own compile cache keeps what there is when a file has been read: the code around its functions. The functions themselves, more than
 * a thousand in the start of a daemon, are compiled again by every process. Here the code is kept once the bundle has done its first work, so
 * that it has the functions as well, which saves a start 50 to 70 ms.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script, constants } from 'node:vm';
import { crc32 } from 'node:zlib';

export interface CompiledCode {
  /** Where it is kept; nobody but the user may write there. */
  readonly directory: string;
  /** Whether it is written there when it is missing. */
  readonly keeps: boolean;
}

/** When a bundle has done what it does at its start. */
const KEEP_AFTER_MS = 1_000;
const OLD_AFTER_MS = 24 * 60 * 60 * 1_000;
const CHECKSUM_BYTES = 4;
const OTHERS_MAY_WRITE = 0o022;

/** What has run in this process: a bundle is a module, and a module runs once. */
const ran = new Map<string, unknown>();

/**
 * The exports of a CommonJS bundle, which is plain ASCII and named after its content. Where its compiled code cannot be read or written, or
 * is of another Node, it is compiled as if there were no cache.
 */
export function runCompiled<Exports>(path: string, { directory, keeps }: CompiledCode): Exports {
  if (!ran.has(path)) ran.set(path, run(path, directory, keeps));
  return ran.get(path) as Exports;
}

function run(path: string, directory: string, keeps: boolean): unknown {
  const kept = join(directory, `${basename(path)}-${cachedDataVersionTag().toString(16)}`);
  const cachedData = read(kept);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`, {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
  if (keeps && script.cachedDataRejected !== false && process.env['NODE_DISABLE_COMPILE_CACHE'] === undefined) keepSoon(script, kept);
  const module = { exports: {} };
  const body = script.runInThisContext() as (...parts: readonly unknown[]) => void;
  body(module.exports, createRequire(path), module, path, dirname(path));
  return module.exports;
}

/** V8 trusts what it is given: what was cut off or changed, and what others could have written, must not reach it. */
function read(path: string): Buffer | undefined {
  try {
    const { uid, mode } = statSync(path);
    if (process.getuid && (uid !== process.getuid() || (mode & OTHERS_MAY_WRITE) !== 0)) return undefined;
    const file = readFileSync(path);
    const code = file.subarray(CHECKSUM_BYTES);
    return crc32(code) === file.readUInt32LE() ? code : undefined;
  } catch {
    return undefined;
  }
}

function keepSoon(script: Script, path: string): void {
  const now = (): void => {
    clearTimeout(timer);
    process.off('exit', now);
    keep(script, path);
  };
  const timer = setTimeout(now, KEEP_AFTER_MS).unref();
  process.once('exit', now);
}

function keep(script: Script, path: string): void {
  const draft = `${path}.${String(process.pid)}`;
  try {
    const code = script.createCachedData();
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(code));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, Buffer.concat([checksum, code]), { mode: 0o600 });
    renameSync(draft, path);
    removeOld(path);
  } catch {
    // Only the next start is slower.
    discard(draft);
  }
}

/** A full disk may have taken a part of it, or none. */
function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // There is no such directory.
  }
}

/** What was kept of earlier builds. */
function removeOld(path: string): void {
  const directory = dirname(path);
  const [kind = ''] = basename(path).split('-');
  for (const name of readdirSync(directory)) {
    const other = join(directory, name);
    if (name.startsWith(`${kind}-`) && other !== path && Date.now() - statSync(other).mtimeMs > OLD_AFTER_MS)
      rmSync(other, { force: true });
  }
}
