/** The handlers of every admin API operation; a missing one is a compile error. */
import type { ADMIN_OPERATIONS } from '../../contract/admin/index.ts';
import type { AdminHandlers } from './handler.ts';
import { appHandlers } from './apps.ts';
import { auditTrailHandlers } from './audit.ts';
import { categoryHandlers } from './categories.ts';
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
import { snapshotHandlers } from './snapshots.ts';
import { siteHandlers } from './sites.ts';
import { stockReorderHandlers } from './stock-reorder.ts';
import { stockSettingHandlers } from './reorder-points.ts';
import { tenantHandlers } from './tenants.ts';
import { tortureHandlers } from './torture.ts';
import { tierHandlers } from './tiers.ts';
import { unitHandlers } from './units.ts';
import { userHandlers } from './users.ts';
import { adminWebhookHandlers } from './webhooks.ts';

export const adminHandlers: AdminHandlers<typeof ADMIN_OPERATIONS> = {
  ...tenantHandlers,
  ...keyHandlers,
  ...userHandlers,
  ...siteHandlers,
  ...unitHandlers,
  ...categoryHandlers,
  ...stockSettingHandlers,
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
