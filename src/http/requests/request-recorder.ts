/** Records requests to the public API with headers and bodies, for test suites. Secrets are removed when they are read. */
import type { Request } from '@hapi/hapi';
import type { RecordedRequest } from '../../contract/admin/requests.ts';
import { RECORDED_REQUESTS_MAX } from '../../contract/limits.ts';
import { redact } from '../../domain/kernel/redact.ts';

/** Of all bodies together. */
const BODIES_MAX_BYTES = 64 * 1_048_576;
const BODY_MAX_CHARS = 65_536;
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'cookie', 'set-cookie', 'proxy-authorization']);
const HIDDEN = '[hidden]';

type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** What is kept of a request: only references, so that recording costs little. */
interface Recording {
  readonly facts: Omit<RecordedRequest, 'request' | 'response' | 'path'>;
  readonly path: string;
  readonly requestHeaders: Headers;
  readonly requestBody: Buffer | undefined;
  readonly responseHeaders: Headers;
  readonly responseBody: string | undefined;
  readonly bytes: number;
}

export class RequestRecorder {
  #recordings: Recording[] = [];
  #bytes = 0;

  /** Called when the response has ended. */
  record(request: Request, facts: Recording['facts']): void {
    const { payload, response, raw, url } = request;
    // The response is null when the connection is closed first, which the type of hapi does not say.
    const { source } = (response as { source?: unknown } | null) ?? {};
    const requestBody = Buffer.isBuffer(payload) && payload.length > 0 ? payload : undefined;
    const responseBody = typeof source === 'string' ? source : undefined;
    const bytes = (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
    this.#recordings.push({
      facts,
      path: url.pathname + url.search,
      requestHeaders: raw.req.headers,
      requestBody,
      responseHeaders: raw.res.getHeaders(),
      responseBody,
      bytes,
    });
    this.#bytes += bytes;
    while (this.#recordings.length > RECORDED_REQUESTS_MAX || this.#bytes > BODIES_MAX_BYTES)
      this.#bytes -= this.#recordings.shift()?.bytes ?? 0;
  }

  clear(): void {
    this.#recordings = [];
    this.#bytes = 0;
  }

  /** Oldest first. */
  list(passes: (facts: Recording['facts']) => boolean): RecordedRequest[] {
    return this.#recordings.filter(({ facts }) => passes(facts)).map(present);
  }
}

const present = ({ facts, path, requestHeaders, requestBody, responseHeaders, responseBody }: Recording): RecordedRequest => ({
  ...facts,
  path: redact(path),
  request: presentMessage(requestHeaders, requestBody?.toString('utf8')),
  response: presentMessage(responseHeaders, responseBody),
});

function presentMessage(headers: Headers, body: string | undefined): RecordedRequest['request'] {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, SECRET_HEADERS.has(name) ? HIDDEN : redact(String(value))]],
  );
  const text = body === undefined ? null : redact(body);
  return {
    headers: Object.fromEntries(entries),
    body: text?.slice(0, BODY_MAX_CHARS) ?? null,
    isTruncated: (text?.length ?? 0) > BODY_MAX_CHARS,
  };
}
