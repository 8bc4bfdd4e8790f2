/** Files of pages, which the build may have compressed. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

const decompress = promisify(gunzip);

/** The headers of a page that loads nothing from elsewhere and has no inline scripts. `directives`: more ones of its policy. */
export const buildPageHeaders = (imageSources: string, ...directives: readonly string[]): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${imageSources}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...directives,
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
});

/** Sends a `.gz` file as it is, or decompressed to clients that do not accept it. */
export async function sendZippedFile({ headers }: Request, h: ResponseToolkit, path: string): Promise<ResponseObject> {
  const isAccepted = /\bgzip\b/u.test(String(headers['accept-encoding']));
  const zipped = await readFile(path);
  const response = h.response(isAccepted ? zipped : await decompress(zipped)).header('vary', 'accept-encoding');
  return isAccepted ? response.header('content-encoding', 'gzip') : response;
}
