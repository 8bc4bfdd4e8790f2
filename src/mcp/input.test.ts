import { describe, expect, test } from 'vitest';
import { TOOLS, type Tool } from '../contract/tools.ts';
import { type Arguments, sortOut } from './input.ts';

const tool = (name: string): Tool => {
  const found = TOOLS.find((each) => each.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};
const sorted = (name: string, args: Arguments) => {
  const result = sortOut(tool(name), args);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result;
};
const problems = (name: string, args: Arguments) => {
  const result = sortOut(tool(name), args);
  return 'problems' in result ? result.problems.map(({ path, code }) => `${path} ${code}`) : [];
};

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const change = { confirm: true, idempotency_key: 'k-1', webhook_id: ID };

test('inputs go to their places under the names of the operation', () => {
  const update = sorted('update_webhook', {
    ...change,
    target_url: 'https://a.example',
    subscribed_events: ['order.created'],
    description: null,
  });
  expect(update).toEqual({
    parts: {
      params: { webhook_id: ID },
      query: {},
      body: { targetUrl: 'https://a.example', subscribedEvents: ['order.created'], description: null },
    },
    idempotencyKey: 'k-1',
  });
  expect(sorted('list_orders', { module: 'sell', page: 2, status: 'open,draft' }).parts).toEqual({
    params: {},
    query: { module: 'sell', page: 2, status: 'open,draft' },
  });
});

test('a change of nothing still has a body', () => {
  expect(sorted('update_webhook', change).parts.body).toEqual({});
});

describe('what cannot become a request is refused, all of it at once', () => {
  test.for<[string, Arguments, string[]]>([
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
    ['get_organization', JSON.parse('{"__proto__": 1}') as Arguments, ['/__proto__ unknown_field']],
  ])('%s %j', ([name, args, expected]) => {
    expect(problems(name, args)).toEqual(expected);
  });
});

test('names that every object has are no inputs', () => {
  expect(problems('get_item', Object.create({ item_id: ID }) as Arguments)).toEqual(['/item_id required']);
});
