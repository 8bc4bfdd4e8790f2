/** All operations of /v1. */
import { auditOperations } from './resources/audit.ts';
import { authContextOperations } from './resources/auth-context.ts';
import { catalogOperations } from './resources/catalog.ts';
import { contactOperations } from './resources/contacts.ts';
import { ingredientOperations } from './resources/ingredients.ts';
import { supplierOperations } from './resources/suppliers.ts';
import { eventOperations } from './resources/events.ts';
import { itemOperations } from './resources/items.ts';
import { orderLineOperations } from './resources/order-lines.ts';
import { orderOperations } from './resources/orders.ts';
import { organizationOperations } from './resources/organization.ts';
import { reorderOperations } from './resources/reorder.ts';
import { settingOperations } from './resources/settings.ts';
import { stockDocumentOperations } from './resources/stock-documents.ts';
import { stockLevelOperations } from './resources/stock-levels.ts';
import { stockLineOperations } from './resources/stock-lines.ts';
import { stockMovementOperations } from './resources/stock-movements.ts';
import { usageOperations } from './resources/usage.ts';
import { webhookReplayOperations } from './resources/webhook-replays.ts';
import { webhookOperations } from './resources/webhooks.ts';

export const OPERATIONS = [
  ...catalogOperations,
  ...authContextOperations,
  ...contactOperations,
  ...itemOperations,
  ...ingredientOperations,
  ...supplierOperations,
  ...orderOperations,
  ...orderLineOperations,
  ...stockDocumentOperations,
  ...stockLineOperations,
  ...stockLevelOperations,
  ...stockMovementOperations,
  ...reorderOperations,
  ...settingOperations,
  ...organizationOperations,
  ...usageOperations,
  ...eventOperations,
  ...auditOperations,
  ...webhookOperations,
  ...webhookReplayOperations,
] as const;

export type AnyOperation = (typeof OPERATIONS)[number];
export type OperationId = AnyOperation['id'];

/** Whether a text is the id of an operation, or the beginning of one, such as `orders.`. */
export const namesOperations = (text: string): boolean => OPERATIONS.some(({ id }) => id.startsWith(text));
