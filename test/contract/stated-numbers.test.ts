/** Numbers in documents that the code defines. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FORMATS } from '../../src/store/file/manifest.ts';
import { MAX_CONNECTIONS } from '../../src/store/postgres/database.ts';
import { SCHEMA_VERSION } from '../../src/store/postgres/schema.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../docs/${path}`, import.meta.url)), 'utf8');

test.each([
  ['decisions.md', `The store's format is ${String(FORMATS.current)}; older`],
  ['durability.md', `Formats 1 to ${String(FORMATS.current)} are read`],
  ['scale-out.md', `A daemon opens up to ${String(MAX_CONNECTIONS)} for requests`],
  ['scale-out.md', `Version ${String(SCHEMA_VERSION.current)} adds`],
])('%s states what the code has: %s', (path, text) => {
  expect(read(path)).toContain(text);
});
