/** Files that the build has compressed. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

const decompress = promisify(gunzip);

/** Sends a `.gz` file as it is, or decompressed to clients that do not accept it. */
export async function sendZippedFile({ headers }: Request, h: ResponseToolkit, path: string): Promise<ResponseObject> {
  const isAccepted = /\bgzip\b/u.test(String(headers['accept-encoding']));
  const zipped = await readFile(path);
  const response = h.response(isAccepted ? zipped : await decompress(zipped)).header('vary', 'accept-encoding');
  return isAccepted ? response.header('content-encoding', 'gzip') : response;
}
