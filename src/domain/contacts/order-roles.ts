/** The contacts that orders of a module accept (D-1). */
import { type ContactRole, type ContactType, hasContactRole } from '../../contract/resources/contacts.ts';
import { ORDER_MODULES, type OrderModule } from '../../contract/resources/orders.ts';
import type { ContactRecord } from './records.ts';
import { inactiveReference, invalidField } from '../kernel/errors.ts';
import type { ReadTx } from '../tables.ts';

/** The role that the contact needs. `external`: not the tenant's own company once the order is open. Null: any contact. */
const RULES: Readonly<Record<OrderModule, { readonly role: ContactRole; readonly external: boolean } | null>> = {
  buy: { role: 'supplier', external: true },
  sell: { role: 'customer', external: true },
  make: null,
  check: null,
  fix: { role: 'customer', external: false },
};

/** The modules whose orders do not accept contacts of this type. */
export const listModulesExcluding = (type: ContactType): OrderModule[] =>
  ORDER_MODULES.filter((module) => {
    const rule = RULES[module];
    return rule !== null && !hasContactRole(type, rule.role);
  });

/** The contact of an order. Throws 400 if it does not exist or has the wrong type, 409 if it is inactive. */
export async function checkOrderContact(tx: ReadTx, module: OrderModule, id: string): Promise<ContactRecord> {
  const contact = await getReferencedContact(tx, id);
  const rule = RULES[module];
  if (rule && !hasContactRole(contact.contactType, rule.role)) {
    throw invalidField('/contactId', `${contact.name} is a ${contact.contactType}; a ${module} order needs a ${rule.role}`, 'not_allowed');
  }
  checkContactActive(contact);
  return contact;
}

/** The contact with an id from a request body. */
export async function getReferencedContact(tx: ReadTx, id: string): Promise<ContactRecord> {
  const contact = await tx.contacts.get(id);
  if (!contact) throw invalidField('/contactId', `There is no contact ${id}; GET /v1/contacts lists the valid ids.`);
  return contact;
}

/** Throws 409 for an inactive contact of an order or a stock document. */
export function checkContactActive({ id, name, isActive }: ContactRecord): void {
  if (isActive) return;
  throw inactiveReference(`Contact ${name}`, { contactId: id }, '/contactId');
}

/** Checks the contact of an order that opens: sales and purchases need an external contact. */
export async function checkContactForOpening(tx: ReadTx, module: OrderModule, id: string): Promise<void> {
  const contact = await checkOrderContact(tx, module, id);
  const rule = RULES[module];
  if (rule?.external && contact.isHouse) {
    throw invalidField(
      '/contactId',
      `contactId: a ${module} order needs a ${rule.role} before it opens, and has your own company as its contact`,
      'required',
    );
  }
}
