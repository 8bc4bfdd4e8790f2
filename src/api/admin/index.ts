/** The handlers of every admin API operation; a missing one is a compile error. */
import type { ADMIN_OPERATIONS } from '../../contract/admin/index.ts';
import type { AdminHandlers } from './handler.ts';
import { appHandlers } from './apps.ts';
import { auditTrailHandlers } from './audit.ts';
import { clockHandlers } from './clock.ts';
import { consoleHandlers } from './console.ts';
import { daemonHandlers } from './daemon.ts';
import { demoHandlers } from './demo.ts';
import { faultHandlers } from './faults.ts';
import { fixtureHandlers } from './fixtures.ts';
import { keyHandlers } from './keys.ts';
import { listHandlers } from './lists.ts';
import { oauthHandlers } from './oauth.ts';
import { requestHandlers } from './requests.ts';
import { settingHandlers } from './settings.ts';
import { snapshotHandlers } from './snapshots.ts';
import { stockReorderHandlers } from './stock-reorder.ts';
import { tenantHandlers } from './tenants.ts';
import { tortureHandlers } from './torture.ts';
import { tierHandlers } from './tiers.ts';
import { adminWebhookHandlers } from './webhooks.ts';

export const adminHandlers: AdminHandlers<typeof ADMIN_OPERATIONS> = {
  ...tenantHandlers,
  ...keyHandlers,
  ...settingHandlers,
  ...stockReorderHandlers,
  ...tierHandlers,
  ...appHandlers,
  ...oauthHandlers,
  ...consoleHandlers,
  ...clockHandlers,
  ...daemonHandlers,
  ...requestHandlers,
  ...demoHandlers,
  ...fixtureHandlers,
  ...adminWebhookHandlers,
  ...faultHandlers,
  ...snapshotHandlers,
  ...tortureHandlers,
  ...auditTrailHandlers,
  ...listHandlers,
};
