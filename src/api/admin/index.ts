/** Every operation of the settings plane and its handler: the compiler refuses this file when one is missing. */
import type { ADMIN_OPERATIONS } from '../../contract/admin.ts';
import type { AdminHandlers } from './call.ts';
import { appHandlers } from './apps.ts';
import { categoryHandlers } from './categories.ts';
import { clockHandlers } from './clock.ts';
import { daemonHandlers } from './daemon.ts';
import { demoHandlers } from './demo.ts';
import { faultHandlers } from './faults.ts';
import { keyHandlers } from './keys.ts';
import { oauthHandlers } from './oauth.ts';
import { snapshotHandlers } from './snapshots.ts';
import { siteHandlers } from './sites.ts';
import { stockSettingHandlers } from './stock.ts';
import { tenantHandlers } from './tenants.ts';
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
  ...tierHandlers,
  ...appHandlers,
  ...oauthHandlers,
  ...clockHandlers,
  ...daemonHandlers,
  ...demoHandlers,
  ...adminWebhookHandlers,
  ...faultHandlers,
  ...snapshotHandlers,
};
