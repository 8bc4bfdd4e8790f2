import { describe, expect, test } from 'vitest';
import type { FeedMessage } from '../../http/feed.ts';
import { createFeed } from './feed.ts';

const createRequest = (path: string) => ({
  at: '2026-01-01T00:00:00.000Z',
  requestId: 'r',
  operationId: null,
  method: 'GET',
  path,
  status: 200,
  errorCode: null,
  errorMessage: null,
  milliseconds: 1,
  keyId: null,
  keyPrefix: null,
});

function start() {
  let now = 0;
  const feed = createFeed('start', () => now);
  const subscribe = (lastId?: string, types?: readonly FeedMessage['type'][]) => {
    const messages: FeedMessage[] = [];
    const unsubscribe = feed.subscribe(lastId, (message) => messages.push(message), types);
    return { messages, unsubscribe };
  };
  const publish = (type: 'event' | 'request', text: string) => {
    if (!feed.hasSubscribers(type)) return;
    if (type === 'event') feed.publish('event', null, { position: 1, body: text });
    else feed.publish('request', null, createRequest(text));
  };
  return { feed, subscribe, publish, pass: (ms: number) => void (now += ms) };
}
const listTexts = (messages: readonly FeedMessage[]) =>
  messages.map(({ type, data }) =>
    type === 'gap' ? 'gap' : type === 'event' ? (data as { body: string }).body : (data as { path: string }).path,
  );

describe('the feed', () => {
  test('gives a returning subscriber the missed messages of its types in order', () => {
    const { subscribe, publish } = start();
    const first = subscribe();
    publish('event', 'a');
    first.unsubscribe();
    for (const [type, text] of [
      ['request', '/b'],
      ['event', 'c'],
      ['request', '/d'],
    ] as const)
      publish(type, text);
    const lastId = first.messages.at(-1)?.id;
    expect(listTexts(subscribe(lastId).messages)).toEqual(['/b', 'c', '/d']);
    expect(listTexts(subscribe(lastId, ['event']).messages)).toEqual(['c']);
    expect(listTexts(subscribe().messages)).toEqual([]);
  });

  test('has no subscribers a minute after the last one left, and then reports a gap to the next one', () => {
    const { feed, subscribe, publish, pass } = start();
    expect(feed.hasSubscribers('delivery')).toBe(false);
    const first = subscribe(undefined, ['event']);
    expect([feed.hasSubscribers('event'), feed.hasSubscribers('delivery')]).toEqual([true, false]);
    publish('event', 'a');
    first.unsubscribe();
    pass(59_999);
    publish('event', 'b');
    pass(1);
    expect(feed.hasSubscribers('event')).toBe(false);
    publish('event', 'lost');
    const second = subscribe(first.messages.at(-1)?.id, ['event']);
    publish('event', 'c');
    expect(listTexts(second.messages)).toEqual(['gap', 'c']);
    // The id of the gap can be resumed from.
    publish('event', 'd');
    expect(listTexts(subscribe(second.messages[0]?.id, ['event']).messages)).toEqual(['c', 'd']);
  });

  test('reports a gap for the id of another start, an id from the future and an invalid id', () => {
    const { subscribe, publish } = start();
    subscribe();
    publish('event', 'a');
    for (const id of ['other.1', 'start.9', 'start.', 'start.x', '']) expect(listTexts(subscribe(id).messages), id).toEqual(['gap']);
    expect(listTexts(subscribe('start.1').messages)).toEqual([]);
  });

  test('keeps the latest requests of each tenant, also without a subscriber', () => {
    const { feed } = start();
    for (let index = 0; index < 5_000; index += 1)
      feed.publish('request', ['one', 'two', null][index % 3] ?? null, createRequest(`/${String(index)}`));
    expect(feed.hasSubscribers('request')).toBe(true);
    const recent = feed.listRecent('request', 'one', 1_000);
    expect([recent.length, recent.at(-1)?.path, recent.at(-1)?.id]).toEqual([1_000, '/4998', 'start.4999']);
    expect(recent.some(({ path }) => Number(path.slice(1)) % 3 === 1)).toBe(false);
  });

  test('keeps the few messages of one type while another type has very many', () => {
    const { subscribe, publish } = start();
    subscribe();
    publish('event', 'first');
    publish('event', 'second');
    for (let index = 0; index < 10_000; index += 1) publish('request', `/${String(index)}`);
    expect(listTexts(subscribe('start.1', ['event']).messages)).toEqual(['second']);
    expect(listTexts(subscribe('start.1', ['event', 'request']).messages)).toEqual(['gap']);
    expect(listTexts(subscribe('start.10001').messages)).toEqual(['/9999']);
  });
});
