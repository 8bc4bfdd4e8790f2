/** What can be imported and exported. */
import { contact, createContact, listContacts, updateContact } from '../../contract/contacts.ts';
import { createItem, item, listItems, updateItem } from '../../contract/items.ts';
import type { Resource } from './rows.ts';

export const ITEMS: Resource = {
  what: 'item',
  create: createItem,
  update: updateItem,
  list: listItems,
  record: item,
  unique: ['sku', 'barcode'],
};

export const CONTACTS: Resource = {
  what: 'contact',
  create: createContact,
  update: updateContact,
  list: listContacts,
  record: contact,
  unique: [],
};
