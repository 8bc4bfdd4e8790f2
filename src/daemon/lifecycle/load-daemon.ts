/** Loads the daemon on demand: from a build with its code cache, otherwise from the sources. */
import { join } from 'node:path';
import { getCacheDirectory } from '../../contract/local-paths.ts';
import { packageRoot } from '../package-info.ts';
import type * as BundleEntry from './bundle-entry.ts';
import { runWithCodeCache } from './code-cache.ts';

/** In a build, the file with `bundle-entry.ts` and everything it imports; bin/build.ts defines it. */
declare const DAEMON_BUNDLE: string;

/** `writeCache`: whether the code cache of the user may be written, for the next start. */
export async function loadDaemon({ writeCache }: { readonly writeCache: boolean }): Promise<typeof BundleEntry> {
  if (typeof DAEMON_BUNDLE === 'undefined') return import('./bundle-entry.ts');
  const options = { directory: join(getCacheDirectory(process.env), 'compile'), writeCache };
  return runWithCodeCache<typeof BundleEntry>(join(packageRoot, 'dist', 'chunks', DAEMON_BUNDLE), options);
}
