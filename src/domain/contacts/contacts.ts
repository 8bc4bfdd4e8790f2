/** Creates, updates and deletes contacts: customers, suppliers, and the tenant's own company. D-18. */
import type { ContactPatch, NewContact } from '../../contract/resources/contacts.ts';
import { COUNTRIES } from '../../contract/schema/countries.ts';
import { EMAIL_LOCAL_MAX_CHARS } from '../../contract/limits.ts';
import { diffFields, recordChange } from '../events/changes.ts';
import { checkTypeChange, checkUnused } from './contact-usage.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, duplicateValue, invalidField, notFound } from '../kernel/errors.ts';
import { removeLinksToContact } from '../catalog/suppliers.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { EXTERNAL_FIELDS, type ExternalFields, applyExternalFields } from '../kernel/external-fields.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import { requireText } from '../kernel/text.ts';
import type { ContactRecord } from './records.ts';

type ContactFields = Omit<ContactRecord, 'id' | 'primaryOf' | 'isHouse' | 'createdAt' | 'updatedAt' | keyof ExternalFields>;
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

/** Fields of the house contact (the tenant's own company) that cannot change: every module may use it, and its group is `internal`. */
const HOUSE_FIELDS = ['contactType', 'contactGroup', 'isActive'] as const satisfies readonly (keyof ContactFields)[];

export async function getContact(tx: ReadTx, id: string): Promise<ContactRecord> {
  return requireContact(await tx.contacts.get(id), id);
}

/** The contact that was read with this id; 404 if there is none. */
export function requireContact(contact: ContactRecord | undefined, id: string): ContactRecord {
  if (!contact) throw notFound('contact', id);
  return contact;
}

export async function createContact(tx: Tx, context: Context, draft: NewContact): Promise<ContactRecord> {
  const at = context.now.toISOString();
  const fields = { id: context.newId(), ...mergeFields(EMPTY, draft), isHouse: false, createdAt: at, updatedAt: at };
  const contact = applyExternalFields(withPrimary(fields), draft);
  await clearOtherPrimary(tx, context, contact);
  await putContact(tx, contact);
  await recordChange(tx, context, {
    action: 'contact.created',
    resourceType: 'contact',
    resourceId: contact.id,
    event: buildContactEvent('contact.created', contact, []),
  });
  return contact;
}

export async function updateContact(tx: Tx, context: Context, id: string, patch: ContactPatch): Promise<ContactRecord> {
  const before = await getContact(tx, id);
  const fields = mergeFields(before, patch);
  const changed = applyExternalFields({ ...before, ...fields }, patch);
  const changes = diffFields<ContactFields & ExternalFields>(before, changed, [...FIELDS, ...EXTERNAL_FIELDS]);
  if (Object.keys(changes).length === 0) return before;
  checkHouseUnchanged(before, fields);
  if (fields.contactType !== before.contactType) await checkTypeChange(tx, id, fields.contactType);
  const { primaryOf: _, ...rest } = changed;
  const contact = withPrimary({ ...rest, updatedAt: getNextTimestamp(context.now, before.updatedAt) });
  await clearOtherPrimary(tx, context, contact);
  await putContact(tx, contact);
  await recordContactUpdate(tx, context, contact, changes);
  return contact;
}

async function putContact(tx: Tx, contact: ContactRecord): Promise<void> {
  try {
    await tx.contacts.put(contact);
  } catch (error) {
    if (!(error instanceof DuplicateKey) || error.key !== 'externalId') throw error;
    throw duplicateValue('externalId', contact.externalId ?? '', error.existingId);
  }
}

