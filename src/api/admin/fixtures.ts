/** Admin handlers of fixtures. */
import type { fixtureOperations } from '../../contract/admin/fixtures.ts';
import { applyFixtures } from './fixtures/apply.ts';
import { exportTenant } from './fixtures/export.ts';
import { FIXTURES_STATE } from './tenant-states/tenant-states.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

export const fixtureHandlers: AdminHandlers<typeof fixtureOperations> = {
  async 'fixtures.apply'(call) {
    const { body, query, services } = call;
    const data = await applyFixtures(call, body, { isDryRun: query.dry_run });
    if (query.dry_run) return { data };
    for (const [name, faults] of Object.entries(body.scenarios ?? {})) services.scenarios.set(name, faults);
    for (const { id } of data.tenants) await services.tenantStates.save(id, FIXTURES_STATE);
    return { data };
  },
  async 'fixtures.export'(call) {
    const tenant = await readTenant(call, (tx, record) => exportTenant(tx, record, call.query));
    return { data: { tenants: [tenant] } };
  },
};
