/** Collects every operation; nothing else. */
import { auditOperations } from './audit.ts';
import { authContextOperations } from './auth-context.ts';
import { catalogOperations } from './catalog.ts';
import { contactOperations } from './contacts.ts';
import { ingredientOperations } from './ingredients.ts';
import { supplierOperations } from './suppliers.ts';
import { itemOperations } from './items.ts';
import { orderLineOperations } from './order-lines.ts';
import { orderOperations } from './orders.ts';
import { organizationOperations } from './organization.ts';
import { stockDocumentOperations } from './stock-documents.ts';
import { stockLevelOperations } from './stock-levels.ts';
import { stockLineOperations } from './stock-lines.ts';
import { usageOperations } from './usage.ts';
import { webhookOperations } from './webhooks.ts';

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
  ...organizationOperations,
  ...usageOperations,
  ...auditOperations,
  ...webhookOperations,
] as const;

export type AnyOperation = (typeof OPERATIONS)[number];
export type OperationId = AnyOperation['id'];
