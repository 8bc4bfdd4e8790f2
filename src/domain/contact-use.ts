/** Who needs a contact: what forbids deleting it, and what forbids narrowing its type. D-18, D-20. */
import type { ContactType } from '../contract/contacts.ts';
import { resourceInUse } from './errors.ts';
import { modulesClosedTo, plays } from './order-contacts.ts';
import { OUTSTANDING } from './order-transitions.ts';
import type { Condition } from './ports.ts';
import type { ReadTx } from './tables.ts';

const equals = (field: string, value: string): Condition => ({ field, equals: value });

/** Whether a contact of this type can be a supplier. */
export const canSupply = (type: ContactType): boolean => plays(type, 'supplier');

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
  const lost = modulesClosedTo(to);
  const ordersAtWork = [equals('contactId', id), { field: 'module', in: lost }, { field: 'status', in: OUTSTANDING }];
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
