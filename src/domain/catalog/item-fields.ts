/** The fields of an item that requests set. */
import { itemDraft } from '../../contract/resources/items.ts';
import { EXTERNAL_FIELDS } from '../kernel/external-fields.ts';
import { defineBodyFields } from './body-fields.ts';

export const itemFields = defineBodyFields(itemDraft, EXTERNAL_FIELDS);
