/** The fields of the form. */
export const ITEM_FIELDS = [
  'name',
  'sku',
  'itemType',
  'categoryId',
  'unitId',
  'supplierId',
  'salePrice',
  'purchasePrice',
  'barcode',
  'mpn',
  'supplierCode',
  'externalId',
  'isActive',
  'notes',
] as const;
