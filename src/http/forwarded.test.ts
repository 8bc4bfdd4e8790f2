import { describe, expect, test } from 'vitest';
import { createTrustedProxies, parseForwardedHeaders } from './forwarded.ts';

const PROXY = '10.0.0.7';
const trusted = createTrustedProxies(['10.0.0.0/8', 'fd00::/8', '2001:db8:1::1/128'])!;
const parse = (headers: Readonly<Record<string, string>>, peer = PROXY) => parseForwardedHeaders(headers, peer, trusted);
const getAddress = (header: string, peer?: string) => parse({ 'x-forwarded-for': header }, peer)?.address;

describe('the address of the client', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1', 'of a single proxy'],
    ['192.0.2.1, 10.1.1.1', '192.0.2.1', 'before a second trusted proxy'],
    ['198.51.100.9, 192.0.2.1', '192.0.2.1', 'is the right-most untrusted one: what is left of it may be invented'],
    ['10.9.9.9, 192.0.2.1, 10.1.1.1', '192.0.2.1', 'also if the invented one is in a trusted range'],
    ['10.1.1.1, 10.2.2.2', '10.1.1.1', 'is the left-most one if all are trusted'],
    ['192.0.2.1:4711', '192.0.2.1', 'has no port'],
    ['2001:db8::5', '2001:db8::5', 'may be IPv6'],
    ['[2001:db8::5]:4711', '2001:db8::5', 'may be IPv6 with a port'],
    ['[2001:db8::5]', '2001:db8::5', 'may be IPv6 in brackets'],
    ['2001:db8::5, 2001:db8:1::1, fd12::1', '2001:db8::5', 'before IPv6 proxies'],
    ['::ffff:192.0.2.1', '192.0.2.1', 'is shown as IPv4 if it is IPv4-mapped'],
    ['192.0.2.1, ::ffff:10.1.1.1', '192.0.2.1', 'before an IPv4-mapped proxy'],
    ['  192.0.2.1  ', '192.0.2.1', 'is trimmed'],
  ])('%s → %s: %s', (header, address) => {
    expect(getAddress(header)).toBe(address);
  });

  test.each([
    ['', PROXY],
    [',', PROXY],
    ['unknown', PROXY],
    ['_hidden, 10.1.1.1', '10.1.1.1'],
    ['192.0.2.1, unknown', PROXY],
    ['192.0.2.1, unknown, 10.1.1.1', '10.1.1.1'],
    ['192.0.2.1,', PROXY],
    ['192.0.2.999', PROXY],
    ['192.0.2.1:port', PROXY],
    ['[192.0.2.1', PROXY],
    ['<script>', PROXY],
    ['192.0.2.1; 10.1.1.1', PROXY],
  ])('is the last known proxy where the header is malformed: "%s" → %s', (header, address) => {
    expect(getAddress(header)).toBe(address);
  });

  test('is that of the proxy without the header', () => {
    expect(parse({})).toEqual({ address: PROXY, host: undefined, protocol: undefined });
  });
});

describe('headers of a peer that is not trusted', () => {
  const headers = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-host': 'stock.example', 'x-forwarded-proto': 'https' };

  test.each(['192.0.2.7', '127.0.0.1', '::1', '2001:db8:1::2', '11.0.0.1', '::ffff:11.0.0.1'])('%s are ignored', (peer) => {
    expect(parse(headers, peer)).toBeUndefined();
  });

  test.each(['10.255.255.255', 'fd00::1', '2001:db8:1::1', '::ffff:10.0.0.1', '2001:db8:1:0::1'])('%s is trusted', (peer) => {
    expect(parse(headers, peer)).toEqual({ address: '192.0.2.1', host: 'stock.example', protocol: 'https' });
  });

  test('are ignored from every address without a range', () => {
    expect(createTrustedProxies([])).toBeUndefined();
  });
});

describe('the forwarded host', () => {
  test.each([
    ['stock.example', 'stock.example'],
    ['Stock.Example:8443', 'stock.example:8443'],
    ['[2001:db8::5]:8443', '[2001:db8::5]:8443'],
    ['evil.example, stock.example', 'stock.example'],
    ['stock.example/path', undefined],
    ['stock.example"', undefined],
    ['user@stock.example', undefined],
    ['stock.example:port', undefined],
    ['', undefined],
    ['stock.example,', undefined],
  ])('"%s" → %s', (header, host) => {
    expect(parse({ 'x-forwarded-host': header })?.host).toBe(host);
  });
});

test.each([
  ['https', 'https'],
  ['HTTP', 'http'],
  ['http, https', 'https'],
  ['wss', undefined],
  ['', undefined],
])('the forwarded protocol "%s" → %s', (header, protocol) => {
  expect(parse({ 'x-forwarded-proto': header })?.protocol).toBe(protocol);
});
