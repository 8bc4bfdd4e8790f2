/** All admin operations: served on the owner-only local socket, without key, scope or rate limit. Not part of /v1. */
import { appOperations } from './apps.ts';
import { auditTrailOperations } from './audit.ts';
import { categoryOperations } from './categories.ts';
import { clockOperations } from './clock.ts';
import { consoleOperations } from './console.ts';
import { daemonOperations } from './daemon.ts';
import { demoOperations } from './demo.ts';
import { faultOperations } from './faults.ts';
import { fixtureOperations } from './fixtures.ts';
import { keyOperations } from './keys.ts';
import { listOperations } from './lists.ts';
import { oauthOperations } from './oauth.ts';
import { requestOperations } from './requests.ts';
import { snapshotOperations } from './snapshots.ts';
import { siteOperations } from './sites.ts';
import { stockSettingOperations } from './reorder-points.ts';
import { stockReorderOperations } from './stock-reorder.ts';
import { tortureOperations } from './torture.ts';
import { tenantOperations } from './tenants.ts';
import { tierOperations } from './tiers.ts';
import { unitOperations } from './units.ts';
import { userOperations } from './users.ts';
import { adminWebhookOperations } from './webhooks.ts';

export const ADMIN_OPERATIONS = [
  ...tenantOperations,
  ...keyOperations,
  ...userOperations,
  ...siteOperations,
  ...unitOperations,
  ...categoryOperations,
  ...stockSettingOperations,
  ...stockReorderOperations,
  ...tierOperations,
  ...appOperations,
  ...oauthOperations,
  ...consoleOperations,
  ...clockOperations,
  ...daemonOperations,
  ...requestOperations,
  ...demoOperations,
  ...fixtureOperations,
  ...adminWebhookOperations,
  ...faultOperations,
  ...snapshotOperations,
  ...tortureOperations,
  ...auditTrailOperations,
  ...listOperations,
] as const;

export type AdminOperation = (typeof ADMIN_OPERATIONS)[number];
