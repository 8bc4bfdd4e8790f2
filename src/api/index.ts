/** The handlers of every /v1 operation; a missing one is a compile error. */
import type { OPERATIONS } from '../contract/index.ts';
import type { Handlers } from './handler.ts';
import { eventHandlers } from './events.ts';
import { auditHandlers } from './audit.ts';
import { authContextHandlers } from './auth-context.ts';
import { catalogHandlers } from './catalog.ts';
import { organizationHandlers } from './organization.ts';
import { usageHandlers } from './usage.ts';
import { webhookReplayHandlers } from './webhook-replays.ts';
import { webhookHandlers } from './webhooks.ts';
import { contactHandlers } from './contacts.ts';
import { ingredientHandlers } from './ingredients.ts';
import { supplierHandlers } from './suppliers.ts';
import { itemHandlers } from './items.ts';
import { orderLineHandlers } from './order-lines.ts';
import { reorderHandlers } from './stock/reorder.ts';
import { settingHandlers } from './settings.ts';
import { stockDocumentHandlers } from './stock/stock-documents.ts';
import { stockLevelHandlers } from './stock/stock-levels.ts';
import { stockMovementHandlers } from './stock/stock-movements.ts';
import { stockLineHandlers } from './stock/stock-lines.ts';
import { orderHandlers } from './orders.ts';

export const handlers: Handlers<typeof OPERATIONS> = {
  ...catalogHandlers,
  ...authContextHandlers,
  ...contactHandlers,
  ...itemHandlers,
  ...ingredientHandlers,
  ...supplierHandlers,
  ...orderHandlers,
  ...orderLineHandlers,
  ...stockDocumentHandlers,
  ...stockLineHandlers,
  ...stockLevelHandlers,
  ...stockMovementHandlers,
  ...reorderHandlers,
  ...settingHandlers,
  ...organizationHandlers,
  ...usageHandlers,
  ...eventHandlers,
  ...auditHandlers,
  ...webhookHandlers,
  ...webhookReplayHandlers,
};
