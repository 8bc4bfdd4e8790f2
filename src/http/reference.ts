/**
 * The reference page at /docs: the viewer (swagger-ui) with our own frame around it, everything from this machine. It works under a policy
 * that allows no other origin and nothing inline, so a page that shows other people's texts next to a key has nothing to run them with.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { DOCUMENT_PATHS } from '../contract/openapi/places.ts';
import { StockroomError } from '../domain/errors.ts';

const PAGE = DOCUMENT_PATHS.reference;

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The viewer draws its arrows and locks from data addresses.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Below the page's path: the file's media type, and its name in the viewer's package if it is not ours. */
const FILES: ReadonlyMap<string, { readonly type: string; readonly viewer?: string }> = new Map([
  ['icon.svg', { type: 'image/svg+xml' }],
  ['page.css', { type: 'text/css' }],
  ['page.js', { type: 'text/javascript' }],
  ['viewer.css', { type: 'text/css', viewer: 'swagger-ui.css' }],
  ['viewer.js', { type: 'text/javascript', viewer: 'swagger-ui-bundle.js' }],
]);

const PARTS = `${PAGE}/{part}`;

export function addReference(server: Server): void {
  server.route({ method: 'GET', path: PAGE, handler: async (_request, h) => answer(h, 'index.html', 'text/html') });
  server.route({
    method: 'GET',
    path: PARTS,
    handler: async (request, h) => {
      const name = String((request.params as { part?: unknown }).part);
      const file = FILES.get(name);
      if (!file) throw new StockroomError('NOT_FOUND', `The page has no part ${name}.`);
      return answer(h, name, file.type, file.viewer);
    },
  });
}

async function answer(h: ResponseToolkit, name: string, type: string, viewer?: string): Promise<ResponseObject> {
  const place = placeOf(name, viewer);
  const { size, mtimeMs } = await stat(place);
  // A browser asks each time and is told that it has the file already.
  const response = h
    .response(await readFile(place))
    .type(`${type}; charset=utf-8`)
    .etag(`${String(size)}-${String(Math.floor(mtimeMs))}`);
  for (const [header, value] of Object.entries(HEADERS)) response.header(header, value);
  return response;
}

/** A build has every file in one folder; in a checkout they are where they come from. */
function placeOf(name: string, viewer: string | undefined): string {
  for (const folder of ['../reference/', './reference/']) {
    const place = fileURLToPath(new URL(folder + name, import.meta.url));
    if (existsSync(place)) return place;
  }
  return createRequire(import.meta.url).resolve(`swagger-ui-dist/${viewer ?? name}`);
}
