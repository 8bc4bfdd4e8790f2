import { describe, expect, test } from 'vitest';
import { STOCK_TOOLS } from '../contract/mcp-stock-tools.ts';
import { TOOLS, type Tool } from '../contract/mcp-tools.ts';
import { type ToolArguments, mapArguments, toInputNames } from './tool-arguments.ts';

const tool = (name: string): Tool => {
  const found = [...TOOLS, ...STOCK_TOOLS].find((each) => each.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};
const mapped = (name: string, args: ToolArguments) => {
  const result = mapArguments(tool(name), args);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result;
};
const listProblems = (name: string, args: ToolArguments) => {
  const result = mapArguments(tool(name), args);
  return 'problems' in result ? result.problems.map(({ path, code }) => `${path} ${code}`) : [];
};

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const change = { confirm: true, idempotency_key: 'k-1', webhook_id: ID };

test('mapArguments puts inputs into path, query and body under the names of the operation', () => {
  const update = mapped('update_webhook', {
    ...change,
    target_url: 'https://a.example',
    subscribed_events: ['order.created'],
    description: null,
  });
  expect(update).toEqual({
    input: {
      params: { webhook_id: ID },
      query: {},
      body: { targetUrl: 'https://a.example', subscribedEvents: ['order.created'], description: null },
    },
    idempotencyKey: 'k-1',
  });
  expect(mapped('list_orders', { module: 'sell', page: 2, status: 'open,draft' }).input).toEqual({
    params: {},
    query: { module: 'sell', page: 2, status: 'open,draft' },
  });
});

test('mapArguments returns an empty body for a change without fields', () => {
  expect(mapped('update_webhook', change).input.body).toEqual({});
});

describe('mapArguments reports all problems', () => {
  test.for<[string, ToolArguments, string[]]>([
    ['list_items', { pagesize: 5, page: '1', search: 7 }, ['/pagesize unknown_field', '/page wrong_type', '/search wrong_type']],
    ['list_items', { search: 'x'.repeat(1_000) }, ['/search too_big']],
    ['list_orders', {}, ['/module required']],
    ['get_item', { item_id: '..' }, ['/item_id bad_format']],
    ['get_item', { item_id: '' }, ['/item_id bad_format']],
    ['get_item', { item_id: 'x'.repeat(1_000) }, ['/item_id bad_format']],
    ['get_item', { item_id: null }, ['/item_id wrong_type']],
    ['get_item', { item_id: '\ud800' }, ['/item_id bad_format']],
    ['list_items', { search: 'half \udc00 of a pair' }, ['/search bad_format']],
    ['list_orders', { module: '\ud800', status: '\ud800' }, ['/module bad_format', '/status bad_format']],
    ['delete_webhook', { webhook_id: ID }, ['/confirm_delete required']],
    ['delete_webhook', { webhook_id: ID, confirm_delete: 'true' }, ['/confirm_delete not_allowed']],
    ['delete_webhook', { webhook_id: ID, confirm_delete: true, confirm: true }, ['/confirm unknown_field']],
    ['update_webhook', { ...change, confirm: false }, ['/confirm not_allowed']],
    ['update_webhook', { ...change, confirm: 1 }, ['/confirm not_allowed']],
    ['update_webhook', { ...change, idempotency_key: '' }, ['/idempotency_key empty']],
    ['update_webhook', { ...change, idempotency_key: 'a\r\nx-api-key: b' }, ['/idempotency_key bad_format']],
    ['update_webhook', { ...change, subscribed_events: 'order.created' }, ['/subscribed_events wrong_type']],
    ['update_webhook', { ...change, rotate_secret: true }, ['/rotate_secret unknown_field']],
    ['get_organization', JSON.parse('{"__proto__": 1}') as ToolArguments, ['/__proto__ unknown_field']],
  ])('%s %j', ([name, args, expected]) => {
    expect(listProblems(name, args)).toEqual(expected);
  });
});

test('mapArguments ignores inherited properties', () => {
  expect(listProblems('get_item', Object.create({ item_id: ID }) as ToolArguments)).toEqual(['/item_id required']);
});

describe('toInputNames', () => {
  const toText = (message: string, fields?: readonly object[]): string =>
    JSON.stringify({ error: { code: 'VALIDATION_FAILED', message, fields } });

  test('names the inputs of the tool in messages and paths, but not fields of lines', () => {
    const problem = { in: 'body', path: '/contactId', code: 'bad_format', message: 'contactId must be a UUID' };
    const line = { in: 'body', path: '/lines/0/siteId', code: 'bad_format', message: 'lines.0.siteId must be a UUID' };
    expect(JSON.parse(toInputNames(tool('create_order'), toText('contactId must be a UUID (and 1 more).', [problem, line])))).toEqual({
      error: {
        code: 'VALIDATION_FAILED',
        message: 'contact_id must be a UUID (and 1 more).',
        fields: [{ ...problem, path: '/contact_id', message: 'contact_id must be a UUID' }, line],
      },
    });
  });

  test.each(['', '<html>Bad gateway</html>', '{}', 'null'])('keeps a response without an error: %j', (text) => {
    expect(toInputNames(tool('create_order'), text)).toBe(text);
  });
});
