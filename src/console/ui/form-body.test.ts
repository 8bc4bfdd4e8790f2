import { expect, test } from 'vitest';
import { contactDraft } from '../../contract/resources/contacts.ts';
import { itemDraft, itemPatch } from '../../contract/resources/items.ts';
import { orderDraft } from '../../contract/resources/orders.ts';
import { getDefaults, toBody, toChanges } from './form-body.ts';

test('a form sends the defaults of the contract and what was entered, and no empty field', () => {
  const values = { ...getDefaults(itemDraft), name: 'Bolt', sku: '', salePrice: '0.35', purchasePrice: ' 1,5 ' };
  expect(toBody(itemDraft, values)).toEqual({ name: 'Bolt', itemType: 'product', isActive: true, salePrice: 0.35, purchasePrice: 1.5 });
});

test('a text that is no number is sent as it is, so that the service names its field', () => {
  expect(toBody(itemDraft, { name: 'Bolt', salePrice: 'cheap' })).toMatchObject({ salePrice: 'cheap' });
});

test('lines of a form have numbers, too', () => {
  const values = { module: 'sell', lines: [{ itemId: 'a', quantity: '2', unitPrice: '' }] };
  expect(toBody(orderDraft, values)).toEqual({ module: 'sell', lines: [{ itemId: 'a', quantity: 2 }] });
});

test('a changed record sends only the changed fields, and null for one that was emptied', () => {
  const record = { name: 'Bolt', sku: 'B-1', salePrice: 0.35, barcode: null, isActive: true };
  const values = { ...record, salePrice: '0.350', sku: '', barcode: '' };
  expect(toChanges(itemPatch, values, record)).toEqual({ sku: null });
  expect(toChanges(itemPatch, { ...record, isActive: false, salePrice: '0.4' }, record)).toEqual({ isActive: false, salePrice: 0.4 });
});

test('a text that was empty and stays so is no change', () => {
  const record = { name: 'Ana', email: '', phone: '', company: '' };
  expect(toChanges(contactDraft, { ...record, name: 'Ana Reis' }, record)).toEqual({ name: 'Ana Reis' });
});
