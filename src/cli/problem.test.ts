import { describe, expect, test } from 'vitest';
import { ApiError, Unreachable } from '../client/errors.ts';
import { errors } from '../contract/errors.ts';
import { EXIT, exitOfStatus } from './exit-codes.ts';
import { problemOf, usage } from './failure.ts';
import { flagOf, inputOf, printProblem } from './problem.ts';
import { painter } from './style.ts';

const setting = { command: 'items create', local: true };
const refused = (status: number, code: string, details: Record<string, unknown> | null = null) =>
  new ApiError({ status, code, message: 'No.', requestId: 'r1', fields: null, details, retryAfterSeconds: 42 });

describe('exit codes', () => {
  test('every code of the contract has the one of its status', () => {
    for (const { status } of Object.values(errors)) {
      const exit = exitOfStatus(status);
      if (status === 404) expect(exit).toBe(EXIT.notFound);
      else if (status === 401 || status === 403) expect(exit).toBe(EXIT.denied);
      else if (status === 409 || status === 412) expect(exit).toBe(EXIT.conflict);
      else if (status === 429) expect(exit).toBe(EXIT.rateLimited);
      else expect(exit).toBe(status < 500 ? EXIT.usage : EXIT.unexpected);
    }
  });
  test('nobody there, misuse and bugs', () => {
    expect(problemOf(new Unreachable('x', 'gone'), setting)).toMatchObject({
      code: 'unreachable',
      exit: 7,
      hint: expect.stringContaining('daemon start'),
    });
    expect(problemOf(new Unreachable('x', 'gone'), { ...setting, dataDir: '/tmp/my data' }).hint).toContain(
      "stockroom daemon start --data-dir '/tmp/my data'`",
    );
    expect(problemOf(new Unreachable('x', 'gone'), { ...setting, local: false })).toMatchObject({ hint: expect.stringContaining('--url') });
    const cut = new Unreachable('x', 'cut', { afterSending: true });
    expect(problemOf(cut, { ...setting, keyed: true }).hint).toContain('--idempotency-key');
    // A list, a snapshot: there is nothing to repeat, or nothing that makes it safe.
    expect(problemOf(cut, setting).hint).toContain('`stockroom daemon status` tells');
    expect(problemOf(cut, { ...setting, local: false }).hint).toContain('try again');
    expect(problemOf(usage('wrong', 'do this'), setting)).toMatchObject({ code: 'usage', exit: 2, hint: 'do this' });
    expect(problemOf(new Error('oops'), setting)).toMatchObject({ code: 'internal', exit: 1, message: 'unexpected: oops' });
  });
});

describe('hints', () => {
  test('say what to type next', () => {
    expect(problemOf(refused(429, 'RATE_LIMITED'), setting).hint).toContain('--max-wait 42');
    expect(problemOf(refused(403, 'SCOPE_REQUIRED', { requiredScope: 'items:write' }), setting).hint).toContain('--scope items:write');
    expect(problemOf(refused(400, 'VALIDATION_FAILED'), setting).hint).toContain('stockroom items create --help');
  });
});

test('arguments that are missing are named, and nothing of the advice on flags', () => {
  const advice = '\n\nNote: --set allow multiple values. Because of this you need to provide all arguments before providing that flag.';
  const thrown = Object.assign(new Error(`Missing 1 required arg:\norder_id  the order${advice}\nAlternatively, you can use "--"`), {
    oclif: { exit: 2 },
  });
  expect(problemOf(thrown, setting).message).toBe('missing: ORDER_ID');
});

test('arguments that are missing are named once each, also where their descriptions take several lines', () => {
  const list = 'target  Method and path, * for any.\n        Or the URL that deliveries go to.\nname    What people call it.';
  const thrown = Object.assign(new Error(`Missing 2 required args:\n${list}`), { oclif: { exit: 2 } });
  expect(problemOf(thrown, setting).message).toBe('missing: TARGET, NAME');
});

