import { describe, expect, test } from 'vitest';
import { ApiError, Unreachable } from '../../client/errors.ts';
import { type FieldProblem, errors } from '../../contract/errors.ts';
import { EXIT, toExitCode } from '../errors/exit-codes.ts';
import { ExplainedError } from '../errors/explained-error.ts';
import { usageError } from '../errors/failure.ts';
import { formatFieldProblem } from '../errors/field-errors.ts';
import { printProblem } from './print-problem.ts';
import { toProblem } from '../errors/problem.ts';
import { createPaint } from './style.ts';

const context = { command: 'items create', isLocal: true };
const noInput = { flags: [], args: [], given: {} };
const refused = (status: number, code: string, details: Record<string, unknown> | null = null) =>
  new ApiError({ status, code, message: 'No.', requestId: 'r1', fields: null, details, retryAfterSeconds: 42 });

describe('exit codes', () => {
  test('every error code of the contract has the exit code of its status', () => {
    for (const { status } of Object.values(errors)) {
      const exit = toExitCode(status);
      if (status === 404) expect(exit).toBe(EXIT.notFound);
      else if (status === 401 || status === 403) expect(exit).toBe(EXIT.denied);
      else if (status === 409 || status === 410 || status === 412) expect(exit).toBe(EXIT.conflict);
      else if (status === 429) expect(exit).toBe(EXIT.rateLimited);
      else expect(exit).toBe(status < 500 ? EXIT.usage : EXIT.unexpected);
    }
  });
  test('unreachable services, usage errors and bugs have a code, an exit code and a hint', () => {
    expect(toProblem(new Unreachable('x', 'gone'), context)).toMatchObject({
      code: 'UNREACHABLE',
      exit: 7,
      hint: expect.stringContaining('daemon start'),
    });
    expect(toProblem(new Unreachable('x', 'gone'), { ...context, dataDir: '/tmp/my data' }).hint).toContain(
      "stockroom daemon start --data-dir '/tmp/my data'`",
    );
    expect(toProblem(new Unreachable('x', 'gone'), { ...context, isLocal: false })).toMatchObject({
      hint: expect.stringContaining('--url'),
    });
    const cut = new Unreachable('x', 'cut', { afterSending: true });
    expect(toProblem(cut, { ...context, hasIdempotencyKey: true }).hint).toContain('--idempotency-key');
    // The user does not know a key that was generated.
    expect(toProblem(cut, { ...context, hasIdempotencyKey: false }).hint).toContain('check before you repeat it');
    // Without an idempotency key nothing makes it safe to repeat.
    expect(toProblem(cut, context).hint).toContain('`stockroom daemon status`');
    expect(toProblem(cut, { ...context, isLocal: false }).hint).toContain('Try again');
    expect(toProblem(usageError('wrong', 'do this'), context)).toMatchObject({ code: 'USAGE', exit: 2, hint: 'do this' });
    expect(toProblem(new Error('oops'), context)).toMatchObject({ code: 'INTERNAL_ERROR', exit: 1, message: 'Unexpected error: oops' });
  });
});

describe('hints', () => {
  test('name the command or flag to use next', () => {
    expect(toProblem(refused(429, 'RATE_LIMITED'), context).hint).toContain('--max-wait 42');
    expect(toProblem(refused(403, 'SCOPE_REQUIRED', { requiredScope: 'items:write' }), context).hint).toContain('--all-scopes --save');
    expect(toProblem(refused(400, 'VALIDATION_FAILED'), context).hint).toContain('stockroom items create --help');
  });
});

test('a record in use is reported with the number of references of each kind', () => {
  const references = { orderLinesOfCombos: 1, categories: 1, stockLevels: 2 };
  const problem = { ...toProblem(refused(409, 'RESOURCE_IN_USE', { references }), context), hint: 'Deactivate it.' };
  const printed: string[] = [];
  printProblem(problem, { paint: createPaint(false), input: noInput, terminalWidth: 100, write: (line) => printed.push(line) });
  expect(printed[0]).toBe('Error: In use by 1 order line of combos, 1 category and 2 stock levels');
});

