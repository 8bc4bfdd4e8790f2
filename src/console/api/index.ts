/** What views read and send. */
export { type Access, AccessContext, useAccess } from './access.ts';
export * from './client.ts';
export * from './csv.ts';
export * from './live.ts';
export { fixLocale } from './locale.ts';
export * from './queries.ts';
export * from './samples.ts';
export * from './saved-store.ts';
export * from './session.ts';
export { type Format, NONE, toLabel } from './values.ts';
export { toPlainText as toText } from '../../cli/output/fields.ts';
