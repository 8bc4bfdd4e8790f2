/** Contacts: tables, with the indexes for their queries. */
import { EXTERNAL_ID_KEY } from '../kernel/external-fields.ts';
import { BY_CREATED_AT, BY_NAME, BY_UPDATED_AT, defineTable } from '../table-format/define-table.ts';
import type { ContactRecord } from './records.ts';

export const contactsTables = {
  contacts: defineTable<ContactRecord>({
    name: 'contacts',
    scope: 'tenant',
    types: { isActive: 'boolean' },
    unique: { primary: { fields: ['primaryOf'], fold: true }, ...EXTERNAL_ID_KEY },
    orders: {
      name: BY_NAME,
      company: [{ field: 'company', fold: true }],
      created_at: BY_CREATED_AT,
      updated_at: BY_UPDATED_AT,
      // Not a sort of the list: it finds addresses whatever their case.
      email: [{ field: 'email', fold: true }],
    },
    filters: ['contactType', 'isActive', 'country', 'contactGroup'],
    search: ['name', 'company', 'email'],
  }),
} as const;
