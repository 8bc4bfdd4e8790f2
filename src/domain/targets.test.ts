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