export async function deleteContact(tx: Tx, context: Context, id: string): Promise<void> {
  const contact = await getContact(tx, id);
  if (contact.isHouse) throw houseContactInUse('It cannot be deleted.');
  await checkUnused(tx, id);
  await removeLinksToContact(tx, context, id);
  await tx.contacts.remove(id);
  const deletedAt = getNextTimestamp(context.now, contact.updatedAt);
  const event = buildContactEvent('contact.updated', { ...contact, updatedAt: deletedAt }, ['deleted']);
  await recordChange(tx, context, {
    action: 'contact.deleted',
    resourceType: 'contact',
    resourceId: id,
    metadata: { name: contact.name },
    event: { ...event, data: { ...event.data, deletedAt } },
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

/** The fields after a change: an omitted field is unchanged, null clears it to the empty string. */
function mergeFields(before: ContactFields, patch: ContactPatch): ContactFields {
  const text = (field: 'phone' | 'company' | 'contactGroup') => (patch[field] === undefined ? before[field] : (patch[field] ?? '').trim());
  return {
    name: patch.name === undefined ? before.name : requireText(patch.name, '/name'),
    email: patch.email === undefined ? before.email : toCheckedEmail(patch.email),
    phone: text('phone'),
    company: text('company'),
    contactType: patch.contactType ?? before.contactType,
    country: patch.country === undefined ? before.country : toCheckedCountry(patch.country),
    contactGroup: text('contactGroup'),
    isPrimaryContact: patch.isPrimaryContact ?? before.isPrimaryContact,
    isActive: patch.isActive ?? before.isActive,
  };
}

/** Checks what the contract's pattern cannot: the maximum length before the `@`. */
function toCheckedEmail(value: string | null): string {
  const email = (value ?? '').trim();
  if (email.indexOf('@') > EMAIL_LOCAL_MAX_CHARS) {
    throw invalidField('/email', `email has more than ${String(EMAIL_LOCAL_MAX_CHARS)} characters before the @`, 'too_big');
  }
  return email;
}

function toCheckedCountry(value: string | null): string {
  const country = (value ?? '').toUpperCase();
  if (country === '' || COUNTRIES.has(country)) return country;
  throw invalidField('/country', `country ${country} is not an ISO 3166-1 alpha-2 code such as PT`, 'not_allowed');
}

/** Sets the unique key of primary contacts. A primary contact without a company needs none. */
function withPrimary(contact: Omit<ContactRecord, 'primaryOf'>): ContactRecord {
  return contact.isPrimaryContact && contact.company !== '' ? { ...contact, primaryOf: contact.company } : contact;
}

/** If `contact` is primary, clears isPrimaryContact of the company's previous primary contact. */
async function clearOtherPrimary(tx: Tx, context: Context, contact: ContactRecord): Promise<void> {
  if (contact.primaryOf === undefined) return;
  const previous = await tx.contacts.findUnique('primary', contact.primaryOf);
  if (!previous || previous.id === contact.id) return;
  const { primaryOf: _, ...rest } = previous;
  const cleared: ContactRecord = { ...rest, isPrimaryContact: false, updatedAt: getNextTimestamp(context.now, previous.updatedAt) };
  await tx.contacts.put(cleared);
  await recordContactUpdate(tx, context, cleared, { isPrimaryContact: { from: true, to: false } });
}

function checkHouseUnchanged(before: ContactRecord, after: ContactFields): void {
  const lockedFields = before.isHouse ? Object.keys(diffFields<ContactFields>(before, after, HOUSE_FIELDS)) : [];
  if (lockedFields.length > 0) throw houseContactInUse(`Its ${lockedFields.join(', ')} cannot change.`);
}

/** The house contact is in use by the organization itself (D-20 says 409 and leaves the code open). */
function houseContactInUse(problem: string): StockroomError {
  return new StockroomError('RESOURCE_IN_USE', `This contact represents your own company in orders without another contact. ${problem}`, {
    details: { references: { organization: 1 } },
  });
}

async function recordContactUpdate(
  tx: Tx,
  context: Context,
  contact: ContactRecord,
  changes: ReturnType<typeof diffFields>,
): Promise<void> {
  await recordChange(tx, context, {
    action: 'contact.updated',
    resourceType: 'contact',
    resourceId: contact.id,
    changes,
    event: buildContactEvent('contact.updated', contact, Object.keys(changes)),
  });
}

function buildContactEvent(name: 'contact.created' | 'contact.updated', contact: ContactRecord, changes: readonly string[]) {
  const { company, contactType, isActive, updatedAt } = contact;
  return { name, resourceId: contact.id, updatedAt, changes, data: { name: contact.name, company, contactType, isActive } };
}
