/** Contacts: customers and suppliers. Contract part 2; D-18. */
import { CONTACT_GROUP_MAX_CHARS, EMAIL_MAX_CHARS, NAME_MAX_CHARS, PHONE_MAX_CHARS } from './limits.ts';
import { extension, flag, listQuery, one, operation, pageOf } from './operation.ts';
import { type Infer, t } from './schema.ts';

export const CONTACT_TYPES = ['customer', 'supplier', 'both'] as const;
export type ContactType = (typeof CONTACT_TYPES)[number];

// RFC 5321 dot-atoms with the letters of RFC 6531; quoted local parts and address literals are left out on purpose.
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u00a1-\\uffff-]+";
const LABEL = '[A-Za-z0-9\\u00a1-\\uffff](?:[A-Za-z0-9\\u00a1-\\uffff-]{0,61}[A-Za-z0-9\\u00a1-\\uffff])?';
const EMAIL = `^\\s*(?:${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*)?\\s*$`;

const text = (max: number) => t.optional(t.nullable(t.maybeEmpty(max)));
const email = (limits: { readonly min?: number } = {}) =>
  t.string({ ...limits, max: EMAIL_MAX_CHARS, pattern: EMAIL, hint: 'an e-mail address such as ana@example.com' });
/** Of somebody who must have one. */
export const emailAddress = () => email({ min: 3 });
const COUNTRY_HINT = 'an ISO 3166-1 code of two letters such as PT';

export const contact = t.about(
  t.object({
    id: t.uuid(),
    name: t.string(),
    email: t.string(),
    phone: t.string(),
    company: t.string(),
    contactType: t.enums(CONTACT_TYPES),
    country: t.string(),
    contactGroup: t.string(),
    isPrimaryContact: t.bool(),
    isActive: t.bool(),
    createdAt: extension(t.timestamp(), 'When it was created.'),
    updatedAt: t.timestamp(),
  }),
  { name: 'Contact' },
);
export type Contact = Infer<typeof contact>;

/** A contact as the supplier of something. */
export const supplierRef = t.about(t.object({ id: t.uuid(), name: t.string(), company: t.string() }), { name: 'SupplierRef' });

export const contactDraft = t.object({
  name: t.about(t.line(NAME_MAX_CHARS), { description: 'Person or company.', example: 'Ana Reis' }),
  email: t.about(t.optional(t.nullable(email())), { description: 'Need not be unique: inboxes are shared.', example: 'ana@example.com' }),
  phone: text(PHONE_MAX_CHARS),
  company: text(NAME_MAX_CHARS),
  contactType: t.withDefault(t.enums(CONTACT_TYPES), 'customer'),
  country: t.about(t.optional(t.nullable(t.string({ pattern: '^(?:[A-Za-z]{2})?$', hint: COUNTRY_HINT }))), {
    description: 'ISO 3166-1 alpha-2; stored in upper case.',
    example: 'PT',
  }),
  contactGroup: text(CONTACT_GROUP_MAX_CHARS),
  isPrimaryContact: t.about(t.withDefault(t.bool(), false), {
    description: 'At most one contact of a company is primary: setting it clears it on the one that had it.',
  }),
  isActive: t.withDefault(t.bool(), true),
});
export type ContactDraft = Infer<typeof contactDraft>;
export const contactPatch = t.partial(contactDraft);
export type ContactPatch = Infer<typeof contactPatch>;

const contactParams = t.object({ contact_id: t.uuid() });
const EXAMPLE_ID = '2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d';

export const listContacts = operation({
  id: 'contacts.list',
  method: 'GET',
  path: '/v1/contacts',
  scope: 'contacts:read',
  summary: 'List contacts',
  query: t.object({
    ...listQuery(['name', 'company', 'created_at', 'updated_at']),
    contact_types: t.optional(t.about(t.csv(t.enums(CONTACT_TYPES)), { description: 'Only these types, joined by commas.' })),
    is_active: t.optional(extension(flag(), 'Only active or only inactive contacts.')),
    country: t.optional(
      extension(
        t.csv(t.string({ min: 2, max: 2, pattern: '^[A-Za-z]{2}$', hint: COUNTRY_HINT })),
        'Only these countries, joined by commas.',
      ),
    ),
    contact_group: t.optional(extension(t.string({ max: CONTACT_GROUP_MAX_CHARS }), 'Only contacts of this group.')),
    email: t.optional(extension(t.string({ max: EMAIL_MAX_CHARS }), 'Only contacts with this address, in any case.')),
  }),
  status: 200,
  result: pageOf(contact),
  example: { query: { contact_types: 'supplier,both', search: 'coffee' } },
});

export const createContact = operation({
  id: 'contacts.create',
  method: 'POST',
  path: '/v1/contacts',
  scope: 'contacts:write',
  summary: 'Create a contact',
  body: contactDraft,
  status: 201,
  result: one(contact),
  example: { body: { name: 'Ana Reis', email: 'ana@example.com', company: 'Green Beans Lda', contactType: 'supplier', country: 'PT' } },
});

export const getContact = operation({
  id: 'contacts.get',
  method: 'GET',
  path: '/v1/contacts/{contact_id}',
  scope: 'contacts:read',
  summary: 'Read a contact',
  params: contactParams,
  status: 200,
  result: one(contact),
  example: { params: { contact_id: EXAMPLE_ID } },
});

export const updateContact = operation({
  id: 'contacts.update',
  method: 'PATCH',
  path: '/v1/contacts/{contact_id}',
  scope: 'contacts:write',
  summary: 'Change a contact; fields left out stay as they are',
  params: contactParams,
  body: contactPatch,
  status: 200,
  result: one(contact),
  errors: ['RESOURCE_IN_USE', 'PRECONDITION_FAILED'],
  example: { params: { contact_id: EXAMPLE_ID }, body: { phone: '+351 21 000 0000' } },
});

export const deleteContact = operation({
  id: 'contacts.delete',
  method: 'DELETE',
  path: '/v1/contacts/{contact_id}',
  scope: 'contacts:write',
  summary: 'Delete a contact that no order and no preferred supplier link refers to',
  params: contactParams,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE', 'PRECONDITION_FAILED'],
  example: { params: { contact_id: EXAMPLE_ID } },
});

export const contactOperations = [listContacts, createContact, getContact, updateContact, deleteContact] as const;
