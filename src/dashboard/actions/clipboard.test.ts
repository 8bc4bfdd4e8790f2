import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { auditRow, deliveryRow, endpointRow, requestRow } from '../../../test/support/dashboard-states.ts';
import { clipboardSequence, toCurl, toJson } from './clipboard.ts';
import { describeFaults } from '../sources/daemon-problems.ts';

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

test('toCurl quotes a delivery so that the shell receives exactly its request', () => {
  const curl = toCurl('deliveries', deliveryRow(1), URL_OF, shown) ?? '';
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${curl}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  expect(words).toEqual(['-X', 'POST', 'https://shop.example/a?b=c', '-H', "X-A: it's", '--data-binary', shown.request.body]);
});

test('toCurl uses the variable STOCKROOM_API_KEY, never the key', () => {
  const at = (path: string) => `curl -H "X-API-Key: $STOCKROOM_API_KEY" '${URL_OF}v1${path}'`;
  expect(toCurl('limits', endpointRow(1), URL_OF, null)).toBe(at('/usage'));
  expect(toCurl('endpoints', endpointRow(1), URL_OF, null)).toBe(at(`/webhooks/${endpointRow(1).id}`));
  expect(toCurl('requests', requestRow(1), URL_OF, null)).toBe(at('/items'));
  expect(toCurl('requests', requestRow(1, { method: 'DELETE' }), URL_OF, null)).toMatch(
    /^curl -X DELETE -H "X-API-Key: \$STOCKROOM_API_KEY"/u,
  );
  expect(toCurl('audit', auditRow(1), URL_OF, null)).toContain(`/v1/items/${auditRow(1).resourceId}`);
  expect(toCurl('deliveries', deliveryRow(1), URL_OF, null)).toBeNull();
});

test('toJson contains the whole row, and the request if it is known', () => {
  expect(JSON.parse(toJson(deliveryRow(1), shown))).toEqual(shown);
  expect(JSON.parse(toJson(auditRow(1), null))).toEqual(auditRow(1));
});

test('clipboardSequence encodes the text unchanged', () => {
  const sequence = clipboardSequence('naïve ☕');
  expect([sequence.slice(0, 7), sequence.slice(-1)]).toEqual(['\u001b]52;c;', '\u0007']);
  expect(Buffer.from(sequence.slice(7, -1), 'base64').toString('utf8')).toBe('naïve ☕');
});

test.each([
  [{}, null],
  [{ faults: [] }, null],
  [{ faults: null }, null],
  [{ faults: [{ target: 'POST /v1/items' }, { target: 'GET /v1/*' }] }, 'POST /v1/items, GET /v1/* (stockroom faults list)'],
  [{ faults: [{}, 7] }, 'unknown target, unknown target (stockroom faults list)'],
])('describeFaults describes the status %j as %s', (status, text) => {
  expect(describeFaults(status)).toBe(text);
});
