import { expect, test } from 'vitest';
import { StockroomError } from '../kernel/errors.ts';
import { appendParameters, checkRedirectUri, isRegisteredRedirectUri } from './redirect-uris.ts';

test('isRegisteredRedirectUri matches exactly, except for the port of a public loopback address or localhost', () => {
  const redirectUris = [
    'https://shop.example/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback?x=1',
    'http://localhost:3000/',
  ];
  const ok = (type: 'public' | 'confidential', uri: string) => isRegisteredRedirectUri({ type, redirectUris }, uri);
  for (const uri of redirectUris) expect([ok('public', uri), ok('confidential', uri)]).toEqual([true, true]);
  for (const uri of [
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]/callback?x=1',
    'http://localhost:3001/',
  ]) {
    expect([uri, ok('public', uri), ok('confidential', uri)]).toEqual([uri, true, false]);
  }
  for (const uri of [
    'https://shop.example:8443/callback',
    'http://localhost.evil.example:3001/',
    'http://127.0.0.2/callback',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:80a/callback',
    'http://127.0.0.1/callback/',
    'http://127.0.0.1/callback?',
    'http://127.0.0.1/callback#',
    'http://127.0.0.1\\@evil.example/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://0x7f.1/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://[::1]/callback',
    'HTTP://127.0.0.1/callback',
    '',
  ]) {
    expect([uri, ok('public', uri)]).toEqual([uri, false]);
  }
});

test('isRegisteredRedirectUri accepts every port of a public loopback address, including the default one', () => {
  const application = { type: 'public', redirectUris: ['http://127.0.0.1/callback'] } as const;
  for (const port of ['1', '80', '8080', '65535']) {
    expect(isRegisteredRedirectUri(application, `http://127.0.0.1:${port}/callback`)).toBe(true);
  }
});

/** Each would end a directive of a Content-Security-Policy, widen a source, or look like a wildcard. */
const AMBIGUOUS = [
  'https://x;sandbox/',
  'https://shop.example;script-src/callback',
  'https://shop.example,evil.example/callback',
  "https://'self'/callback",
  'https://"shop"/callback',
  'https://*/callback',
  'https://*.shop.example/callback',
  'https://shop.*/callback',
  'https://shop$example/callback',
  'https://shop.example/*',
  'https://shop.example/a;b',
  'https://shop.example/a,b',
  "https://shop.example/'a'",
  'https://shop.example/?a="b"',
  'https://shop.example/?a=b;c',
  'https://shop.example/a b',
  'https://shop.example/a\tb',
  'https://shop.example/\r\nx: y',
  'https://shop.example/\u0000',
  'https://shop.example/\u007f',
  'https://shop.example/\u00a0',
  ' https://shop.example/callback',
];

test('checkRedirectUri rejects characters that have a meaning in a security policy, and wildcards', () => {
  for (const uri of AMBIGUOUS) {
    expect(() => checkRedirectUri(uri, '/redirectUris/0'), uri).toThrow(StockroomError);
    expect([uri, isRegisteredRedirectUri({ type: 'confidential', redirectUris: [uri] }, uri)]).toEqual([uri, false]);
  }
  for (const uri of [
    'https://shop.example',
    'https://shop.example/callback?a=1&b=%3B%2C%2A%27%20',
    'https://xn--mnchen-3ya.example:8443/~a/b_c-d.e/(1)!',
    'https://my_shop.internal/callback',
    'http://localhost:3000/callback',
    'http://[::1]:3000/callback',
  ]) {
    expect(() => checkRedirectUri(uri, '/redirectUris/0'), uri).not.toThrow();
  }
});

test('appendParameters appends to existing parameters without changing them', () => {
  expect(appendParameters('https://a.example/', { code: 'x y', state: undefined })).toBe('https://a.example/?code=x+y');
  expect(appendParameters('https://a.example/?b=c%20d', { state: '&=#' })).toBe('https://a.example/?b=c%20d&state=%26%3D%23');
});
