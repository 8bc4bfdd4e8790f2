import { describe, expect, test } from 'vitest';
import type { FeedMessage } from '../http/service.ts';
import { createFeed } from './feed.ts';

const requestOf = (path: string) => ({
  at: '2026-01-01T00:00:00.000Z',
  requestId: 'r',
  operationId: null,
  method: 'GET',
  path,
  status: 200,
  milliseconds: 1,
  keyId: null,
  keyPrefix: null,
});

function start() {
  let now = 0;
  const feed = createFeed('start', () => now);
  const heard = (lastId?: string, types?: readonly FeedMessage['type'][]) => {
    const messages: FeedMessage[] = [];
    const stop = feed.follow(lastId, (message) => messages.push(message), types);
    return { messages, stop };
  };
  const tell = (type: 'event' | 'request', text: string) => {
    if (!feed.wants(type)) return;
    if (type === 'event') feed.publish('event', null, { position: 1, body: text });
    else feed.publish('request', null, requestOf(text));
  };
  return { feed, heard, tell, later: (ms: number) => void (now += ms) };
}
const texts = (messages: readonly FeedMessage[]) =>
  messages.map(({ type, data }) =>
    type === 'gap' ? 'gap' : type === 'event' ? (data as { body: string }).body : (data as { path: string }).path,
  );

describe('a feed', () => {
  test('gives who comes back what was told meanwhile, in order, of the types that are asked for', () => {
    const { heard, tell } = start();
    const first = heard();
    tell('event', 'a');
    first.stop();
    for (const [type, text] of [
      ['request', '/b'],
      ['event', 'c'],
      ['request', '/d'],
    ] as const)
      tell(type, text);
    const lastId = first.messages.at(-1)?.id;
    expect(texts(heard(lastId).messages)).toEqual(['/b', 'c', '/d']);
    expect(texts(heard(lastId, ['event']).messages)).toEqual(['c']);
    expect(texts(heard().messages)).toEqual([]);
  });

  test('wants nothing that nobody listens to, and says later that there is a gap', () => {
    const { feed, heard, tell, later } = start();
    expect(feed.wants('request')).toBe(false);
    const first = heard(undefined, ['event']);
    expect([feed.wants('event'), feed.wants('request')]).toEqual([true, false]);
    tell('event', 'a');
    first.stop();
    later(59_999);
    tell('event', 'b');
    later(1);
    expect(feed.wants('event')).toBe(false);
    tell('event', 'lost');
    const back = heard(first.messages.at(-1)?.id, ['event']);
    tell('event', 'c');
    expect(texts(back.messages)).toEqual(['gap', 'c']);
    // From the gap on one can go on.
    tell('event', 'd');
    expect(texts(heard(back.messages[0]?.id, ['event']).messages)).toEqual(['c', 'd']);
  });

  test('tells of a gap to an id of another start, to an id from the future, and to one that is no id', () => {
    const { heard, tell } = start();
    heard();
    tell('event', 'a');
    for (const id of ['other.1', 'start.9', 'start.', 'start.x', '']) expect(texts(heard(id).messages), id).toEqual(['gap']);
    expect(texts(heard('start.1').messages)).toEqual([]);
  });

  test('keeps the few of one type while another has very many', () => {
    const { heard, tell } = start();
    heard();
    tell('event', 'first');
    tell('event', 'second');
    for (let at = 0; at < 10_000; at += 1) tell('request', `/${String(at)}`);
    expect(texts(heard('start.1', ['event']).messages)).toEqual(['second']);
    expect(texts(heard('start.1', ['event', 'request']).messages)).toEqual(['gap']);
    expect(texts(heard('start.10001').messages)).toEqual(['/9999']);
  });
});
