/** Characters that names, codes and notes may have. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestService, startService } from '../../support/service/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(() => s[Symbol.asyncDispose]());

const getFields = (body: unknown) => (body as { error: { fields: readonly unknown[] } }).error.fields;
const LINE = 'one line without control characters and directional overrides';
const TEXT = 'text without control characters and directional overrides';

test.for([
  ['U+0007', '\u0007'],
  ['U+001B', '\u001b'],
  ['U+009B', '\u009b'],
  ['U+202E', '\u202e'],
  ['U+2066', '\u2066'],
  ['U+D800', '\\ud800'],
])('POST and PATCH /v1/items reject %s in every text and name character and position', async ([name, character]) => {
  const text = JSON.stringify(`Bolt${character}gnp`).replace('\\\\ud800', '\\ud800');
  const created = await s.post('/v1/items', `{"name":${text},"sku":${text},"notes":${text}}`);
  const item = (await s.post('/v1/items', { name: 'Bolt' })).body.data as { id: string };
  const updated = await s.patch(`/v1/items/${item.id}`, `{"name":${text},"sku":${text},"notes":${text}}`);
  for (const { status, body } of [created, updated]) {
    expect(status).toBe(400);
    expect(getFields(body)).toEqual([
      { in: 'body', path: '/name', code: 'bad_format', message: `name must be ${LINE}; character 5 is ${name}` },
      { in: 'body', path: '/sku', code: 'bad_format', message: `sku must be ${LINE}; character 5 is ${name}` },
      { in: 'body', path: '/notes', code: 'bad_format', message: `notes must be ${TEXT}; character 5 is ${name}` },
    ]);
  }
});

test('addresses of contacts and webhooks reject directional overrides', async () => {
  const contact = await s.post('/v1/contacts', { name: 'Ana', email: 'ana\u202e@example.com' });
  expect([contact.status, getFields(contact.body)]).toMatchObject([400, [{ path: '/email', code: 'bad_format' }]]);
  const webhook = { name: 'Shop', targetUrl: 'https://shop.example/\u202egnp', subscribedEvents: ['order.created'] };
  const endpoint = await s.post('/v1/webhooks', webhook);
  expect([endpoint.status, getFields(endpoint.body)]).toMatchObject([400, [{ path: '/targetUrl', code: 'bad_format' }]]);
});

test('notes keep tabs and line breaks of every system', async () => {
  const notes = 'one\ttwo\nthree\r\n咖啡 🔩 עברית';
  expect((await s.post('/v1/items', { name: 'Bolt', notes })).body.data.notes).toBe(notes);
});

test('a stored text with a character that is rejected today stays readable and does not block other changes', async () => {
  const { id } = (await s.post('/v1/items', { name: 'Old' })).body.data as { id: string };
  await s.service.store.transact(s.tenant.id, async (tx) => {
    const item = await tx.items.get(id);
    if (item) await tx.items.put({ ...item, name: 'Old \u202ename\u0007' });
  });
  expect((await s.get(`/v1/items/${id}`)).body.data.name).toBe('Old \u202ename\u0007');
  const renamed = await s.patch(`/v1/items/${id}`, { notes: 'checked' });
  expect([renamed.status, renamed.body.data.name]).toEqual([200, 'Old \u202ename\u0007']);
  expect((await s.get('/v1/items?search=old')).body.data).toMatchObject([{ id }]);
});
