import { expect, test } from 'vitest';
import { isRegisteredRedirectUri, appendParameters } from './redirect-uris.ts';

test('isRegisteredRedirectUri matches exactly, except for the port of a public loopback address', () => {
  const redirectUris = [
    'https://shop.example/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback?x=1',
    'http://localhost:3000/',
  ];
  const ok = (type: 'public' | 'confidential', uri: string) => isRegisteredRedirectUri({ type, redirectUris }, uri);
  for (const uri of redirectUris) expect([ok('public', uri), ok('confidential', uri)]).toEqual([true, true]);
  for (const uri of ['http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback', 'http://[::1]/callback?x=1']) {
    expect([uri, ok('public', uri), ok('confidential', uri)]).toEqual([uri, true, false]);
  }
  for (const uri of [
    'https://shop.example:8443/callback',
    'http://localhost:3001/',
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

test('appendParameters appends to existing parameters without changing them', () => {
  expect(appendParameters('https://a.example/', { code: 'x y', state: undefined })).toBe('https://a.example/?code=x+y');
  expect(appendParameters('https://a.example/?b=c%20d', { state: '&=#' })).toBe('https://a.example/?b=c%20d&state=%26%3D%23');
});
