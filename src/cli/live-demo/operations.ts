/** The operations of the live demo, all of which its key needs. */
import { listContacts } from '../../contract/resources/contacts.ts';
import { listIngredients } from '../../contract/resources/ingredients.ts';
import { listItems } from '../../contract/resources/items.ts';
import { createOrder, getOrder, listOrders, updateOrder } from '../../contract/resources/orders.ts';
import { getOrganization } from '../../contract/resources/organization.ts';
import { approveStockDocument, createStockDocument, submitStockDocument } from '../../contract/resources/stock-documents.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { listSuppliers } from '../../contract/resources/suppliers.ts';

export const LIVE_DEMO_OPERATIONS = [
  getOrganization,
  listContacts,
  listItems,
  listIngredients,
  listSuppliers,
  listStockLevels,
  listOrders,
  getOrder,
  createOrder,
  updateOrder,
  createStockDocument,
  submitStockDocument,
  approveStockDocument,
] as const;
