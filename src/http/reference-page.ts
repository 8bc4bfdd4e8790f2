/**
 * The API reference at /docs: swagger-ui inside a page of our own, all served from this machine. The page shows text from the data next to an
 * API key, so its content security policy allows no other origin and no inline scripts.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { DOCUMENT_PATHS } from '../contract/openapi/document-paths.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { buildPageHeaders, sendZippedFile } from './response/page-files.ts';

const PAGE_PATH = DOCUMENT_PATHS.reference;

/** The viewer loads its icons from data URLs. */
const HEADERS = buildPageHeaders("'self' data:");

/** Files below the path of the page: media type, and the name in the package of the viewer unless the file is ours. */
const FILES: ReadonlyMap<string, { readonly type: string; readonly viewer?: string }> = new Map([
  ['icon.svg', { type: 'image/svg+xml' }],
  ['page.css', { type: 'text/css' }],
  ['operations.css', { type: 'text/css' }],
  ...['page', 'contents', 'document', 'dom', 'introduction', 'key-field', 'operation-details', 'viewer-plugin', 'examples', 'events'].map(
    (name) => [`${name}.js`, { type: 'text/javascript' }] as const,
  ),
  ['viewer.css', { type: 'text/css', viewer: 'swagger-ui.css' }],
  ['viewer.js', { type: 'text/javascript', viewer: 'swagger-ui-bundle.js' }],
]);

const FILE_PATHS = `${PAGE_PATH}/{file}`;

export function addReferencePage(server: Server): void {
  server.route({ method: 'GET', path: PAGE_PATH, handler: async (request, h) => sendFile(request, h, 'index.html', 'text/html') });
  server.route({
    method: 'GET',
    path: FILE_PATHS,
    handler: async (request, h) => {
      const name = String((request.params as { file?: unknown }).file);
      const file = FILES.get(name);
      if (!file) throw new StockroomError('NOT_FOUND', `No file "${name}" under ${PAGE_PATH}.`);
      return sendFile(request, h, name, file.type, file.viewer);
    },
  });
}

async function sendFile(request: Request, h: ResponseToolkit, name: string, type: string, viewer?: string): Promise<ResponseObject> {
  const path = findFile(name, viewer);
  const { size, mtimeMs } = await stat(path);
  // Browsers revalidate the file with each request.
  const response = (path.endsWith('.gz') ? await sendZippedFile(request, h, path) : h.response(await readFile(path)))
    .type(`${type}; charset=utf-8`)
    .etag(`${String(size)}-${String(Math.floor(mtimeMs))}`);
  for (const [header, value] of Object.entries(HEADERS)) response.header(header, value);
  return response;
}

/** A build has all files in one folder, those of the viewer compressed; in a checkout, these are in its package. */
function findFile(name: string, viewer: string | undefined): string {
  for (const folder of ['../reference/', './reference/']) {
    const path = fileURLToPath(new URL(folder + name + (viewer === undefined ? '' : '.gz'), import.meta.url));
    if (existsSync(path)) return path;
  }
  return createRequire(import.meta.url).resolve(`swagger-ui-dist/${viewer ?? name}`);
}
