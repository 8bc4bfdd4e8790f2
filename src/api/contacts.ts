/** Handlers of contacts, and their JSON in responses. */
import { type Contact, type contactOperations, type supplierRef } from '../contract/resources/contacts.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { createContact, deleteContact, getContact, updateContact } from '../domain/contacts/contacts.ts';
import type { ContactRecord } from '../domain/contacts/records.ts';
import { notFound } from '../domain/kernel/errors.ts';
import { checkVersion } from '../domain/kernel/versions.ts';
import type { Condition, View } from '../domain/kernel/ports.ts';
import { ApiResponse, type Handlers, JsonBody, toEtag } from './handler.ts';
import { whereIn, whereEquals, toPageJson, toPageQuery, toPagination } from './pagination.ts';
import { RowJson, measureRowJson, measureText } from './row-json.ts';

export const contactHandlers: Handlers<typeof contactOperations> = {
  async 'contacts.list'({ tx, query }) {
    const { rows, total } = await tx.contacts.listViewPage(
      contactView,
      toPageQuery(query, [
        whereIn('contactType', query.contact_types),
        whereEquals('isActive', query.is_active),
        whereIn(
          'country',
          query.country?.map((code) => code.toUpperCase()),
        ),
        whereEquals('contactGroup', query.contact_group?.trim()),
        whereEqualsIgnoringCase('email', query.email?.trim()),
      ]),
    );
    return toPageJson(rows, toPagination(query, total));
  },
  async 'contacts.get'({ tx, params }) {
    const view = await tx.contacts.getView(contactView, params.contact_id);
    if (!view) throw notFound('contact', params.contact_id);
    return toResponse(view);
  },
  async 'contacts.create'({ tx, context, body }) {
    const contact = await createContact(tx, context, body);
    return toResponse(contactView.compute(contact), `/v1/contacts/${contact.id}`);
  },
  async 'contacts.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getContact(tx, params.contact_id)).updatedAt);
    return toResponse(contactView.compute(await updateContact(tx, context, params.contact_id, body)));
  },
  async 'contacts.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getContact(tx, params.contact_id)).updatedAt);
    await deleteContact(tx, context, params.contact_id);
  },
};

type ContactJson = RowJson<Pick<ContactRecord, 'updatedAt'>>;

const contactView: View<ContactRecord, ContactJson> = {
  name: 'contact',
  measure: measureRowJson,
  compute(record) {
    const wire: Contact = {
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
    };
    return new RowJson(JSON.stringify(wire), { updatedAt: record.updatedAt }, true);
  },
};

function toResponse(view: ContactJson, location?: string): ApiResponse<{ data: Contact }> {
  return new ApiResponse<{ data: Contact }>(new JsonBody(`{"data":${view.text}}`), {
    etag: toEtag(view.references),
    ...(location === undefined ? {} : { location }),
  });
}

/** A case-insensitive match: a range of one value on a field whose order ignores case. */
const whereEqualsIgnoringCase = (field: string, value: string | undefined): Condition | undefined =>
  value === undefined ? undefined : { field, from: value, to: value };

/** A contact as embedded in other resources as their supplier. */
export function presentSupplierRef({ id, name, company }: ContactRecord): Infer<typeof supplierRef> {
  return { id, name, company };
}

/** The same as JSON text, for lists built from cached JSON. */
export const supplierRefView: View<ContactRecord, string> = {
  name: 'supplierRef',
  measure: measureText,
  compute: (record) => JSON.stringify(presentSupplierRef(record)),
};
