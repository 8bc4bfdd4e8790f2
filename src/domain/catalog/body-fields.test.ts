import { expect, test } from 'vitest';
import { t } from '../../contract/schema/builder.ts';
import { defineBodyFields } from './body-fields.ts';

const body = t.object({
  name: t.line(100),
  code: t.optional(t.nullable(t.lineOrEmpty(10))),
  price: t.optional(t.nullable(t.number({ min: 0 }))),
  packSize: t.withDefault(t.number({ above: 0 }), 1),
  leadDays: t.optional(t.nullable(t.int({ min: 0 }))),
  isActive: t.withDefault(t.bool(), true),
  isPreferred: t.withDefault(t.bool(), false),
});
const fields = defineBodyFields(body, ['isPreferred']);

test('empty has the defaults of the schema as stored values', () => {
  expect(fields.empty).toEqual({ name: '', code: null, price: null, packSize: 1_000_000, leadDays: null, isActive: true });
});

test('merge stores decimals as micro-units, trims text, and keeps omitted fields', () => {
  const bolt = fields.merge(fields.empty, { name: ' Bolt ', code: ' ', price: 0.35, leadDays: 14 });
  expect(bolt).toEqual({ name: 'Bolt', code: null, price: 350_000, packSize: 1_000_000, leadDays: 14, isActive: true });
  expect(fields.merge(bolt, { price: null, isActive: false })).toEqual({ ...bolt, price: null, isActive: false });
  expect(Object.keys(fields.merge(bolt, { leadDays: 3, name: 'Nut' }))).toEqual(Object.keys(fields.empty));
});

test.each([
  [{ name: ' ' }, '/name'],
  [{ price: 0.000_000_1 }, '/price'],
  [{ packSize: 0 }, '/packSize'],
])('merge rejects %j, naming the field', (patch, path) => {
  expect(() => fields.merge(fields.empty, patch)).toThrow(
    expect.objectContaining({ code: 'VALIDATION_FAILED', fields: [expect.objectContaining({ path })] }),
  );
});

test('toWire and diff show decimals', () => {
  const before = fields.merge(fields.empty, { name: 'Bolt', price: 0.35 });
  const after = fields.merge(before, { price: 0.4, code: 'B', packSize: 60 });
  expect(fields.toWire(after)).toEqual({ name: 'Bolt', code: 'B', price: 0.4, packSize: 60, leadDays: null, isActive: true });
  expect(fields.diff(before, after)).toEqual({
    code: { from: null, to: 'B' },
    price: { from: 0.35, to: 0.4 },
    packSize: { from: 1, to: 60 },
  });
  expect(fields.diff(after, after)).toEqual({});
});
