/**
 * The reference page at /docs: the viewer (swagger-ui) with our own frame around it, everything from this machine. It works under a policy
 * that allows no other origin and nothing inline, so a page that shows other people's texts next to a key has nothing to run them with.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Server } from '@hapi/hapi';
import { DOCUMENT_PATHS } from '../contract/openapi/places.ts';

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

/** Below the page's path: the file of ours or of the viewer's package, and its media type. */
const FILES: Readonly<Record<string, { readonly type: string; readonly viewer?: string }>> = {
  'index.html': { type: 'text/html' },
  'icon.svg': { type: 'image/svg+xml' },
  'page.css': { type: 'text/css' },
  'page.js': { type: 'text/javascript' },
  'viewer.css': { type: 'text/css', viewer: 'swagger-ui.css' },
  'viewer.js': { type: 'text/javascript', viewer: 'swagger-ui-bundle.js' },
};

export const REFERENCE_ROUTES = Object.keys(FILES).map((name) => ({ path: pathOf(name), method: 'GET' as const }));

function pathOf(name: string): string {
  return name === 'index.html' ? PAGE : `${PAGE}/${name}`;
}

export function addReference(server: Server): void {
  for (const [name, { type, viewer }] of Object.entries(FILES)) {
    server.route({
      method: 'GET',
      path: pathOf(name),
      handler: async (_request, h) => {
        const place = placeOf(name, viewer);
        const { size, mtimeMs } = await stat(place);
        // A browser asks each time and is told that it has the file already.
        const response = h
          .response(await readFile(place))
          .type(`${type}; charset=utf-8`)
          .etag(`${String(size)}-${String(Math.floor(mtimeMs))}`);
        for (const [header, value] of Object.entries(HEADERS)) response.header(header, value);
        return response;
      },
    });
  }
}

/** A build has every file in one folder; in a checkout they are where they come from. */
function placeOf(name: string, viewer: string | undefined): string {
  for (const folder of ['../reference/', './reference/']) {
    const place = fileURLToPath(new URL(folder + name, import.meta.url));
    if (existsSync(place)) return place;
  }
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${viewer ?? name}`));
}
