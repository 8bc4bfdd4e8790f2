/** Contacts: customers, suppliers, and the tenant's own company. D-18. */
import type { ContactType } from '../contract/contacts.ts';

export interface ContactRecord {
  readonly id: string;
  readonly name: string;
  /** Unset texts are empty, never null (D-18). */
  readonly email: string;
  readonly phone: string;
  readonly company: string;
  readonly contactType: ContactType;
  /** ISO 3166-1 alpha-2, upper case, or empty. */
  readonly country: string;
  readonly contactGroup: string;
  readonly isPrimaryContact: boolean;
  readonly isActive: boolean;
  /** The tenant's own company: undeletable, one per tenant (D-3). */
  readonly isHouse: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}
