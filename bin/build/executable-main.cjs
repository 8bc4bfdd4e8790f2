// The main script of the executable: unpacks the package that it contains into the user's cache, once for each version, then runs it there.
// What the program starts again with `process.execPath`, such as the daemon, comes back here with the path of its script.
const { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, userInfo } = require('node:os');
const { dirname, isAbsolute, join, sep } = require('node:path');
const { pathToFileURL } = require('node:url');
const { getAsset, getRawAsset } = require('node:sea');

const args = process.argv.slice(2);

if (args[0] === '--version') {
  console.log(`${getAsset('name and version', 'utf8')} ${process.platform}-${process.arch} node-${process.version}`);
} else {
  try {
    const root = unpack();
    // Flags of Node before the script are those that the executable already has.
    const at = args.findIndex((arg) => !arg.startsWith('--'));
    const first = args[at] ?? '';
    const isScript = first.startsWith(root + sep);
    const script = isScript ? first : join(root, 'bin', 'run.js');
    process.argv = [process.execPath, script, ...(isScript ? args.slice(at + 1) : args)];
    // The main script itself cannot import files.
    const importer = join(root, 'import.cjs');
    /** @type {unknown} */
    const importFile = createRequire(importer)(importer);
    void (/** @type {(url: URL) => Promise<unknown>} */ (importFile)(pathToFileURL(script)));
  } catch (error) {
    process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Returns the directory of the unpacked package. */
function unpack() {
  const set = process.env.XDG_CACHE_HOME;
  const windows = process.platform === 'win32' ? (process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local')) : undefined;
  const base = set && isAbsolute(set) ? set : (windows ?? join(homedir() || userInfo().homedir, '.cache'));
  const parent = join(base, 'stockroom', 'executable');
  const root = join(parent, getAsset('id', 'utf8'));
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  assertPrivate(parent);
  if (existsSync(root)) return root;
  const draft = mkdtempSync(join(parent, '.unpacking-'));
  try {
    const { brotliDecompressSync } = require('node:zlib');
    const { deserialize } = require('node:v8');
    /** @type {unknown} */
    const files = deserialize(brotliDecompressSync(Buffer.from(getRawAsset('files'))));
    for (const [path, content] of /** @type {[path: string, content: Buffer][]} */ (files)) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    chmodSync(draft, 0o700);
    renameSync(draft, root);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(root)) throw error;
  }
  return root;
}

/**
 * Other users must not be able to replace what this user runs.
 *
 * @param {string} directory
 */
function assertPrivate(directory) {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = statSync(directory);
  if (uid !== user || (mode & 0o022) !== 0)
    throw new Error(`Other users can write to ${directory}, where stockroom unpacks itself. Set XDG_CACHE_HOME to a private directory`);
}
