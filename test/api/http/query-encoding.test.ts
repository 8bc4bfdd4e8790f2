/** The encoding of queries of routes that are no operations; `query-values.test.ts` has the operations. A-2. */
import { expect, test } from 'vitest';
import { FEED_PATH } from '../../../src/contract/admin/webhooks.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { startOAuth } from '../../support/service/oauth.ts';
import { startService } from '../../support/service/service.ts';

const BROKEN_VALUES = ['%', '%zz', 'a%2', '%FF'] as const;
const explain = (name: string): string => `${name} must be percent-encoded UTF-8, with %25 for a percent sign`;

test.each(BROKEN_VALUES)('the pages of a consent answer 400 to the value %s, and open no request', async (value) => {
  await using o = await startOAuth();
  const app = await o.app();
  const query = `client_id=${app.clientId}&redirect_uri=${encodeURIComponent('http://127.0.0.1:4567/callback')}&response_type=code`;
  for (const [path, name] of [
    [`/oauth/authorize?${query}&state=${value}`, 'state'],
    [`/oauth/consent?request=${value}`, 'request'],
  ] as const) {
    const page = await o.page(path);
    expect([path, page.status, page.headers['location']]).toEqual([path, 400, undefined]);
    expect(page.text).toContain(explain(name));
  }
  expect((await o.a.get('/admin/oauth/requests')).body.data).toEqual([]);
});

test.each([{}, { contract: 'strict' }] as const)(
  'POST /mcp answers 400 to a broken value of toolset, with the options %o',
  async (options) => {
    await using s = await startService(options);
    for (const value of BROKEN_VALUES) {
      const { status, body } = await s.call('POST', `/mcp?toolset=${value}`, { body: {} });
      const fields = [{ in: 'query', path: '/toolset', code: 'bad_format', message: explain('toolset') }];
      expect([value, status, body.error]).toMatchObject([value, 400, { code: 'VALIDATION_FAILED', fields }]);
    }
  },
);

test('the feed of the admin API answers 400 to a broken value of tenant, which no tenant has as its slug', async () => {
  await using a = await startAdmin();
  for (const value of BROKEN_VALUES) {
    const { status, body } = await a.get(`${FEED_PATH}?tenant=${value}`);
    const fields = [{ in: 'query', path: '/tenant', code: 'bad_format', message: explain('tenant') }];
    expect([value, status, body.error]).toMatchObject([value, 400, { code: 'VALIDATION_FAILED', fields }]);
  }
});
