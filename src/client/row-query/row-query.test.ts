import { describe, expect, test } from 'vitest';
import { type QueryContext, parseRowQuery } from './row-query.ts';

interface Delivery {
  readonly event: string;
  readonly endpoint: string;
  readonly http: number | null;
  readonly took: number | null;
  readonly at: number;
}

const NOW = Date.parse('2026-03-31T14:00:00.000Z');
const context: QueryContext<Delivery> = {
  now: () => NOW,
  getText: ({ event, endpoint, http }) => `${event} ${endpoint} ${String(http ?? '')}`,
  fields: {
    event: { kind: 'text', get: ({ event }) => event },
    endpoint: { kind: 'text', get: ({ endpoint }) => [endpoint, 'id-of-it'] },
    http: { kind: 'number', get: ({ http }) => http },
    took: { kind: 'milliseconds', get: ({ took }) => took },
    status: { kind: 'text', values: ['failed', 'retrying'], get: () => 'failed' },
    since: { kind: 'since', get: ({ at }) => at },
    until: { kind: 'until', get: ({ at }) => at },
  },
};
const delivery = { event: 'order.created', endpoint: 'Café Baixa sync', http: 503, took: 1_200, at: NOW - 3_600_000 };

describe('a row matches', () => {
  test.each([
    ['', true],
    ['   ', true],
    ['cafe', true],
    ['order 503', true],
    ['order 404', false],
    ['"baixa sync"', true],
    ['"sync baixa"', false],
    ['!shop', true],
    ['!CAFÉ', false],
    ['! cafe', false],
    ['!', true],
    ['/', true],
    ['/^order.*\\d{3}$/', true],
    ['/^order/ !/404/', true],
    ['/baixa sync/', true],
    ['!/5\\d\\d/', false],
    ['event:order.*', true],
    ['event:order', true],
    ['status:retrying,fail', true],
    ['status:re*', false],
    ['event:*.updated', false],
    ['event:item.*,order.created', true],
    ['!event:order.*', false],
    ['endpoint:"cafe baixa"', true],
    ['endpoint:id-of-it', true],
    ['http:503', true],
    ['http:5xx', true],
    ['http:4xx,5xx', true],
    ['http:4xx', false],
    ['http:>=500 http:<504', true],
    ['http:>503', false],
    ['took:>1s', true],
    ['took:<=1200ms', true],
    ['took:>1.5s', false],
    ['since:2h', true],
    ['since:30m', false],
    ['until:30m', true],
    ['http://shop.example', false],
  ])('%s: %s', (query, isMatch) => {
    const parsed = parseRowQuery(query, context);
    expect([parsed.problem, parsed.matches(delivery)]).toEqual([null, isMatch]);
  });

  test('no comparison when it has no value', () => {
    const waiting = { ...delivery, http: null, took: null };
    expect(parseRowQuery('http:<600', context).matches(waiting)).toBe(false);
    expect(parseRowQuery('!http:5xx', context).matches(waiting)).toBe(true);
  });
});

test.each([
  ['shop kind:order', 'at 6: no field "kind"; there are event, endpoint, http, took, status, since, until'],
  ['http:abc', 'at 1: http: takes a number, such as http:>=400 or http:5xx, not "abc"'],
  ['!took:5', 'at 1: took: takes a duration, such as 250ms, 10s, 5m, 2h or 1d, not "5"'],
  ['status:failed,faulty', 'at 1: status: has no value "faulty"; there are failed, retrying'],
  ['since:', 'at 1: since: needs a value, such as since:2h'],
  ['order /(/', 'at 7: invalid regular expression: Unterminated group'],
  ['constructor:1', 'at 1: no field "constructor"; there are event, endpoint, http, took, status, since, until'],
])('an invalid query names the position and matches everything: %s', (query, problem) => {
  const parsed = parseRowQuery(query, context);
  expect(parsed.problem).toBe(problem);
  expect(parsed.matches(delivery)).toBe(true);
});
