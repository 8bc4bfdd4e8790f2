/** The resources that can be imported and exported. */
import { contact, createContact, getContact, listContacts, updateContact } from '../../contract/resources/contacts.ts';
import { createItem, getItem, item, listItems, updateItem } from '../../contract/resources/items.ts';
import type { BulkResource } from './rows.ts';

export const ITEMS: BulkResource = {
  noun: 'item',
  create: createItem,
  update: updateItem,
  get: getItem,
  list: listItems,
  record: item,
  key: { field: 'sku', term: 'SKU' },
  unique: ['sku', 'barcode'],
};

export const CONTACTS: BulkResource = {
  noun: 'contact',
  create: createContact,
  update: updateContact,
  get: getContact,
  list: listContacts,
  record: contact,
  key: { field: 'email', term: 'e-mail' },
  unique: [],
};
