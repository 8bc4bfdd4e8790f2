/** Who needs a contact: what forbids deleting it, and what forbids narrowing its type. D-18, D-20. */
import type { ContactType } from '../contract/contacts.ts';
import type { OrderModule, OrderStatus } from '../contract/orders.ts';
import { resourceInUse } from './errors.ts';
import type { Condition } from './ports.ts';
import type { ReadTx } from './tables.ts';

const equals = (field: string, value: string): Condition => ({ field, equals: value });
const AT_WORK: readonly OrderStatus[] = ['open', 'in_progress', 'waiting'];
/** The modules whose orders need the contact to be of a type (D-1). */
const NEEDS: Readonly<Record<'customer' | 'supplier', readonly OrderModule[]>> = { customer: ['sell', 'fix'], supplier: ['buy'] };

/** Whether a contact of this type can be a supplier. */
export const canSupply = (type: ContactType): boolean => type !== 'customer';
const canBuy = (type: ContactType): boolean => type !== 'supplier';

/** Refuses when orders, stock documents or preferred supplier links keep the contact from being deleted. */
export async function refuseUse(tx: ReadTx, id: string): Promise<void> {
  refuse(
    {
      orders: await tx.orders.count({ where: [equals('contactId', id)] }),
      stockDocuments: await tx.stockDocuments.count({ where: [equals('contactId', id)] }),
      preferredSuppliers: await tx.items.count({ where: [equals('supplierId', id)] }),
    },
    'Set isActive to false instead.',
  );
}

/** Refuses when orders at work, or supplier links, need what a contact of the new type is not. */
export async function refuseNarrowing(tx: ReadTx, id: string, to: ContactType): Promise<void> {
  const lost = [...(canBuy(to) ? [] : NEEDS.customer), ...(canSupply(to) ? [] : NEEDS.supplier)];
  const ordersAtWork = [equals('contactId', id), { field: 'module', in: lost }, { field: 'status', in: AT_WORK }];
  refuse(
    {
      orders: lost.length === 0 ? 0 : await tx.orders.count({ where: ordersAtWork }),
      supplierLinks: canSupply(to) ? 0 : await tx.supplierLinks.count({ where: [equals('supplierId', id)] }),
    },
    `They need it to be more than a ${to}.`,
  );
}

function refuse(references: Readonly<Record<string, number>>, hint: string): void {
  if (Object.values(references).some((count) => count > 0)) throw resourceInUse('contact', references, hint);
}