describe('a wrong field', () => {
  const at = (place: 'body' | 'query' | 'path' | 'header', path: string) =>
    inputOf({ in: place, path, code: 'invalid', message: '' }, ['sale-price', 'page-size', 'redirect-uri', 'line', 'event', 'tier', 'set']);
  test('is named by what sets it on the command line', () => {
    expect([
      at('body', '/salePrice'),
      at('body', '/lines/0/quantity'),
      at('query', '/page_size'),
      at('path', '/item_id'),
      at('body', ''),
      at('body', '/redirectUris/1'),
      at('body', '/redirectUris'),
      at('body', '/subscribedEvents'),
      at('body', '/subscribedEvents/1'),
      at('body', '/rateLimitTier'),
    ]).toEqual([
      '--sale-price',
      '--set lines.0.quantity',
      '--page-size',
      'ITEM_ID',
      'the body',
      '--redirect-uri',
      '--redirect-uri',
      '--event',
      '--event',
      '--tier',
    ]);
    expect(inputOf({ in: 'body', path: '/requestsPerMinute', code: 'invalid', message: '' }, ['json'])).toBe('requestsPerMinute');
    expect(flagOf('unitsPerPurchaseUnit')).toBe('units-per-purchase-unit');
  });
});

describe('wrong fields', () => {
  const told = (message: string, ...fields: { path: string; message: string }[]): string[] => {
    const lines: string[] = [];
    const wrong = fields.map((field) => ({ in: 'body', code: 'invalid', ...field }) as const);
    const base = { status: 400, code: 'VALIDATION_FAILED', requestId: 'r1', details: null, retryAfterSeconds: null };
    const problem = problemOf(new ApiError({ ...base, message, fields: wrong }), setting);
    printProblem(problem, { paint: painter(false), flags: ['sale-price', 'set'], screen: 80, write: (line) => lines.push(line) });
    return lines.slice(0, -2);
  };
  const price = { path: '/salePrice', message: 'salePrice must be at least 0' };
  test('are a list, but one is told only once', () => {
    expect(told('salePrice must be at least 0.', price)).toEqual(['Error: salePrice must be at least 0.', '  given by --sale-price']);
    expect(told('salePrice must be at least 0', price)).toEqual(['Error: salePrice must be at least 0', '  given by --sale-price']);
    expect(told('The body is wrong.', price)).toEqual(['Error: The body is wrong.', '  --sale-price  salePrice must be at least 0']);
    expect(told('salePrice must be at least 0.', price, { path: '/name', message: 'name is required' })).toEqual([
      'Error: 2 values are not right',
      '  --sale-price  salePrice must be at least 0',
      '  --set name    name is required',
    ]);
  });
});

describe('a list of records in the details', () => {
  const shortages = [
    { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', sku: 'GRN-ETH', siteId: 's1', required: 50, onHand: 24.5, missing: 25.5 },
    { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5f', sku: null, siteId: 's1', required: 1, onHand: 0, missing: 1 },
  ];
  const lines = (screen: number | undefined): string[] => {
    const told: string[] = [];
    const problem = problemOf(refused(409, 'INSUFFICIENT_STOCK', { shortages, limit: 3 }), setting);
    printProblem(problem, { paint: painter(false), flags: [], screen, write: (line) => told.push(line) });
    return told;
  };
  test('is a table, ids last', () => {
    expect(lines(undefined).slice(0, 4)).toEqual([
      'Error: No.',
      '  SKU      REQUIRED  ON HAND  MISSING  ITEM ID                               SITE ID',
      '  GRN-ETH        50     24.5     25.5  7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e  s1',
      '  –               1        0        1  7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5f  s1',
    ]);
  });
  test('gives up its ids first on a narrow screen', () => {
    expect(lines(60)[1]).toBe('  SKU      REQUIRED  ON HAND  MISSING');
  });
});

test('what a command advises stands in place of the usual hint', () => {
  expect(problemOf(refused(409, 'INSUFFICIENT_STOCK'), setting).hint).toContain('stock levels');
  expect(problemOf(refused(409, 'INSUFFICIENT_STOCK'), { ...setting, advice: 'wait' }).hint).toBe('wait');
});

test('an error keeps to the screen, and never breaks a command that is to be typed', () => {
  const lines: string[] = [];
  const problem = problemOf(usage('one two three four five six seven', 'first `stockroom daemon start --test-clock` then that'), setting);
  const output = { paint: painter(false), flags: [], write: (line: string) => void lines.push(line) };
  printProblem(problem, { ...output, screen: 30 });
  expect(lines).toEqual([
    'Error: one two three four five',
    '       six seven',
    'Hint:  first',
    '       `stockroom daemon start --test-clock`',
    '       then that',
  ]);
  lines.length = 0;
  printProblem(problem, { ...output, screen: undefined });
  expect(lines).toHaveLength(2);
});