test('an inactive record is reported with its id, without the pointer that programs read; a cycle with its items', () => {
  const print = (code: string, details: Record<string, unknown>): string[] => {
    const printed: string[] = [];
    const problem = toProblem(refused(409, code, details), context);
    printProblem(problem, { paint: createPaint(false), input: noInput, terminalWidth: 100, write: (line) => printed.push(line) });
    return printed.filter((line) => line.startsWith('  '));
  };
  expect(print('INACTIVE_REFERENCE', { unitId: 'u1', path: '/unitId' })).toEqual(['  unitId: u1']);
  expect(print('BOM_CYCLE', { path: ['a', 'b', 'a'] })).toEqual(['  path: a, b, a']);
});

describe('fields of the API', () => {
  const input = (given: Record<string, unknown> = {}) => ({
    flags: ['name', 'sku', 'sale-price', 'page-size', 'redirect-uri', 'line', 'event', 'tier', 'set', 'data'],
    args: ['item_id'],
    given,
  });
  const lines = (message: string, fields: readonly Partial<FieldProblem>[], given: Record<string, unknown> = {}): string[] => {
    const printed: string[] = [];
    const problems = fields.map((field) => ({ in: 'body', code: 'invalid', path: '', message, ...field }) as const);
    const base = { status: 400, code: 'VALIDATION_FAILED', requestId: 'r1', details: null, retryAfterSeconds: null };
    const problem = toProblem(new ApiError({ ...base, message, fields: problems }), context);
    printProblem(problem, { paint: createPaint(false), input: input(given), terminalWidth: 100, write: (line) => printed.push(line) });
    return printed.slice(0, -2);
  };
  const price = { path: '/salePrice', message: 'salePrice must be at least 0' };

  test.for<[Partial<FieldProblem>, string, Record<string, unknown>?]>([
    [price, '--sale-price must be at least 0'],
    [{ in: 'query', path: '/page_size', message: 'page_size must be at most 200' }, '--page-size must be at most 200'],
    [{ in: 'path', path: '/item_id', message: 'item_id must be a UUID' }, 'ITEM_ID must be a UUID'],
    [{ path: '/itemId', message: 'itemId must be a UUID' }, 'ITEM_ID must be a UUID'],
    [{ path: '/redirectUris', message: 'redirectUris must have at least 1 entries' }, '--redirect-uri must have at least 1 entries'],
    [{ path: '/redirectUris/1', message: 'redirectUris.1 must be a URL' }, '--redirect-uri must be a URL'],
    [{ path: '/subscribedEvents/0', message: 'subscribedEvents.0 must be one of a, b' }, '--event must be one of a, b'],
    [{ path: '/rateLimitTier', message: 'rateLimitTier must be a string' }, '--tier must be a string'],
    [{ path: '/name', code: 'required', message: 'name is required' }, 'Missing required flag --name'],
    [{ path: '/lines', code: 'required', message: 'lines is required' }, 'Missing required flag --line'],
    [{ path: '/unitId', code: 'required', message: 'unitId is required' }, 'Missing required field unitId; pass --set unitId=VALUE'],
    [{ in: 'header', path: '/if-match', message: 'if-match must be a version' }, 'if-match must be a version'],
    [{ path: '', message: 'the body must be an object' }, 'the body must be an object'],
    [{ path: '/name', code: 'required', message: 'name is required' }, '--data: name is required', { data: '{}' }],
    [
      { path: '/lines/0/quantity', message: 'lines.0.quantity must be a number' },
      '--data: lines[0].quantity must be a number',
      { data: '{"lines":[]}' },
    ],
    [
      { path: '/lines/0/quantity', message: 'lines.0.quantity must be a number' },
      '--set: lines[0].quantity must be a number',
      { data: '{}', set: ['lines.0.quantity=x'] },
    ],
    [
      { path: '/lines/1/quantity', message: 'lines.1.quantity must be greater than 0' },
      '--line: lines[1].quantity must be greater than 0',
      { data: '{}', line: ['A:1', 'B:0'] },
    ],
    [price, '--sale-price must be at least 0', { data: '{}', 'sale-price': '-1' }],
    [price, '--data: salePrice must be at least 0', { data: '{"salePrice":-1}' }],
  ])('%j is reported as %s', ([field, text, given]) => {
    expect(lines(`${field.message ?? ''}.`, [field], given)).toEqual([`Error: ${text}`]);
  });

  test('a missing field that one of two flags can set is reported with both', () => {
    const scopes = { path: '/scopes', code: 'required', message: 'scopes is required, or allScopes: true for every scope' } as const;
    const problem = { in: 'body', ...scopes } as const;
    expect(formatFieldProblem(problem, { flags: ['scope', 'all-scopes'], args: [], given: {} })).toBe('Pass --scope or --all-scopes');
    expect(formatFieldProblem(problem, { flags: ['scope'], args: [], given: {} })).toBe('Missing required flag --scope');
  });

  test('a missing flag is reported with its valid values', () => {
    const problem = { in: 'body', path: '/reason', code: 'required', message: 'reason is required on an adjustment' } as const;
    const reasonInput = { flags: ['reason'], args: [], given: {}, options: { reason: ['lost', 'found'] } };
    expect(formatFieldProblem(problem, reasonInput)).toBe('Missing required flag --reason. Valid values: lost, found');
  });

  test('other fields in a message have the names of their flags or arguments', () => {
    const message = 'toSiteId must be a different site from siteId, not orderId, on documentDate';
    const problem = { in: 'body', path: '/toSiteId', code: 'not_allowed', message } as const;
    expect(formatFieldProblem(problem, { flags: ['document-date'], args: ['site_id', 'to_site_id'], given: {} })).toBe(
      'TO_SITE_ID must be a different site from SITE_ID, not orderId, on --document-date',
    );
  });

  test('a duplicate value is reported with its flag', () => {
    const printed: string[] = [];
    const base = { status: 409, code: 'DUPLICATE_VALUE', requestId: null, fields: null, retryAfterSeconds: null };
    const message = "sku 'a1' is taken by another record.";
    const problem = toProblem(new ApiError({ ...base, message, details: { field: 'sku', value: 'a1', existingId: 'i1' } }), context);
    const options = { paint: createPaint(false), terminalWidth: undefined, write: (line: string) => void printed.push(line) };
    printProblem(problem, { ...options, input: input({ sku: 'a1' }) });
    expect(printed).toEqual(["Error: --sku 'a1' is taken by another record.", '  existingId: i1']);
  });

  test('several problems are listed, but missing flags are combined', () => {
    const name = { path: '/name', code: 'required', message: 'name is required' } as const;
    expect(lines('The body is invalid.', [price])).toEqual(['Error: The body is invalid.', '  --sale-price must be at least 0']);
    expect(lines('The body is invalid.', [price, name])).toEqual([
      'Error: 2 invalid values',
      '  --sale-price must be at least 0',
      '  Missing required flag --name',
    ]);
    expect(lines('The body is invalid.', [name, { ...name, path: '/sku', message: 'sku is required' }])).toEqual([
      'Error: Missing required flags --name, --sku',
    ]);
  });
});

