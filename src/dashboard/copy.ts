/** A row as something to paste: JSON, or the curl command that does it again. Keys are never in it. */
import type { ShownDelivery } from './detail.ts';
import type { AnyRow, EndpointRow, RequestRow, Tab } from './model.ts';

const KEY_HEADER = '-H "X-API-Key: $STOCKROOM_API_KEY"';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `shown`: the delivery with its request, where it could be read. */
export function curlOf(tab: Tab, row: AnyRow, url: string, shown: ShownDelivery | null): string | null {
  const get = (path: string): string => `curl ${KEY_HEADER} ${quoted(url.replace(/\/$/u, '') + path)}`;
  switch (tab) {
    case 'deliveries': {
      const request = shown?.request;
      if (!request) return null;
      const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
      return ['curl -X POST', quoted(request.url), ...headers, '--data-binary', quoted(request.body)].join(' ');
    }
    case 'limits':
      return get('/v1/usage');
    case 'endpoints':
      return get(`/v1/webhooks/${(row as EndpointRow).id}`);
    case 'requests': {
      const { method, path } = row as RequestRow;
      return method === 'GET' ? get(path) : `curl -X ${method} ${KEY_HEADER} ${quoted(url.replace(/\/$/u, '') + path)}`;
    }
    case 'audit':
      return get(`/v1/audit/events?since=${encodeURIComponent((row as { createdAt: string }).createdAt)}&limit=1`);
  }
}

/** Without what only the screen needs. */
export const jsonOf = (row: AnyRow, shown: ShownDelivery | null): string => {
  const { meter: _meter, ...told } = (shown ?? row) as { meter?: unknown };
  return JSON.stringify(told, undefined, 2);
};

/** What terminals take as "put this on the clipboard" (OSC 52). */
export const clipboardSequence = (text: string): string => `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
