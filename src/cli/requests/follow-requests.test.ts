import { expect, test } from 'vitest';
import { ApiError } from '../../client/errors.ts';
import type { RequestRow } from '../settings/request-log.ts';
import { followRequests } from './follow-requests.ts';

const toRow = (id: string) => ({ id, path: `/${id}` }) as RequestRow;
const GAP = { id: '', event: 'gap', data: null };
/** Rows of the feed have no id of their own. */
const toMessage = (id: string) => ({ id, event: 'request', data: { path: `/${id}` } });

/** The paths that are followed: `feed` has ids of requests and the list at a gap, `seen` is the list before. */
async function follow(seen: readonly string[], ...feed: readonly (string | readonly string[] | Error)[]): Promise<string[]> {
  let list: readonly string[] | Error = [];
  const messages = async function* () {
    for (const each of feed) {
      if (typeof each !== 'string') list = each;
      yield await Promise.resolve(typeof each === 'string' ? toMessage(each) : GAP);
    }
  };
  const read = () => (list instanceof Error ? Promise.reject(list) : Promise.resolve(list.map(toRow)));
  const paths: string[] = [];
  for await (const { path } of followRequests(messages(), { read, seen: seen.map(toRow), past: [] })) paths.push(path);
  return paths;
}

test('requests between the first list and the feed are followed, also if the list was empty', async () => {
  expect(await follow([], ['a.1', 'a.2'], 'a.3')).toEqual(['/a.1', '/a.2', '/a.3']);
  expect(await follow(['a.1'], ['a.1', 'a.2'], 'a.3')).toEqual(['/a.2', '/a.3']);
});

test('a request that both the list and the feed have is followed once', async () => {
  expect(await follow(['a.1'], ['a.1', 'a.2', 'a.3'], 'a.2', 'a.3', 'a.4')).toEqual(['/a.2', '/a.3', '/a.4']);
});

test('requests in a gap of the feed are followed, of a daemon that was restarted all', async () => {
  expect(await follow([], [], 'a.1', ['a.1', 'a.2'], 'a.3')).toEqual(['/a.1', '/a.2', '/a.3']);
  expect(await follow(['a.1'], ['a.1'], 'a.2', ['b.1', 'b.2'], 'b.3')).toEqual(['/a.2', '/b.1', '/b.2', '/b.3']);
});

test('requests whose list was not read because the daemon was lost are read at the next gap', async () => {
  const lost = new ApiError({
    status: 503,
    code: 'UNAVAILABLE',
    message: '',
    requestId: null,
    fields: null,
    details: null,
    retryAfterSeconds: null,
  });
  expect(await follow([], [], 'a.1', lost, ['a.1', 'a.2'])).toEqual(['/a.1', '/a.2']);
});
