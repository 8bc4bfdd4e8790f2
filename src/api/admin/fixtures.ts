/** Admin handlers of fixtures. */
import type { fixtureOperations } from '../../contract/admin/fixtures.ts';
import { applyFixtures } from './fixtures/apply.ts';
import { exportTenant } from './fixtures/export.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

export const fixtureHandlers: AdminHandlers<typeof fixtureOperations> = {
  async 'fixtures.apply'(call) {
    return { data: await applyFixtures(call, call.body, { isDryRun: call.query.dry_run }) };
  },
  async 'fixtures.export'(call) {
    const tenant = await readTenant(call, (tx, record) => exportTenant(tx, record, call.query));
    return { data: { tenants: [tenant] } };
  },
};
