/**
 * Runs a bundle with the code that V8 compiled for it in an earlier process.
 *
 * Node's own compile cache stores the code of a file right after loading it: the top level, but not the functions, which each process
 * compiles again. A start of the daemon calls more than a thousand of them. This cache is written after the bundle has done its first
 * work, so it contains those functions, which makes a start 50 to 70 ms faster.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script, constants } from 'node:vm';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../../platform/own-files.ts';
import { isPrivateCache } from '../../platform/private-cache.ts';

export interface CodeCacheOptions {
  /** Directory of the cache files; without effect if other users have access to it. */
  readonly directory: string;
  /** Whether to write the cache file when it is missing. */
  readonly writeCache: boolean;
}

/** By then a bundle has done the work of a start. */
const SAVE_AFTER_MS = 1_000;
const MAX_AGE_MS = 24 * 60 * 60 * 1_000;
const CHECKSUM_BYTES = 4;
const WRITABLE_BY_OTHERS = 0o022;

/** The exports of each bundle: like any module, a bundle runs once in a process. */
const loadedBundles = new Map<string, unknown>();

/**
 * Returns the exports of the CommonJS bundle at `path`, which must be plain ASCII and have a hash of its content in its name. When the
 * cache file cannot be read or written, or is of another version of Node, the bundle is compiled as usual.
 */
export function runWithCodeCache<Exports>(path: string, { directory, writeCache }: CodeCacheOptions): Exports {
  if (!loadedBundles.has(path)) loadedBundles.set(path, loadBundle(path, directory, writeCache));
  return loadedBundles.get(path) as Exports;
}

function loadBundle(path: string, directory: string, writeCache: boolean): unknown {
  const cacheFile = join(directory, `${basename(path)}-${cachedDataVersionTag().toString(16)}`);
  const cachedData = readCachedCode(cacheFile);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`, {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
  const isMissing = script.cachedDataRejected !== false;
  if (writeCache && isMissing && process.env['NODE_DISABLE_COMPILE_CACHE'] === undefined) scheduleSave(script, cacheFile);
  const module = { exports: {} };
  const wrapper = script.runInThisContext() as (...args: readonly unknown[]) => void;
  wrapper(module.exports, createRequire(path), module, path, dirname(path));
  return module.exports;
}

/** V8 trusts the data it is given, so a truncated or changed file, or one that other users could have written, is ignored. */
function readCachedCode(path: string): Buffer | undefined {
  try {
    if (!isPrivateCache(dirname(path))) return undefined;
    const { uid, mode } = statSync(path);
    if (process.getuid && (uid !== process.getuid() || (mode & WRITABLE_BY_OTHERS) !== 0)) return undefined;
    const file = readFileSync(path);
    const code = file.subarray(CHECKSUM_BYTES);
    return crc32(code) === file.readUInt32LE() ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Saves after a second, or when the process ends before that. */
function scheduleSave(script: Script, path: string): void {
  const save = (): void => {
    clearTimeout(timer);
    process.off('exit', save);
    saveCode(script, path);
  };
  const timer = setTimeout(save, SAVE_AFTER_MS).unref();
  process.once('exit', save);
}

function saveCode(script: Script, path: string): void {
  try {
    const code = script.createCachedData();
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(code));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!isPrivateCache(dirname(path))) return;
    replaceFile(path, Buffer.concat([checksum, code]));
    removeOldCode(path);
  } catch {
    // Without the cache the next start is slower, nothing else.
  }
}

/** Removes the cache files of earlier builds. */
function removeOldCode(path: string): void {
  const directory = dirname(path);
  const [bundleName = ''] = basename(path).split('-');
  for (const name of readdirSync(directory)) {
    const other = join(directory, name);
    if (name.startsWith(`${bundleName}-`) && other !== path && Date.now() - statSync(other).mtimeMs > MAX_AGE_MS)
      rmSync(other, { force: true });
  }
}
