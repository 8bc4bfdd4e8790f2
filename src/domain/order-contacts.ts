/** Which contacts the orders of a module take (D-1). */
import type { ContactType } from '../contract/contacts.ts';
import { ORDER_MODULES, type OrderModule } from '../contract/orders.ts';
import type { ContactRecord } from './contacts.ts';
import { StockroomError, invalidField } from './errors.ts';
import type { ReadTx } from './tables.ts';

/** What a contact can be for an order. */
type Role = 'supplier' | 'customer';

/** What the contact must be; `external`: the tenant's own company will not do once the order is open. None: any contact. */
const RULES: Readonly<Record<OrderModule, { readonly role: Role; readonly external: boolean } | null>> = {
  buy: { role: 'supplier', external: true },
  sell: { role: 'customer', external: true },
  make: null,
  check: null,
  fix: { role: 'customer', external: false },
};

/** Whether a contact of this type can be that. */
export const plays = (type: ContactType, role: Role): boolean => type === role || type === 'both';

/** The modules whose orders need a contact that is what one of this type is not. */
export const modulesClosedTo = (type: ContactType): OrderModule[] =>
  ORDER_MODULES.filter((module) => {
    const rule = RULES[module];
    return rule !== null && !plays(type, rule.role);
  });

/** The contact exists, has the right type, and is active: 400 for the first two, 409 for the last. */
export async function checkContact(tx: ReadTx, module: OrderModule, id: string): Promise<ContactRecord> {
  const contact = await contactNamed(tx, id);
  const rule = RULES[module];
  if (rule && !plays(contact.contactType, rule.role)) {
    throw invalidField('/contactId', `${contact.name} is a ${contact.contactType}; a ${module} order needs a ${rule.role}`, 'not_allowed');
  }
  refuseInactive(contact);
  return contact;
}

/** The contact that a body names. */
export async function contactNamed(tx: ReadTx, id: string): Promise<ContactRecord> {
  const contact = await tx.contacts.get(id);
  if (!contact) throw invalidField('/contactId', `There is no contact ${id}; GET /v1/contacts lists the valid ids.`);
  return contact;
}

export function refuseInactive({ id, name, isActive }: ContactRecord): void {
  if (isActive) return;
  throw new StockroomError('INACTIVE_REFERENCE', `Contact ${name} is inactive; choose another contactId or activate it first.`, {
    details: { contactId: id },
  });
}

/** The contact with which the order may open: a sale or a purchase needs somebody outside. */
export async function checkContactToOpen(tx: ReadTx, module: OrderModule, id: string): Promise<void> {
  const contact = await checkContact(tx, module, id);
  const rule = RULES[module];
  if (rule?.external && contact.isHouse) {
    throw invalidField(
      '/contactId',
      `contactId: a ${module} order needs a ${rule.role} before it opens; it still has your own company`,
      'required',
    );
  }
}
