/** Copies a row as JSON or as the curl command that repeats it, never with a key. */
import type { ShownDelivery } from '../sources/source.ts';
import type { AnyRow, ItemRow, RequestRow, DataTab } from '../state/model.ts';
import { getRecordPath } from './record-paths.ts';

const KEY_HEADER = '-H "X-API-Key: $STOCKROOM_API_KEY"';

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `shown` is the delivery with its request, if it could be read; null if there is no request to repeat. */
export function toCurl(tab: DataTab, row: AnyRow, url: string, shown: ShownDelivery | null): string | null {
  const send = (path: string, method = 'GET'): string =>
    ['curl', ...(method === 'GET' ? [] : ['-X', method]), KEY_HEADER, quote(toUrl(url, path))].join(' ');
  switch (tab) {
    case 'deliveries': {
      const request = shown?.request;
      if (!request) return null;
      const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
      return ['curl -X POST', quote(request.url), ...headers, '--data-binary', quote(request.body)].join(' ');
    }
    case 'requests':
      return send((row as RequestRow).path, (row as RequestRow).method);
    case 'items':
      return (row as ItemRow).command ?? send(getRecordPath(tab, row));
    default:
      return send(getRecordPath(tab, row));
  }
}

export const toUrl = (service: string, path: string): string => service.replace(/\/$/u, '') + path;

/** Leaves out what only the screen needs. */
export const toJson = (row: AnyRow, shown: ShownDelivery | null): string => {
  const { meter: _meter, hour: _hour, ...data } = (shown ?? row) as { meter?: unknown; hour?: unknown };
  return JSON.stringify(data, undefined, 2);
};

/** The terminal sequence that sets the clipboard (OSC 52). */
export const clipboardSequence = (text: string): string => `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
