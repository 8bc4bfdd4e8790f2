import { expect, test } from 'vitest';
import { ApiError } from '../../client/errors.ts';
import { getApiErrorHint, quoteForShell } from './hints.ts';

test.each([
  ['linux', 'plain-1.json', 'plain-1.json'],
  ['linux', "it's here", "'it'\\''s here'"],
  ['win32', 'C:\\Temp\\record.json', 'C:\\Temp\\record.json'],
  // Both cmd and PowerShell take single quotes of a path to be part of it, or double quotes to enclose it.
  ['win32', 'C:\\Users\\Ada Lovelace\\record.json', '"C:\\Users\\Ada Lovelace\\record.json"'],
  ['win32', 'say "hi"', '"say ""hi"""'],
] as const)('on %s, %s is quoted as one word of its shells', (platform, text, expected) => {
  expect(quoteForShell(text, platform)).toBe(expected);
});

test.each([
  ['snapshot load', 'NOT_FOUND', {}, 'List the snapshots with `stockroom snapshot list`'],
  ['tenants reset', 'NOT_FOUND', {}, 'Apply fixtures with `stockroom fixtures apply`, or save a state with `stockroom tenants snapshot`'],
  ['keys revoke', 'NOT_FOUND', {}, 'Keys belong to one tenant: select another with --tenant, or list them with `stockroom tenants list`'],
  ['items get', 'NOT_FOUND', {}, null],
  ['orders ship', 'INVALID_STATE', { status: 'draft', orderId: '5b2a' }, 'Open the order first: `stockroom orders open 5b2a`'],
  ['orders ship', 'INVALID_STATE', { status: 'cancelled', orderId: '5b2a' }, null],
] as const)('the hint of %s for %s with %j', (command, code, details, expected) => {
  const error = new ApiError({ status: 404, code, message: '', requestId: null, fields: null, details, retryAfterSeconds: null });
  expect(getApiErrorHint(error, { command, isLocal: true })).toBe(expected);
});
