/** Parts that several settings share. */
import { DURATION_MAX_CHARS, SLUG_MAX_CHARS } from '../limits.ts';
import { flag, listQuery } from '../operation.ts';
import { t } from '../schema.ts';

export const slug = () =>
  t.string({
    min: 1,
    max: SLUG_MAX_CHARS,
    pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    hint: 'lower-case letters, digits and single hyphens, such as kestrel-coffee',
  });

/** A length of time: `30d`, `25h`, `1h30m`. `domain/durations.ts` reads it. */
export const duration = () =>
  t.string({ min: 2, max: DURATION_MAX_CHARS, pattern: '^(?:\\d+(?:ms|[smhdw]))+$', hint: 'a duration such as 90s, 25h, 30d or 1h30m' });

/** Which tenant an operation is about. */
const tenant = t.optional(
  t.about(t.string({ max: SLUG_MAX_CHARS }), { description: 'Slug of the tenant; may be left out while there is only one.' }),
);

export const tenantQuery = t.object({ tenant });

/** A list within a tenant, with what every such list can be asked. */
export const tenantListQuery = <const S extends readonly string[]>(sorts: S) => ({ ...listQuery(sorts), tenant });

export const activeFilter = { is_active: t.optional(flag()) };
