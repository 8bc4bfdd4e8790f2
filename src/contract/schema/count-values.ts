/** How many values the largest valid value of a schema has. */
import type { AnySchema } from './builder.ts';

/** Fields and list entries together, at all depths; infinite where the schema sets no limit. */
export function countValues(schema: AnySchema): number {
  switch (schema.kind) {
    case 'object':
      return Object.values(schema.properties).reduce((sum, field) => sum + 1 + countValues(field), 0);
    case 'array':
      // An empty list counts as one.
      return Math.max(1, (schema.max ?? Infinity) * (1 + countValues(schema.items)));
    case 'map':
      return (schema.maxKeys ?? Infinity) * (1 + countValues(schema.values));
    case 'json':
      return Infinity;
    default:
      return 0;
  }
}
