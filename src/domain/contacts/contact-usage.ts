/** Checks whether a contact may be deleted or change its type. D-18, D-20. */
import { type ContactType, hasContactRole } from '../../contract/resources/contacts.ts';
import { OUTSTANDING_STATUSES } from '../../contract/resources/orders.ts';
import { resourceInUse } from '../kernel/errors.ts';
import { listModulesExcluding } from './order-roles.ts';
import type { Condition } from '../kernel/ports.ts';
import type { ReadTx } from '../tables.ts';

const whereEquals = (field: string, value: string): Condition => ({ field, equals: value });

/** Throws 409 if orders, stock documents or preferred supplier links refer to the contact. */
export async function checkUnused(tx: ReadTx, id: string): Promise<void> {
  refuseReferenced(
    {
      orders: await tx.orders.count({ where: [whereEquals('contactId', id)] }),
      stockDocuments: await tx.stockDocuments.count({ where: [whereEquals('contactId', id)] }),
      preferredSuppliers: await tx.items.count({ where: [whereEquals('supplierId', id)] }),
    },
    'Deactivate it instead: set isActive to false.',
  );
}

/** Throws 409 if outstanding orders or supplier links need a role that the new type does not have. */
export async function checkTypeChange(tx: ReadTx, id: string, to: ContactType): Promise<void> {
  const excludedModules = listModulesExcluding(to);
  const whereOutstanding = [
    whereEquals('contactId', id),
    { field: 'module', in: excludedModules },
    { field: 'status', in: OUTSTANDING_STATUSES },
  ];
  refuseReferenced(
    {
      orders: excludedModules.length === 0 ? 0 : await tx.orders.count({ where: whereOutstanding }),
      supplierLinks: hasContactRole(to, 'supplier') ? 0 : await tx.supplierLinks.count({ where: [whereEquals('supplierId', id)] }),
    },
    `They need a role that type ${to} does not have.`,
  );
}

function refuseReferenced(references: Readonly<Record<string, number>>, hint: string): void {
  if (Object.values(references).some((count) => count > 0)) throw resourceInUse('contact', references, hint);
}
