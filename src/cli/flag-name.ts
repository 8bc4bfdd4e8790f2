/** Derives the name of a flag from a field: `salePrice` and `page_size` → `sale-price`, `page-size`. */
export const toFlagName = (field: string): string =>
  field
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
