/** Creates, updates and deletes item categories: a tree with unique names among siblings. */
import type { CategoryDraft, CategoryPatch } from '../../contract/admin/categories.ts';
import { CATEGORIES_MAX_DEPTH } from '../../contract/limits.ts';
import { type Changes, diffFields, recordChange, toSettingEvent } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { duplicateValue, invalidField, notFound } from '../kernel/errors.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import { checkUnreferenced, countReferences, getItemNames, getNames } from '../kernel/references.ts';
import { type CategoryRecord, TOP_LEVEL } from './records.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { requireText } from '../kernel/text.ts';

type CategoryFields = Pick<CategoryRecord, 'name' | 'parentId' | 'isActive'>;
const FIELDS = ['name', 'parentId', 'isActive'] as const satisfies readonly (keyof CategoryFields)[];

export async function getCategory(tx: ReadTx, id: string): Promise<CategoryRecord> {
  const category = await tx.categories.get(id);
  if (!category) throw notFound('category', id);
  return category;
}

export async function createCategory(tx: Tx, context: Context, draft: CategoryDraft): Promise<CategoryRecord> {
  const at = context.now.toISOString();
  const id = context.newId();
  const fields = mergeFields(draft, {});
  await checkParent(tx, id, fields.parentId);
  const category: CategoryRecord = { id, ...fields, under: fields.parentId ?? TOP_LEVEL, createdAt: at, updatedAt: at };
  await putCategory(tx, category);
  await recordCategoryChange(tx, context, 'category.created', category);
  return category;
}

export async function updateCategory(tx: Tx, context: Context, id: string, patch: CategoryPatch): Promise<CategoryRecord> {
  const before = await getCategory(tx, id);
  const fields = mergeFields(before, patch);
  const changes = diffFields<CategoryFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  if (fields.parentId !== before.parentId) await checkParent(tx, id, fields.parentId);
  const updatedAt = getNextTimestamp(context.now, before.updatedAt);
  const category: CategoryRecord = { ...before, ...fields, under: fields.parentId ?? TOP_LEVEL, updatedAt };
  await putCategory(tx, category);
  await recordCategoryChange(tx, context, 'category.updated', category, changes);
  return category;
}

export async function deleteCategory(tx: Tx, context: Context, id: string): Promise<void> {
  const category = await getCategory(tx, id);
  await checkUnreferenced(
    'category',
    {
      items: await countReferences(tx.items, [{ field: 'categoryId', equals: id }], getItemNames),
      subcategories: await countReferences(tx.categories, [{ field: 'parentId', equals: id }], getNames),
    },
    'Deactivate it instead: set isActive to false.',
  );
  await tx.categories.remove(id);
  await recordCategoryChange(tx, context, 'category.deleted', category, {}, { name: category.name });
}

/** The parent must exist and must not be in the category's own subtree, and the tree must not become too deep. */
async function checkParent(tx: ReadTx, id: string, parentId: string | null): Promise<void> {
  let levels = parentId === null ? 0 : await measureHeight(tx, id);
  for (let at = parentId; at !== null; levels += 1) {
    if (at === id) throw invalidField('/parentId', 'A category cannot be moved under itself or one of its subcategories.', 'not_allowed');
    if (levels >= CATEGORIES_MAX_DEPTH) {
      throw invalidField('/parentId', `Categories are at most ${String(CATEGORIES_MAX_DEPTH)} levels deep.`, 'too_big');
    }
    const parent: CategoryRecord | undefined = await tx.categories.get(at);
    if (!parent) throw invalidField('/parentId', `There is no category ${at}.`);
    at = parent.parentId;
  }
}

/** The number of levels of the category's subtree; 1 without subcategories. */
async function measureHeight(tx: ReadTx, id: string): Promise<number> {
  let height = 0;
  for (let level = [id]; level.length > 0; height += 1) {
    const children = await tx.categories.listAfter({ where: [{ field: 'parentId', in: level }], limit: Number.MAX_SAFE_INTEGER });
    level = children.rows.map((child) => child.id);
  }
  return height;
}

const mergeFields = (before: CategoryFields, patch: CategoryPatch): CategoryFields => ({
  name: requireText(patch.name ?? before.name, '/name'),
  parentId: patch.parentId === undefined ? before.parentId : patch.parentId,
  isActive: patch.isActive ?? before.isActive,
});

async function putCategory(tx: Tx, category: CategoryRecord): Promise<void> {
  try {
    await tx.categories.put(category);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('name', category.name, error.existingId) : error;
  }
}

const recordCategoryChange = (
  tx: Tx,
  context: Context,
  action: 'category.created' | 'category.updated' | 'category.deleted',
  category: CategoryRecord,
  changes: Changes = {},
  metadata = {},
): Promise<void> => {
  const event = toSettingEvent(context, action, category, changes, FIELDS);
  return recordChange(tx, context, { action, resourceType: 'category', resourceId: category.id, changes, metadata, event });
};