describe('a list of records in the details', () => {
  const shortages = [
    { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', sku: 'GRN-ETH', siteId: 's1', required: 50, onHand: 24.5, missing: 25.5 },
    { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5f', sku: null, siteId: 's1', required: 1, onHand: 0, missing: 1 },
  ];
  const lines = (terminalWidth: number | undefined): string[] => {
    const printed: string[] = [];
    const problem = toProblem(refused(409, 'INSUFFICIENT_STOCK', { shortages, limit: 3 }), context);
    printProblem(problem, { paint: createPaint(false), input: noInput, terminalWidth, write: (line) => printed.push(line) });
    return printed;
  };
  test('is printed as a table with ids last', () => {
    expect(lines(undefined).slice(0, 4)).toEqual([
      'Error: No.',
      '  SKU      REQUIRED  ON HAND  MISSING  ITEM ID                               SITE ID',
      '  GRN-ETH        50     24.5     25.5  7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e  s1',
      '  –               1        0        1  7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5f  s1',
    ]);
  });
  test('hides the ids first on a narrow terminal', () => {
    expect(lines(60)[1]).toBe('  SKU      REQUIRED  ON HAND  MISSING');
  });
});

describe('a table of invalid rows', () => {
  const lines = (terminalWidth: number | undefined, ...columns: string[]): string[] => {
    const problems = columns.map((column, at) => ({
      line: at + 2,
      column,
      problem: 'No item with SKU "KES-DRP". Did you mean KES-DRIP (Drip bag box)?',
    }));
    const printed: string[] = [];
    const problem = toProblem(refused(400, 'INVALID_ROWS', { problems }), context);
    printProblem(problem, { paint: createPaint(false), input: noInput, terminalWidth, write: (line) => printed.push(line) });
    return printed.slice(1, -1);
  };
  test('wraps messages instead of shortening them, also if all rows have the same', () => {
    expect(lines(60, 'item.sku', 'item.sku')).toEqual([
      '  LINE  COLUMN    PROBLEM',
      '     2  item.sku  No item with SKU "KES-DRP". Did you mean',
      '                  KES-DRIP (Drip bag box)?',
      '     3  item.sku  No item with SKU "KES-DRP". Did you mean',
      '                  KES-DRIP (Drip bag box)?',
    ]);
  });
  test('has one line per row on a wide terminal and in a pipe', () => {
    expect(lines(120, 'item.sku', 'a')).toEqual(lines(undefined, 'item.sku', 'a'));
    expect(lines(120, 'item.sku', 'a')).toHaveLength(3);
  });
});

test('a record in use names some of what uses it', () => {
  const print = (details: Record<string, unknown>): string => {
    const printed: string[] = [];
    const thrown = new ExplainedError(refused(409, 'RESOURCE_IN_USE', details), { hint: 'Deactivate it' });
    const options = { paint: createPaint(false), input: noInput, terminalWidth: undefined, write: (line: string) => printed.push(line) };
    printProblem(toProblem(thrown, context), options);
    return printed[0] ?? '';
  };
  const references = { orders: 4, preferredSuppliers: 1 };
  expect(print({ references, examples: { orders: ['SO-1', 'SO-2', 'SO-3'], preferredSuppliers: ['BOLT'] } })).toBe(
    'Error: In use by 4 orders (SO-1, SO-2, SO-3, …) and 1 preferred supplier (BOLT)',
  );
  expect(print({ references })).toBe('Error: In use by 4 orders and 1 preferred supplier');
});

test('an explanation of the command replaces the hint of the error code', () => {
  expect(toProblem(refused(409, 'INSUFFICIENT_STOCK'), context).hint).toContain('stock levels');
  const explained = new ExplainedError(refused(409, 'INSUFFICIENT_STOCK'), { hint: 'wait' });
  expect(toProblem(explained, context)).toMatchObject({ code: 'INSUFFICIENT_STOCK', status: 409, message: 'No.', hint: 'wait' });
});

test('an error is wrapped to the terminal, but commands in backticks are not broken', () => {
  const lines: string[] = [];
  const problem = toProblem(
    usageError('one two three four five six seven', 'first `stockroom daemon start --test-clock` then that'),
    context,
  );
  const output = { paint: createPaint(false), input: noInput, write: (line: string) => void lines.push(line) };
  printProblem(problem, { ...output, terminalWidth: 30 });
  expect(lines).toEqual([
    'Error: one two three four five',
    '       six seven',
    'Hint:  first',
    '       `stockroom daemon start --test-clock`',
    '       then that',
  ]);
  lines.length = 0;
  printProblem(problem, { ...output, terminalWidth: undefined });
  expect(lines).toHaveLength(2);
});
