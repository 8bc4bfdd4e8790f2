/** Which command lists what a field may refer to. */
import type { FieldProblem } from '../../contract/errors.ts';

const LISTS: Readonly<Record<string, string>> = {
  assignedTo: 'users',
  categoryId: 'categories',
  contactId: 'contacts',
  itemId: 'items',
  parentId: 'categories',
  siteId: 'sites',
  unitId: 'units',
};
const MISSING = /\bthere is no \w+ /iu;

/** For an error whose only problem is a reference to a record that does not exist, else undefined. */
export function getListHint(fields: readonly FieldProblem[] | null): string | undefined {
  const [field, ...others] = fields ?? [];
  if (field === undefined || others.length > 0 || !MISSING.test(field.message)) return undefined;
  const list = LISTS[field.path.slice(field.path.lastIndexOf('/') + 1)];
  if (list !== undefined) return `Show the valid ids with \`stockroom ${list} list\``;
  return undefined;
}
