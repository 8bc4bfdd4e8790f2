/** Handlers that read sites, units, categories and users. The admin API has the same lists. */
import type { QueryOf } from '../contract/operation.ts';
import type { readCategories, readSites, readUnits, readUsers, settingOperations } from '../contract/resources/settings.ts';
import { getCategory } from '../domain/catalog/categories.ts';
import type { CategoryRecord } from '../domain/catalog/records.ts';
import { getUnit } from '../domain/catalog/units.ts';
import { getSite } from '../domain/tenancy/sites.ts';
import { getUser } from '../domain/tenancy/users.ts';
import type { ReadTx } from '../domain/tables.ts';
import { type Handlers, respondWithRecord } from './handler.ts';
import { listPage } from './lists/list-page.ts';
import { type ListParameters, toPageQuery, whereEquals, whereIn } from './lists/pagination.ts';

/** A query of either API. */
type Filters<O> = ListParameters & Omit<QueryOf<O>, keyof ListParameters>;

export async function listSites(tx: ReadTx, query: Filters<typeof readSites>) {
  const where = [whereEquals('isActive', query.is_active)];
  const { rows, pagination } = await listPage(tx, 'sites', query, toPageQuery(query, where));
  return { data: rows, pagination };
}

export async function listUnits(tx: ReadTx, query: Filters<typeof readUnits>) {
  const where = [whereEquals('isActive', query.is_active)];
  const { rows, pagination } = await listPage(tx, 'units', query, toPageQuery(query, where));
  return { data: rows, pagination };
}

export async function listCategories(tx: ReadTx, query: Filters<typeof readCategories>) {
  const where = [whereEquals('isActive', query.is_active), whereEquals('parentId', query.parent_id)];
  const { rows, pagination } = await listPage(tx, 'categories', query, toPageQuery(query, where));
  return { data: rows.map(presentCategory), pagination };
}

export async function listUsers(tx: ReadTx, query: Filters<typeof readUsers>) {
  const where = [whereIn('role', query.role), whereIn('status', query.status)];
  const { rows, pagination } = await listPage(tx, 'users', query, toPageQuery(query, where));
  return { data: rows, pagination };
}

export const presentCategory = ({ id, name, parentId, isActive, createdAt, updatedAt }: CategoryRecord) => ({
  id,
  name,
  parentId,
  isActive,
  createdAt,
  updatedAt,
});

const respond = <R extends { readonly updatedAt: string }>(record: R) => respondWithRecord(record, { data: record });

export const settingHandlers: Handlers<typeof settingOperations> = {
  'settings.sites.list': async ({ tx, query }) => listSites(tx, query),
  'settings.sites.get': async ({ tx, params }) => respond(await getSite(tx, params.site_id)),
  'settings.units.list': async ({ tx, query }) => listUnits(tx, query),
  'settings.units.get': async ({ tx, params }) => respond(await getUnit(tx, params.unit_id)),
  'settings.categories.list': async ({ tx, query }) => listCategories(tx, query),
  'settings.categories.get': async ({ tx, params }) => respond(presentCategory(await getCategory(tx, params.category_id))),
  'settings.users.list': async ({ tx, query }) => listUsers(tx, query),
  'settings.users.get': async ({ tx, params }) => respond(await getUser(tx, params.user_id)),
};
