/** Contacts: customers and suppliers. Contract part 2; D-18. */
export const CONTACT_TYPES = ['customer', 'supplier', 'both'] as const;
export type ContactType = (typeof CONTACT_TYPES)[number];
