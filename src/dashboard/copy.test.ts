import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { auditRow, deliveryRow, endpointRow, requestRow } from '../../test/support/dashboard.ts';
import { clipboardSequence, curlOf, jsonOf } from './copy.ts';
import { faultsOf } from './faults.ts';

const URL_OF = 'http://127.0.0.1:8625/';
const shown = {
  ...deliveryRow(1),
  eventId: deliveryRow(2).id,
  request: {
    method: 'POST' as const,
    url: 'https://shop.example/a?b=c',
    headers: { 'X-A': "it's" },
    asSent: true,
    body: '{"note":"it\'s $HOME `id`"}',
  },
  history: [],
};

test('a delivery as curl gives the shell exactly the request, whatever is in it', () => {
  const curl = curlOf('deliveries', deliveryRow(1), URL_OF, shown) ?? '';
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${curl}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  expect(words).toEqual(['-X', 'POST', 'https://shop.example/a?b=c', '-H', "X-A: it's", '--data-binary', shown.request.body]);
});

test('what the API is asked with names the variable of the key, never the key', () => {
  const at = (path: string) => `curl -H "X-API-Key: $STOCKROOM_API_KEY" '${URL_OF}v1${path}'`;
  expect(curlOf('limits', endpointRow(1), URL_OF, null)).toBe(at('/usage'));
  expect(curlOf('endpoints', endpointRow(1), URL_OF, null)).toBe(at(`/webhooks/${endpointRow(1).id}`));
  expect(curlOf('requests', requestRow(1), URL_OF, null)).toBe(at('/items'));
  expect(curlOf('requests', requestRow(1, { method: 'DELETE' }), URL_OF, null)).toMatch(
    /^curl -X DELETE -H "X-API-Key: \$STOCKROOM_API_KEY"/u,
  );
  expect(curlOf('audit', auditRow(1), URL_OF, null)).toContain('/v1/audit/events?since=2026-03-31T13%3A43%3A21.000Z&limit=1');
  expect(curlOf('deliveries', deliveryRow(1), URL_OF, null)).toBeNull();
});

test('JSON has the whole row, and the request where it is known', () => {
  expect(JSON.parse(jsonOf(deliveryRow(1), shown))).toEqual(shown);
  expect(JSON.parse(jsonOf(auditRow(1), null))).toEqual(auditRow(1));
});

test('the clipboard gets the text as it is', () => {
  const sequence = clipboardSequence('naïve ☕');
  expect([sequence.slice(0, 7), sequence.slice(-1)]).toEqual(['\u001b]52;c;', '\u0007']);
  expect(Buffer.from(sequence.slice(7, -1), 'base64').toString('utf8')).toBe('naïve ☕');
});

test.each([
  [{}, null],
  [{ faults: [] }, null],
  [{ faults: null }, null],
  [{ faults: [{ target: 'POST /v1/items' }, { target: 'GET /v1/*' }] }, 'POST /v1/items, GET /v1/* (stockroom faults list)'],
  [{ faults: [{}, 7] }, 'something, something (stockroom faults list)'],
])('a daemon that says %j has faults: %s', (status, text) => {
  expect(faultsOf(status)).toBe(text);
});
