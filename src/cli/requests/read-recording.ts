/** Reads recorded requests from a file: a HAR document, or what `requests export --json` prints. */
import type { RecordedExchange } from '../../client/recorded-exchange.ts';
import type { RecordedRequest } from '../../contract/admin/requests.ts';
import { usageError } from '../errors/failure.ts';
import { readWholeFile } from '../input/bounded-read.ts';

interface Header {
  readonly name: string;
  readonly value: string;
}
/** What is read of an entry of a HAR document. */
interface HarEntry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly Header[];
    readonly postData?: { readonly text?: string };
  };
  readonly response: { readonly status: number; readonly headers: readonly Header[]; readonly content: { readonly text?: string } };
}

/** The requests to `/v1`, oldest first. Throws a usage error. */
export function readRecording(path: string): RecordedExchange[] {
  const text = readWholeFile(path === '-' ? 0 : path, path).toString();
  try {
    const document = JSON.parse(text) as { log?: { entries: readonly HarEntry[] }; data?: readonly RecordedRequest[] };
    const exchanges = document.log ? document.log.entries.map(fromHar) : (document.data ?? []).map(fromExport);
    if (document.log || document.data) return exchanges.filter((exchange) => exchange.path.startsWith('/v1/'));
  } catch {
    // Another document, or something is missing in it.
  }
  throw usageError(`${path} has no recorded requests`, 'Record them with `stockroom requests export --har > requests.har`');
}

function fromHar({ request, response }: HarEntry): RecordedExchange {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method.toUpperCase(),
    path: pathname + search,
    headers: fromPairs(request.headers),
    body: request.postData?.text,
    expected:
      response.status === 0
        ? undefined
        : { status: response.status, headers: fromPairs(response.headers), text: response.content.text ?? '' },
    isTruncated: false,
  };
}

const fromPairs = (headers: readonly Header[]): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));

function fromExport({ method, path, status, request, response }: RecordedRequest): RecordedExchange {
  return {
    method,
    path,
    headers: request.headers,
    body: request.body ?? undefined,
    expected: status === null ? undefined : { status, headers: response.headers, text: response.body ?? '' },
    isTruncated: request.isTruncated || response.isTruncated,
  };
}
