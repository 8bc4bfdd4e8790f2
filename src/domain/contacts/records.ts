/** Contacts as they are stored. */
import type { ExternalFields } from '../kernel/external-fields.ts';
import type { ContactType } from '../../contract/resources/contacts.ts';

export interface ContactRecord extends ExternalFields {
  readonly id: string;
  readonly name: string;
  /** Unset text fields are empty, never null (D-18). */
  readonly email: string;
  readonly phone: string;
  readonly company: string;
  readonly contactType: ContactType;
  /** ISO 3166-1 alpha-2, upper case, or empty. */
  readonly country: string;
  readonly contactGroup: string;
  readonly isPrimaryContact: boolean;
  /** The company, on its primary contact only: a unique key, so that each company has at most one. */
  readonly primaryOf?: string;
  readonly isActive: boolean;
  /** The tenant's own company (house contact): one per tenant, cannot be deleted (D-3). */
  readonly isHouse: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}
