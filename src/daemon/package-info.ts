/** Location and version of this package. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Searched, because src/daemon/ and dist/chunks/ are at different depths below it. */
const manifest = findPackageJSON(import.meta.url)!;

export const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

/** The entry point of a background process: the source, or its build. */
export const childEntry = join(dirname(manifest), import.meta.url.endsWith('.ts') ? 'src/daemon/child.ts' : 'dist/daemon.js');
