/** Handlers of contacts, and their JSON in responses. */
import { type Contact, type contactOperations, type supplierRef } from '../contract/resources/contacts.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { createContact, deleteContact, getContact, updateContact } from '../domain/contacts/contacts.ts';
import type { ContactRecord } from '../domain/contacts/records.ts';
import { parseExternalId, presentExternalFields } from '../domain/kernel/external-fields.ts';
import { whereExternalIds } from './lists/list-filters.ts';
import { checkVersion } from './versions.ts';
import type { Condition } from '../domain/kernel/ports.ts';
import { type ApiResponse, type Handlers, respondWithRecord } from './handler.ts';
import { listWithDeleted } from './lists/tombstones.ts';
import { whereIn, whereEquals, toPageQuery } from './lists/pagination.ts';

export const contactHandlers: Handlers<typeof contactOperations> = {
  async 'contacts.list'({ tx, query }) {
    const page = toPageQuery(query, [
      whereIn('contactType', query.contact_types),
      whereIn('id', query.id),
      whereEquals('isActive', query.is_active),
      whereIn(
        'country',
        query.country?.map((code) => code.toUpperCase()),
      ),
      whereEquals('contactGroup', query.contact_group?.trim()),
      whereEqualsIgnoringCase('email', query.email?.trim()),
      await whereExternalIds(tx.contacts, query.external_id),
    ]);
    const event = 'contact.updated';
    const { rows, pagination, deleted } = await listWithDeleted(tx, 'contacts', query, { page, event });
    return { data: rows.map(presentContact), ...(deleted && { deleted }), pagination };
  },
  'contacts.get': async ({ tx, params }) => toResponse(await getContact(tx, params.contact_id)),
  async 'contacts.create'({ tx, context, body }) {
    const contact = await createContact(tx, context, body);
    return toResponse(contact, `/v1/contacts/${contact.id}`);
  },
  async 'contacts.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getContact(tx, params.contact_id)).updatedAt);
    return toResponse(await updateContact(tx, context, params.contact_id, body));
  },
  async 'contacts.put'({ tx, context, params, body, ifMatch }) {
    const externalId = parseExternalId(params.external_id);
    const before = await tx.contacts.findUnique('externalId', externalId);
    checkVersion(ifMatch, before?.updatedAt);
    if (before) return toResponse(await updateContact(tx, context, before.id, body));
    const contact = await createContact(tx, context, { ...body, externalId });
    return toResponse(contact, `/v1/contacts/${contact.id}`);
  },
  async 'contacts.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getContact(tx, params.contact_id)).updatedAt);
    await deleteContact(tx, context, params.contact_id);
  },
};

const toResponse = (record: ContactRecord, location?: string): ApiResponse<{ data: Contact }> =>
  respondWithRecord(record, { data: presentContact(record) }, location);

function presentContact(record: ContactRecord): Contact {
  return {
    id: record.id,
    name: record.name,
    email: record.email,
    phone: record.phone,
    company: record.company,
    contactType: record.contactType,
    country: record.country,
    contactGroup: record.contactGroup,
    isPrimaryContact: record.isPrimaryContact,
    isActive: record.isActive,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...presentExternalFields(record),
  };
}

/** A case-insensitive match: a range of one value on a field whose order ignores case. */
const whereEqualsIgnoringCase = (field: string, value: string | undefined): Condition | undefined =>
  value === undefined ? undefined : { field, from: value, to: value };

/** A contact as embedded in other resources as their supplier. */
export function presentSupplierRef({ id, name, company }: ContactRecord): Infer<typeof supplierRef> {
  return { id, name, company };
}
