/** Distinguishes data directories from directories of something else, without loading the store. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST_FILE = 'manifest.json';
/** Only a store has these. */
const STORE_FILE = /^(?:journal|checkpoint)-\d+(?:\.|$)/u;
/** What else a daemon, or a start that failed, may leave; other names may follow those of files that are replaced. */
const DAEMON_FILE =
  /^(?:daemon\.(?:json|lock|log)|unfinished-copy\.json|torture\.json)(?:$|[.-])|^control-token(?:$|\.)|^(?:admin\.sock|snapshots|manifest\.json\.new)$/u;

/** The name of a file that shows that a directory is no data directory; undefined if it is empty or has data of stockroom. */
export function findForeignFile(directory: string): string | undefined {
  const names = readdirSync(directory);
  if (names.some((name) => STORE_FILE.test(name)) || (names.includes(MANIFEST_FILE) && isStoreManifest(join(directory, MANIFEST_FILE))))
    return undefined;
  return names.find((name) => !DAEMON_FILE.test(name));
}

/** Web applications have a file of this name, too. One that is damaged beyond recognition has a checkpoint or journal beside it. */
const isStoreManifest = (path: string): boolean => readFileSync(path, 'utf8').startsWith('{"checksum":');
