import { pino } from 'pino';
import { expect, test } from 'vitest';
import { makeKey } from '../domain/keys.ts';
import { redact } from './redact.ts';

/** One line as the daemon's log would have it. */
function logged(...entry: [object, string] | [string]): string {
  let line = '';
  const log = pino({ base: null, timestamp: false }, { write: (text: string) => void (line += redact(text)) });
  if (entry.length === 1) log.info(entry[0]);
  else log.info(entry[0], entry[1]);
  return line;
}

test.each(['authorization', 'x-api-key', 'cookie', 'signingSecret', 'client_secret', 'code', 'code_verifier', 'access_token', 'token'])(
  'the value of %s is hidden at any depth, whatever the case of the name, and the line stays JSON',
  (name) => {
    const line = logged(
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

test('a key keeps only its public prefix: in a message, a path, a field, a stack', () => {
  for (const environment of ['production', 'development'] as const) {
    const { secret, prefix } = makeKey(environment);
    for (const line of [
      logged(`refused ${secret}`),
      logged({ path: `/v1/items?x=${secret}` }, 'm'),
      logged({ err: new Error(`bad ${secret}`) }, 'm'),
    ]) {
      expect(line).toContain(`${prefix}…`);
      expect(line).not.toContain(secret.slice(0, 17));
    }
  }
});

test('secrets in a query string, a form body, a nested JSON text and an Authorization header are hidden', () => {
  const line = logged(
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

test('error codes stay readable', () => {
  expect(logged({ code: 'STORE_UNAVAILABLE' }, 'm')).toContain('STORE_UNAVAILABLE');
  expect(logged({ err: Object.assign(new Error('x'), { code: 'ENOSPC' }) }, 'm')).toContain('ENOSPC');
});
