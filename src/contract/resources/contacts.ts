/** Contacts: customers and suppliers. C-2; D-18. */
import { CONTACT_GROUP_MAX_CHARS, EMAIL_MAX_CHARS, NAME_MAX_CHARS, PHONE_MAX_CHARS } from '../limits.ts';
import { externalFields, externalIdFilter, externalIdParams, omitExternalId, returnedExternalFields } from '../external-fields.ts';
import {
  extension,
  idsFilter,
  includeDeleted,
  paginatedWithDeleted,
  queryBoolean,
  listQuery,
  single,
  defineOperation,
} from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const CONTACT_TYPES = ['customer', 'supplier', 'both'] as const;
export type ContactType = (typeof CONTACT_TYPES)[number];
/** The role of a contact in an order. */
export type ContactRole = Exclude<ContactType, 'both'>;
export const hasContactRole = (type: ContactType, role: ContactRole): boolean => type === role || type === 'both';

// RFC 5321 dot-atoms with the characters of RFC 6531. Quoted local parts and address literals are deliberately not accepted.
/** Letters and other characters beyond ASCII, but no directional or other formatting characters, separators or surrogates. */
const BEYOND_ASCII = '\\u00a1-\\u1fff\\u2010-\\u2027\\u2030-\\u205e\\u2070-\\ud7ff\\ue000-\\uffff';
const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${BEYOND_ASCII}-]+`;
const LABEL = `[A-Za-z0-9${BEYOND_ASCII}](?:[A-Za-z0-9${BEYOND_ASCII}-]{0,61}[A-Za-z0-9${BEYOND_ASCII}])?`;
const EMAIL = `^\\s*(?:${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*)?\\s*$`;

const optionalLine = (max: number) => t.optional(t.nullable(t.lineOrEmpty(max)));
const emailField = (limits: { readonly min?: number } = {}) =>
  t.string({ ...limits, max: EMAIL_MAX_CHARS, pattern: EMAIL, hint: 'an e-mail address such as ana@example.com' });
/** An e-mail address that may not be empty. */
export const requiredEmail = () => emailField({ min: 3 });
const COUNTRY_HINT = 'a two-letter ISO 3166-1 code such as PT';

export const contact = t.component('Contact', {
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
  createdAt: extension(t.timestamp(), 'Creation time.'),
  updatedAt: t.timestamp(),
  ...returnedExternalFields(),
});
export type Contact = Infer<typeof contact>;

/** The supplier of an item, as embedded in other records. */
export const supplierRef = t.component('SupplierRef', { id: t.uuid(), name: t.string(), company: t.string() });

export const contactDraft = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name of the person or company.', example: 'Ana Reis' }),
  email: t.annotate(t.optional(t.nullable(emailField())), {
    description: 'E-mail address; need not be unique.',
    example: 'ana@example.com',
  }),
  phone: describe(optionalLine(PHONE_MAX_CHARS), 'Phone number in any format.'),
  company: describe(optionalLine(NAME_MAX_CHARS), 'Company name; empty for a private person.'),
  contactType: describe(t.withDefault(t.enums(CONTACT_TYPES), 'customer'), 'Whether the contact is a customer, a supplier or both.'),
  country: t.annotate(t.optional(t.nullable(t.string({ pattern: '^(?:[A-Za-z]{2})?$', hint: COUNTRY_HINT }))), {
    description: 'ISO 3166-1 alpha-2 country code; stored in upper case.',
    example: 'PT',
  }),
  contactGroup: describe(optionalLine(CONTACT_GROUP_MAX_CHARS), 'Group name of your choice.'),
  isPrimaryContact: t.annotate(t.withDefault(t.bool(), false), {
    description: 'Whether this is the primary contact of the company. There is at most one: setting it clears the previous one.',
  }),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new orders can use it.'),
  ...externalFields(),
});
export type ContactDraft = Infer<typeof contactDraft>;
export const contactPatch = t.partial(contactDraft);
export type ContactPatch = Infer<typeof contactPatch>;
/** A new contact: its other fields have defaults. */
export type NewContact = ContactPatch & Pick<ContactDraft, 'name'>;

const contactParams = t.object({ contact_id: t.id('contact') });
const EXAMPLE_ID = '2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d';

export const listContacts = defineOperation('contacts.list', 'GET', '/v1/contacts', {
  scope: 'contacts:read',
  summary: 'List contacts',
  query: t.object({
    ...listQuery(['name', 'company', 'created_at', 'updated_at']),
    contact_types: t.optional(t.annotate(t.csv(t.enums(CONTACT_TYPES)), { description: 'Only these types, joined by commas.' })),
    is_active: t.optional(extension(queryBoolean(), 'Only active or only inactive contacts.')),
    id: idsFilter('contact'),
    include_deleted: includeDeleted(),
    country: t.optional(
      extension(
        t.csv(t.string({ min: 2, max: 2, pattern: '^[A-Za-z]{2}$', hint: COUNTRY_HINT })),
        'Only these countries, joined by commas.',
      ),
    ),
    contact_group: t.optional(extension(t.string({ max: CONTACT_GROUP_MAX_CHARS }), 'Only contacts in this group.')),
    email: t.optional(extension(t.string({ max: EMAIL_MAX_CHARS }), 'Only contacts with this e-mail address, ignoring case.')),
    external_id: externalIdFilter(),
  }),
  errors: ['CURSOR_EXPIRED'],
  result: paginatedWithDeleted(contact),
  example: { query: { contact_types: 'supplier,both', search: 'coffee' } },
});

export const createContact = defineOperation('contacts.create', 'POST', '/v1/contacts', {
  scope: 'contacts:write',
  summary: 'Create a contact',
  body: contactDraft,
  status: 201,
  result: single(contact),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Ana Reis', email: 'ana@example.com', company: 'Green Beans Lda', contactType: 'supplier', country: 'PT' } },
});

export const getContact = defineOperation('contacts.get', 'GET', '/v1/contacts/{contact_id}', {
  scope: 'contacts:read',
  summary: 'Get a contact',
  params: contactParams,
  result: single(contact),
  example: { params: { contact_id: EXAMPLE_ID } },
});

export const updateContact = defineOperation('contacts.update', 'PATCH', '/v1/contacts/{contact_id}', {
  scope: 'contacts:write',
  summary: 'Update a contact',
  description: 'Omitted fields are unchanged.',
  params: contactParams,
  body: contactPatch,
  result: single(contact),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE', 'PRECONDITION_FAILED'],
  example: { params: { contact_id: EXAMPLE_ID }, body: { phone: '+351 21 000 0000' } },
});

export const putContact = defineOperation('contacts.put', 'PUT', '/v1/contacts/by-external-id/{external_id}', {
  scope: 'contacts:write',
  extension: true,
  summary: 'Create or update the contact with an external id',
  description: 'Answers 201 if there was none. Omitted fields get their defaults in a new contact and are unchanged in an existing one.',
  params: externalIdParams(),
  body: t.object({ ...omitExternalId(contactPatch.properties), name: contactDraft.properties.name }),
  createdStatus: 201,
  result: single(contact),
  errors: ['RESOURCE_IN_USE', 'PRECONDITION_FAILED'],
  example: { params: { external_id: 'crm-1204' }, body: { name: 'Ana Reis', email: 'ana@example.com' } },
});

export const deleteContact = defineOperation('contacts.delete', 'DELETE', '/v1/contacts/{contact_id}', {
  scope: 'contacts:write',
  summary: 'Delete an unused contact',
  description: 'Fails with `RESOURCE_IN_USE` if an order, a stock document or a preferred supplier link refers to the contact.',
  params: contactParams,
  result: null,
  errors: ['RESOURCE_IN_USE', 'PRECONDITION_FAILED'],
  example: { params: { contact_id: EXAMPLE_ID } },
});

export const contactOperations = [listContacts, createContact, getContact, updateContact, putContact, deleteContact] as const;
