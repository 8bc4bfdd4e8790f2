/** Recorded requests as a HAR document and as curl commands. */
import type { RecordedRequest } from '../../contract/admin/requests.ts';
import { DOCUMENT_VERSION } from '../../contract/openapi/info.ts';
import { quoteForShell } from '../errors/hints.ts';

const toPairs = (headers: Readonly<Record<string, string>>) => Object.entries(headers).map(([name, value]) => ({ name, value }));

/** HAR 1.2. `baseUrl`: of the service, without a trailing slash. */
export function toHar(requests: readonly RecordedRequest[], baseUrl: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'stockroom', version: DOCUMENT_VERSION },
      entries: requests.map((request) => toEntry(request, baseUrl)),
    },
  };
}

function toEntry({ at, method, path, status, milliseconds, request, response }: RecordedRequest, baseUrl: string): object {
  const url = new URL(path, baseUrl);
  const mimeType = request.headers['content-type'] ?? '';
  const unknownSizes = { headersSize: -1, bodySize: -1 };
  return {
    startedDateTime: at,
    time: milliseconds,
    request: {
      method,
      url: url.href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toPairs(request.headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body === null ? {} : { postData: { mimeType, text: request.body } }),
      ...unknownSizes,
    },
    response: {
      status: status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toPairs(response.headers),
      content: { size: response.body?.length ?? 0, mimeType: response.headers['content-type'] ?? '', text: response.body ?? '' },
      redirectURL: '',
      ...unknownSizes,
    },
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
  };
}

const SENT_HEADERS = ['content-type', 'idempotency-key', 'if-match'];

/** One command, which sends the key of the environment. */
export function toCurl({ method, path, request }: RecordedRequest): string {
  const headers = SENT_HEADERS.flatMap((name) => (request.headers[name] === undefined ? [] : [`${name}: ${request.headers[name]}`]));
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : ['-X', method]),
    `"$STOCKROOM_URL"${quoteForShell(path)}`,
    '-H "X-API-Key: $STOCKROOM_API_KEY"',
    ...headers.map((header) => `-H ${quoteForShell(header)}`),
    ...(request.body === null ? [] : ['--data-raw', quoteForShell(request.body)]),
  ].join(' ');
}
