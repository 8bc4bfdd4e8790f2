/** The resources that can be imported and exported. */
import { contact, createContact, listContacts, updateContact } from '../../contract/resources/contacts.ts';
import { createItem, item, listItems, updateItem } from '../../contract/resources/items.ts';
import type { BulkResource } from './rows.ts';

export const ITEMS: BulkResource = {
  noun: 'item',
  create: createItem,
  update: updateItem,
  list: listItems,
  record: item,
  unique: ['sku', 'barcode'],
};

export const CONTACTS: BulkResource = {
  noun: 'contact',
  create: createContact,
  update: updateContact,
  list: listContacts,
  record: contact,
  unique: [],
};
