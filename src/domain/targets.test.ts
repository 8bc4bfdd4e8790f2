import { expect, test } from 'vitest';
import { type TargetPolicy, checkTargetUrl, refusalOf } from './targets.ts';

const policy = (allowSubnets: readonly string[]): TargetPolicy => ({ allowSubnets, requireHttps: true, ownPorts: () => new Set([8625]) });

test('plain http to a name is left to the address where subnets are allowed, and refused where none are', () => {
  const url = 'http://intranet.example:8080/hook';
  expect(() => checkTargetUrl(policy([]), url)).toThrow('must use https');
  const open = policy(['10.0.0.0/8']);
  expect(() => checkTargetUrl(open, url)).not.toThrow();
  expect(refusalOf(open, '10.1.2.3', 8080, false)).toBeUndefined();
  expect(refusalOf(open, '93.184.216.34', 8080, false)).toContain('needs https');
  expect(refusalOf(open, '192.168.1.1', 8080, false)).toContain('private network');
});

test('the service does not deliver to itself, on whichever address of the machine it listens', () => {
  const here = { ...policy(['10.0.0.0/8']), ownAddresses: () => new Set(['10.1.2.3', '93.184.216.34']) };
  for (const [address, isHttps] of [
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['93.184.216.34', true],
  ] as const) {
    expect(refusalOf(here, address, 8625, isHttps)).toContain('this service itself');
    expect(refusalOf(here, address, 8626, isHttps)).toBeUndefined();
  }
  expect(refusalOf(here, '10.9.9.9', 8625, false)).toBeUndefined();
});
