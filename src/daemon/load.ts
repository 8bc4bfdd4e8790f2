/** The daemon itself, for those who run one: it is loaded when it is needed, and from a build together with its compiled code. */
import { join } from 'node:path';
import { cacheDirectory } from '../contract/places.ts';
import { runCompiled } from './compiled.ts';
import { root } from './version.ts';
import type * as whole from './whole.ts';

/** The file of a build that holds `whole.ts` with all that it imports: bin/build.ts puts its name here. There is none among the sources. */
declare const DAEMON_BUNDLE: string;

/** `keeps`: whether the compiled code may be written to the cache directory of the user, for the next start. */
export async function loadDaemon({ keeps }: { readonly keeps: boolean }): Promise<typeof whole> {
  if (typeof DAEMON_BUNDLE === 'undefined') return import('./whole.ts');
  const cached = { directory: join(cacheDirectory(process.env), 'compile'), keeps };
  return runCompiled<typeof whole>(join(root, 'dist', 'chunks', DAEMON_BUNDLE), cached);
}
