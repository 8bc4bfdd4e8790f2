/** The lists where records are looked up by their natural names. */
import { listApps } from './admin/apps.ts';
import { listCategories } from './admin/categories.ts';
import { listKeys } from './admin/keys.ts';
import { listSites } from './admin/sites.ts';
import { listUnits } from './admin/units.ts';
import { listUsers } from './admin/users.ts';
import { listHealth } from './admin/webhooks.ts';
import type { Operation } from './operation.ts';
import { listContacts } from './resources/contacts.ts';
import { listIngredients } from './resources/ingredients.ts';
import { listItems } from './resources/items.ts';
import { listOrderLines } from './resources/order-lines.ts';
import { ORDER_MODULES, listOrders } from './resources/orders.ts';
import { readCategories, readSites, readUnits, readUsers } from './resources/settings.ts';
import { listStockDocuments } from './resources/stock-documents.ts';
import { listStockLines } from './resources/stock-lines.ts';
import { listWebhooks } from './resources/webhooks.ts';
import type { RecordKind } from './schema/record-kinds.ts';

export interface RecordList {
  readonly operation: Operation;
  /** Queries that together list all records. A record that one of them finds is in no other. */
  readonly queries?: readonly Readonly<Record<string, string>>[];
  /** The query for records whose names `queries` ignores, and what they are: names can be given to others once their record has ended. */
  readonly ended?: { readonly query: Readonly<Record<string, string>>; readonly term: string };
  /** Whether the whole list is read, because `search` does not compare all names. */
  readonly isShort?: true;
  /** Parameters that find the records whose name in a field is exactly this: field → parameter. */
  readonly filters?: Readonly<Record<string, string>>;
  /** The list of the same records in the admin API, for commands that use it. */
  readonly adminOperation?: Operation;
  /** The list of the same records over /v1, for services that have no admin API here. */
  readonly remoteOperation?: Operation;
}

export const RECORD_LISTS: Readonly<Record<RecordKind, RecordList>> = {
  item: { operation: listItems, filters: { sku: 'sku' } },
  contact: { operation: listContacts, filters: { email: 'email' } },
  order: { operation: listOrders, queries: ORDER_MODULES.map((module) => ({ module })) },
  orderLine: { operation: listOrderLines },
  stockDocument: { operation: listStockDocuments },
  stockLine: { operation: listStockLines, isShort: true },
  ingredient: { operation: listIngredients, isShort: true },
  site: { operation: listSites, remoteOperation: readSites },
  category: { operation: listCategories, remoteOperation: readCategories },
  unit: { operation: listUnits, remoteOperation: readUnits },
  user: { operation: listUsers, remoteOperation: readUsers },
  webhook: { operation: listWebhooks, adminOperation: listHealth },
  key: { operation: listKeys, queries: [{ is_revoked: 'false' }], ended: { query: { is_revoked: 'true' }, term: 'revoked' } },
  app: { operation: listApps },
};
