/** What several admin operations share. */
import { DURATION_MAX_CHARS, SLUG_MAX_CHARS } from '../limits.ts';
import { type AdminDefinition, type Method, defineAdminOperation, pageQuery } from '../operation.ts';
import { describe, t } from '../schema/builder.ts';

export const slug = () =>
  t.string({
    min: 1,
    max: SLUG_MAX_CHARS,
    pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    hint: 'lowercase letters, digits and single hyphens, such as kestrel-coffee',
  });

/** A duration: `30d`, `25h`, `1h30m`. Parsed by `domain/kernel/durations.ts`. */
export const duration = () =>
  t.string({ max: DURATION_MAX_CHARS, pattern: '^(?:\\d+(?:ms|[smhdw]))+$', hint: 'a duration such as 90s, 25h, 30d or 1h30m' });

/** Selects the tenant of an operation. */
const tenant = t.optional(describe(t.string({ max: SLUG_MAX_CHARS }), 'Slug of the tenant; optional if there is only one.'));

export const tenantQuery = t.object({ tenant });

/** An operation in one tenant that has no other query parameters. */
export const defineTenantOperation = <
  const I extends string,
  const M extends Method,
  const P extends `/admin/${string}`,
  const D extends Omit<AdminDefinition, 'query'>,
>(
  id: I,
  method: M,
  path: P,
  definition: D,
) => defineAdminOperation(id, method, path, { query: tenantQuery, ...definition });

/** The query parameters of every list within a tenant. */
export const tenantListQuery = <const S extends readonly string[]>(sorts: S) => ({ ...pageQuery(sorts), tenant });
