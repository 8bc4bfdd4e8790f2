import { expect, test } from 'vitest';
import { DELIVERY_RESPONSE_RECORDED_BYTES } from '../contract/limits.ts';
import { ResponseCapture } from './response-capture.ts';

const capture = (headers: Record<string, string | string[]>, ...chunks: readonly (string | Buffer)[]) => {
  const response = new ResponseCapture(headers);
  for (const chunk of chunks) response.add(Buffer.from(chunk));
  return response.getResponse();
};

test('a response is recorded with the headers that explain a failure, never with cookies or credentials', () => {
  const headers = {
    'content-type': 'text/plain',
    'retry-after': ['5', '9'],
    location: `https://shop.example/${'a'.repeat(500)}`,
    'set-cookie': 'session=secret',
    authorization: 'Bearer secret',
    'x-other': 'no',
  };
  const { headers: recorded } = capture(headers);
  expect(Object.keys(recorded)).toEqual(['content-type', 'location', 'retry-after']);
  expect([recorded['retry-after'], recorded['location']?.length]).toEqual(['5, 9', 200]);
});

test('a body is recorded up to 1 KiB, cut between two characters', () => {
  expect(capture({}, 'busy')).toEqual({ headers: {}, body: 'busy', isTruncated: false });
  expect(capture({})).toEqual({ headers: {}, body: '', isTruncated: false });
  const exact = 'a'.repeat(DELIVERY_RESPONSE_RECORDED_BYTES);
  expect(capture({}, exact)).toMatchObject({ body: exact, isTruncated: false });
  expect(capture({}, exact, 'b')).toMatchObject({ body: exact, isTruncated: true });
  // The last of the 1,024 bytes is the first of a character.
  expect(capture({}, `${exact.slice(1)}é`)).toMatchObject({ body: exact.slice(1), isTruncated: true });
  expect(capture({}, Buffer.from('caf\u00e9'), Buffer.from([0xff]))).toMatchObject({ body: 'café\ufffd', isTruncated: false });
});

test('a character that is split between two chunks is recorded whole', () => {
  const bytes = Buffer.from('倉庫');
  expect(capture({}, bytes.subarray(0, 2), bytes.subarray(2)).body).toBe('倉庫');
});

test('control characters are replaced, so that the stored answer can be read everywhere', () => {
  expect(capture({}, 'a\u0000b\u001B[31m\tc\r\nd\u007F').body).toBe('a\u{FFFD}b\u{FFFD}[31m\tc\r\nd\u{FFFD}');
});
