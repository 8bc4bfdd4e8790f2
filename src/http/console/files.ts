/** The page of the console and its files, which the build writes compressed. Each view has its own script; their names contain their hash. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { buildPageHeaders, sendZippedFile } from '../response/page-files.ts';
import { createRoutingError } from '../routing-errors.ts';

const HEADERS = {
  ...buildPageHeaders("'self'", "require-trusted-types-for 'script'"),
  'cross-origin-resource-policy': 'same-origin',
};

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const FILE = /^[\w-]+(?:\.[\w-]+)*\.(html|js|css|svg)$/u;

export function sendPage(request: Request, h: ResponseToolkit): Promise<ResponseObject> {
  // Paths of the Lab, where it does not exist, are none of the page.
  if (request.path.startsWith('/console/admin/')) throw createRoutingError(request);
  return sendFile(request, h, 'index.html', 'no-cache');
}

export const sendAsset = (request: Request, h: ResponseToolkit): Promise<ResponseObject> =>
  sendFile(request, h, String((request.params as { file?: unknown }).file), 'public, max-age=31536000, immutable');

async function sendFile(request: Request, h: ResponseToolkit, name: string, caching: string): Promise<ResponseObject> {
  const [, extension = ''] = FILE.exec(name) ?? [];
  const path = extension === '' ? undefined : findFile(`${name}.gz`);
  if (path === undefined) throw new StockroomError('NOT_FOUND', `No file "${name}" of the console.`);
  const response = (await sendZippedFile(request, h, path)).type(TYPES[extension] ?? '').header('cache-control', caching);
  for (const [header, value] of Object.entries(HEADERS)) response.header(header, value);
  return response;
}

/** From the chunks or the root of a build, or from the sources of a checkout that was built. */
function findFile(name: string): string | undefined {
  const folders = ['../console/', './console/', '../../../dist/console/'];
  return folders.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url))).find((path) => existsSync(path));
}
