/** Checks whether a contact may be deleted or change its type. D-18, D-20. */
import { type ContactType, hasContactRole } from '../../contract/resources/contacts.ts';
import { OUTSTANDING_STATUSES } from '../../contract/resources/orders.ts';
import { listModulesExcluding } from './order-roles.ts';
import type { Condition } from '../kernel/ports.ts';
import { checkUnreferenced, countReferences, getDocumentNumbers, getItemNames, getOrderNumbers, nameOwners } from '../kernel/references.ts';
import type { ReadTx } from '../tables.ts';

const whereEquals = (field: string, value: string): Condition => ({ field, equals: value });

/** Throws 409 if orders, stock documents or preferred supplier links refer to the contact. */
export async function checkUnused(tx: ReadTx, id: string): Promise<void> {
  const ofContact = [whereEquals('contactId', id)];
  await checkUnreferenced(
    'contact',
    {
      orders: await countReferences(tx.orders, ofContact, getOrderNumbers),
      stockDocuments: await countReferences(tx.stockDocuments, ofContact, getDocumentNumbers),
      preferredSuppliers: await countReferences(tx.items, [whereEquals('supplierId', id)], getItemNames),
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
  const ofSupplier = [whereEquals('supplierId', id)];
  const isSupplier = hasContactRole(to, 'supplier');
  await checkUnreferenced(
    'contact',
    {
      ...(excludedModules.length > 0 && { orders: await countReferences(tx.orders, whereOutstanding, getOrderNumbers) }),
      ...(!isSupplier && { supplierLinks: await countReferences(tx.supplierLinks, ofSupplier, nameOwners(tx).getItems) }),
    },
    `They need a role that type ${to} does not have.`,
  );
}
