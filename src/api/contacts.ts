import { type Contact, type contactOperations, type supplierRef } from '../contract/contacts.ts';
import type { Infer } from '../contract/schema.ts';
import { type ContactRecord, createContact, deleteContact, getContact, updateContact } from '../domain/contacts.ts';
import { notFound } from '../domain/errors.ts';
import { checkVersion } from '../domain/items.ts';
import type { Condition, View } from '../domain/ports.ts';
import { Answer, type Handlers, JsonText, etagOf } from './call.ts';
import { among, equal, joinPage, pageQuery, paginationOf } from './lists.ts';
import { RowText } from './row-text.ts';

export const contactHandlers: Handlers<typeof contactOperations> = {
  async 'contacts.list'({ tx, query }) {
    const { rows, total } = await tx.contacts.pageView(
      contactView,
      pageQuery(query, [
        among('contactType', query.contact_types),
        equal('isActive', query.is_active),
        among(
          'country',
          query.country?.map((code) => code.toUpperCase()),
        ),
        equal('contactGroup', query.contact_group?.trim()),
        folded('email', query.email?.trim()),
      ]),
    );
    return joinPage(rows, paginationOf(query, total));
  },
  async 'contacts.get'({ tx, params }) {
    const view = await tx.contacts.getView(contactView, params.contact_id);
    if (!view) throw notFound('contact', params.contact_id);
    return present(view);
  },
  async 'contacts.create'({ tx, context, body }) {
    const contact = await createContact(tx, context, body);
    return present(contactView.of(contact), `/v1/contacts/${contact.id}`);
  },
  async 'contacts.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getContact(tx, params.contact_id)).updatedAt);
    return present(contactView.of(await updateContact(tx, context, params.contact_id, body)));
  },
  async 'contacts.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getContact(tx, params.contact_id)).updatedAt);
    await deleteContact(tx, context, params.contact_id);
  },
};

type ContactText = RowText<Pick<ContactRecord, 'updatedAt'>>;

const contactView: View<ContactRecord, ContactText> = {
  name: 'contact',
  of(record) {
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
    return new RowText(JSON.stringify(wire), { updatedAt: record.updatedAt }, true);
  },
};

function present(view: ContactText, location?: string): Answer<{ data: Contact }> {
  return new Answer<{ data: Contact }>(new JsonText(`{"data":${view.text}}`), {
    etag: etagOf(view.about),
    ...(location === undefined ? {} : { location }),
  });
}

/** Equal but for case: a range of one value on a field that an order folds. */
const folded = (field: string, value: string | undefined): Condition | undefined =>
  value === undefined ? undefined : { field, from: value, to: value };

/** A contact as the supplier of something. */
export function presentSupplierRef({ id, name, company }: ContactRecord): Infer<typeof supplierRef> {
  return { id, name, company };
}

/** The same as JSON text, for lists that join texts. */
export const supplierRefView: View<ContactRecord, string> = {
  name: 'supplierRef',
  of: (record) => JSON.stringify(presentSupplierRef(record)),
};
