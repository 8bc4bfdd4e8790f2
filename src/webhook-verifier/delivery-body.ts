import type { IncomingMessage } from 'node:http';
import { EVENT_MAX_BYTES } from '../contract/limits.ts';

/** Reads the body of a request; undefined when the body is too large for a delivery. */
export async function readDeliveryBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > EVENT_MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
