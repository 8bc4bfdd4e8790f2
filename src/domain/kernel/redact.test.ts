import { pino } from 'pino';
import { expect, test } from 'vitest';
import { generateKey } from '../tenancy/api-keys.ts';
import { redact } from './redact.ts';

/** Returns the line that the daemon would write to its log. */
function logAndRedact(...entry: [object, string] | [string]): string {
  let line = '';
  const log = pino({ base: null, timestamp: false }, { write: (text: string) => void (line += redact(text)) });
  if (entry.length === 1) log.info(entry[0]);
  else log.info(entry[0], entry[1]);
  return line;
}

test.each(['authorization', 'x-api-key', 'cookie', 'signingSecret', 'client_secret', 'code', 'code_verifier', 'access_token', 'token'])(
  'the value of %s is hidden at any depth and in any case of the name, and the line stays valid JSON',
  (name) => {
    const line = logAndRedact(
      {
        request: {
          headers: { [name]: `s3cr${name === 'code' ? '' : '"'}x1\\x2` },
          list: [{ [name.toUpperCase()]: name === 'code' ? 1 : 'x3"x4' }],
        },
      },
      'x',
    );
    expect(line).not.toMatch(/s3cr|x\d/u);
    expect(JSON.parse(line)).toHaveProperty(['request', 'headers', name], '[hidden]');
  },
);

test('an API key is cut to its public prefix in messages, paths and stack traces', () => {
  for (const environment of ['production', 'development'] as const) {
    const { secret, prefix } = generateKey(environment);
    for (const line of [
      logAndRedact(`refused ${secret}`),
      logAndRedact({ path: `/v1/items?x=${secret}` }, 'm'),
      logAndRedact({ err: new Error(`bad ${secret}`) }, 'm'),
    ]) {
      expect(line).toContain(`${prefix}…`);
      expect(line).not.toContain(secret.slice(0, 17));
    }
  }
});

test('secrets in query strings, form bodies, nested JSON and Authorization headers are hidden', () => {
  const line = logAndRedact(
    {
      url: '/cb?code=abc123&state=fine',
      form: 'client_secret=hush&grant_type=x',
      nested: JSON.stringify({ token: 'hush', code: 'hush2' }),
    },
    'Bearer abcdefgh12345678',
  );
  expect(line).not.toMatch(/abc123|hush|abcdefgh/u);
  expect(line).toContain('state=fine');
  expect(line).toContain('grant_type=x');
  expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('error codes are not hidden', () => {
  expect(logAndRedact({ code: 'STORE_UNAVAILABLE' }, 'm')).toContain('STORE_UNAVAILABLE');
  expect(logAndRedact({ err: Object.assign(new Error('x'), { code: 'ENOSPC' }) }, 'm')).toContain('ENOSPC');
});
