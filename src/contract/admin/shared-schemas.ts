/** Schemas shared by several admin operations. */
import { DURATION_MAX_CHARS, SLUG_MAX_CHARS } from '../limits.ts';
import { pageQuery } from '../operation.ts';
import { t } from '../schema/builder.ts';

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
const tenant = t.optional(
  t.annotate(t.string({ max: SLUG_MAX_CHARS }), { description: 'Slug of the tenant; optional if there is only one.' }),
);

export const tenantQuery = t.object({ tenant });

/** The query parameters of every list within a tenant. */
export const tenantListQuery = <const S extends readonly string[]>(sorts: S) => ({ ...pageQuery(sorts), tenant });
