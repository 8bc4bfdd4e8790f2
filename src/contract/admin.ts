/** The settings plane: operations over the owner-only local socket, without key, scope or rate limit. Collects them; never part of /v1. */
import { appOperations } from './admin/apps.ts';
import { categoryOperations } from './admin/categories.ts';
import { clockOperations } from './admin/clock.ts';
import { daemonOperations } from './admin/daemon.ts';
import { demoOperations } from './admin/demo.ts';
import { faultOperations } from './admin/faults.ts';
import { keyOperations } from './admin/keys.ts';
import { oauthOperations } from './admin/oauth.ts';
import { snapshotOperations } from './admin/snapshots.ts';
import { siteOperations } from './admin/sites.ts';
import { stockSettingOperations } from './admin/stock.ts';
import { tenantOperations } from './admin/tenants.ts';
import { tierOperations } from './admin/tiers.ts';
import { unitOperations } from './admin/units.ts';
import { userOperations } from './admin/users.ts';
import { adminWebhookOperations } from './admin/webhooks.ts';

export const ADMIN_OPERATIONS = [
  ...tenantOperations,
  ...keyOperations,
  ...userOperations,
  ...siteOperations,
  ...unitOperations,
  ...categoryOperations,
  ...stockSettingOperations,
  ...tierOperations,
  ...appOperations,
  ...oauthOperations,
  ...clockOperations,
  ...daemonOperations,
  ...demoOperations,
  ...adminWebhookOperations,
  ...faultOperations,
  ...snapshotOperations,
] as const;

export type AdminOperation = (typeof ADMIN_OPERATIONS)[number];
