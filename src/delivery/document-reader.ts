/** Reads a small JSON document from a URL that somebody else names, where deliveries could go as well. W-9. */
import type { Readable } from 'node:stream';
import type { Agent, buildConnector } from 'undici';
import { CLIENT_DOCUMENT_MAX_BYTES, CLIENT_DOCUMENT_TIMEOUT_S } from '../contract/limits.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import { type Resolve, createGuardedConnector } from './target-guard.ts';

/** Rejects with the reason, for a text that continues "The document …". Follows no redirects. */
export type ReadDocument = (url: string) => Promise<unknown>;

export interface DocumentReaderOptions {
  readonly targets: TargetPolicy;
  readonly version: string;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve | undefined;
  /** For tests: instead of TLS. */
  readonly createConnector?: typeof buildConnector | undefined;
}

export function createDocumentReader({ targets, version, ...tests }: DocumentReaderOptions): ReadDocument {
  let agent: Agent | undefined;
  return async (url) => {
    const undici = await import('undici');
    const connect = createGuardedConnector(tests.createConnector ?? undici.buildConnector, targets, tests.resolve);
    agent ??= new undici.Agent({ connect, keepAliveTimeout: 1 });
    const { statusCode, headers, body } = await undici
      .request(url, {
        dispatcher: agent,
        headers: { accept: 'application/json', 'user-agent': `Stockroom/${version}` },
        signal: AbortSignal.timeout(CLIENT_DOCUMENT_TIMEOUT_S * 1_000),
      })
      .catch(() => Promise.reject(new Error('cannot be read')));
    // Of a body that is not read to its end.
    body.on('error', () => undefined);
    try {
      if (statusCode !== 200) throw new Error(`cannot be read: it answered ${String(statusCode)}`);
      if (!/^application\/(?:json|[\w.-]+\+json)(?:;|$)/iu.test(String(headers['content-type']))) throw new Error('is not JSON');
      return parseJson(await readText(body));
    } finally {
      body.destroy();
    }
  };
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > CLIENT_DOCUMENT_MAX_BYTES) break;
    }
  } catch {
    throw new Error('cannot be read: its end did not arrive');
  }
  if (bytes > CLIENT_DOCUMENT_MAX_BYTES) throw new Error(`is larger than ${String(CLIENT_DOCUMENT_MAX_BYTES)} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('is not JSON');
  }
}
