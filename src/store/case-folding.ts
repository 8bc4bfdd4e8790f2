/** Case folding, in one place, because unique keys, folded orders and search must agree on it. Search also ignores accents. */
export { foldCase } from '../domain/kernel/text.ts';
