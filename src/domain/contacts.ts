/** Contacts: customers, suppliers, and the tenant's own company. D-18. */
import type { ContactDraft, ContactPatch, ContactType } from '../contract/contacts.ts';
import { COUNTRIES } from '../contract/countries.ts';
import { EMAIL_LOCAL_MAX_CHARS } from '../contract/limits.ts';
import { differences, note } from './changes.ts';
import { refuseNarrowing, refuseUse } from './contact-use.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, invalidField, notFound } from './errors.ts';
import { unlinkContact } from './suppliers.ts';
import type { ReadTx, Tx } from './tables.ts';
import { requiredText } from './text.ts';

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
  /** The company, on its primary contact only: a unique key, so that a company has one. */
  readonly primaryOf?: string;
  readonly isActive: boolean;
  /** The tenant's own company: undeletable, one per tenant (D-3). */
  readonly isHouse: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

type ContactFields = Omit<ContactRecord, 'id' | 'primaryOf' | 'isHouse' | 'createdAt' | 'updatedAt'>;
const FIELDS = [
  'name',
  'email',
  'phone',
  'company',
  'contactType',
  'country',
  'contactGroup',
  'isPrimaryContact',
  'isActive',
] as const satisfies readonly (keyof ContactFields)[];

/** What makes the house contact what it is: every module may use it, and the group tells it from the others. */
const HOUSE_FIELDS = ['contactType', 'contactGroup', 'isActive'] as const satisfies readonly (keyof ContactFields)[];

export async function getContact(tx: ReadTx, id: string): Promise<ContactRecord> {
  const contact = await tx.contacts.get(id);
  if (!contact) throw notFound('contact', id);
  return contact;
}

export async function createContact(tx: Tx, context: Context, draft: ContactDraft): Promise<ContactRecord> {
  const at = context.now.toISOString();
  const contact = withPrimary({ id: context.newId(), ...merge(EMPTY, draft), isHouse: false, createdAt: at, updatedAt: at });
  await clearPrimary(tx, context, contact);
  await tx.contacts.put(contact);
  await note(tx, context, {
    action: 'contact.created',
    resourceType: 'contact',
    resourceId: contact.id,
    event: contactEvent('contact.created', contact, []),
  });
  return contact;
}

export async function updateContact(tx: Tx, context: Context, id: string, patch: ContactPatch): Promise<ContactRecord> {
  const before = await getContact(tx, id);
  const fields = merge(before, patch);
  const changes = differences<ContactFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  protectHouse(before, fields);
  if (fields.contactType !== before.contactType) await refuseNarrowing(tx, id, fields.contactType);
  const { primaryOf: _, ...rest } = before;
  const contact = withPrimary({ ...rest, ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) });
  await clearPrimary(tx, context, contact);
  await tx.contacts.put(contact);
  await noteUpdate(tx, context, contact, changes);
  return contact;
}

export async function deleteContact(tx: Tx, context: Context, id: string): Promise<void> {
  const contact = await getContact(tx, id);
  if (contact.isHouse) throw houseInUse('It cannot be deleted.');
  await refuseUse(tx, id);
  await unlinkContact(tx, context, id);
  await tx.contacts.remove(id);
  const event = contactEvent('contact.updated', contact, ['deleted']);
  await note(tx, context, {
    action: 'contact.deleted',
    resourceType: 'contact',
    resourceId: id,
    metadata: { name: contact.name },
    event: { ...event, data: { ...event.data, deletedAt: context.now.toISOString() } },
  });
}

const EMPTY: ContactFields = {
  name: '',
  email: '',
  phone: '',
  company: '',
  contactType: 'customer',
  country: '',
  contactGroup: '',
  isPrimaryContact: false,
  isActive: true,
};

/** The fields after a change: an absent one stays, null clears to the empty text. */
function merge(before: ContactFields, patch: ContactPatch): ContactFields {
  const text = (field: 'phone' | 'company' | 'contactGroup') => (patch[field] === undefined ? before[field] : (patch[field] ?? '').trim());
  return {
    name: patch.name === undefined ? before.name : requiredText(patch.name, '/name'),
    email: patch.email === undefined ? before.email : checkedEmail(patch.email),
    phone: text('phone'),
    company: text('company'),
    contactType: patch.contactType ?? before.contactType,
    country: patch.country === undefined ? before.country : checkedCountry(patch.country),
    contactGroup: text('contactGroup'),
    isPrimaryContact: patch.isPrimaryContact ?? before.isPrimaryContact,
    isActive: patch.isActive ?? before.isActive,
  };
}

/** What the contract's pattern cannot say: the part before the `@` has a length of its own. */
function checkedEmail(value: string | null): string {
  const email = (value ?? '').trim();
  if (email.indexOf('@') > EMAIL_LOCAL_MAX_CHARS) {
    throw invalidField('/email', `email has more than ${String(EMAIL_LOCAL_MAX_CHARS)} characters before the @`, 'too_big');
  }
  return email;
}

function checkedCountry(value: string | null): string {
  const country = (value ?? '').toUpperCase();
  if (country === '' || COUNTRIES.has(country)) return country;
  throw invalidField('/country', `country ${country} is not an ISO 3166-1 code of two letters such as PT`, 'not_allowed');
}

/** The record with the unique key that goes with it. A contact without company is primary for nobody but itself. */
function withPrimary(contact: Omit<ContactRecord, 'primaryOf'>): ContactRecord {
  return contact.isPrimaryContact && contact.company !== '' ? { ...contact, primaryOf: contact.company } : contact;
}

/** Takes the mark from the contact that has it, when `contact` is to be the primary one of the same company. */
async function clearPrimary(tx: Tx, context: Context, contact: ContactRecord): Promise<void> {
  if (contact.primaryOf === undefined) return;
  const holder = await tx.contacts.find('primary', contact.primaryOf);
  if (!holder || holder.id === contact.id) return;
  const { primaryOf: _, ...rest } = holder;
  const cleared: ContactRecord = { ...rest, isPrimaryContact: false, updatedAt: nextTimestamp(context.now, holder.updatedAt) };
  await tx.contacts.put(cleared);
  await noteUpdate(tx, context, cleared, { isPrimaryContact: { from: true, to: false } });
}

function protectHouse(before: ContactRecord, after: ContactFields): void {
  const locked = before.isHouse ? Object.keys(differences<ContactFields>(before, after, HOUSE_FIELDS)) : [];
  if (locked.length > 0) throw houseInUse(`Its ${locked.join(', ')} cannot change.`);
}

/** ours: the house contact is "in use" by the organization itself (D-20 says 409 and leaves the code open). */
function houseInUse(what: string): StockroomError {
  return new StockroomError('RESOURCE_IN_USE', `This contact stands for your own company in orders without another contact. ${what}`, {
    details: { references: { organization: 1 } },
  });
}

async function noteUpdate(tx: Tx, context: Context, contact: ContactRecord, changes: ReturnType<typeof differences>): Promise<void> {
  await note(tx, context, {
    action: 'contact.updated',
    resourceType: 'contact',
    resourceId: contact.id,
    changes,
    event: contactEvent('contact.updated', contact, Object.keys(changes)),
  });
}

function contactEvent(name: 'contact.created' | 'contact.updated', contact: ContactRecord, changes: readonly string[]) {
  const { company, contactType, isActive, updatedAt } = contact;
  return { name, resourceId: contact.id, changes, data: { name: contact.name, company, contactType, isActive, updatedAt } };
}
