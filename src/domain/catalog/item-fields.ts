/** The fields of an item that requests set. */
import { itemDraft } from '../../contract/resources/items.ts';
import { defineBodyFields } from './body-fields.ts';

export const itemFields = defineBodyFields(itemDraft);
