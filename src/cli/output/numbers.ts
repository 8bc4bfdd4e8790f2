/** Numbers in messages, and sums of quantities. */

/** 1204 → `1,204`. Without Intl, which takes longer to load than a request. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** `1 item`, `1,204 items`. */
export const formatCountWithNoun = (count: number, plural: string): string =>
  `${formatCount(count)} ${count === 1 ? plural.replace(/ies$/u, 'y').replace(/s$/u, '') : plural}`;

/** Seconds: 75 → `1:15`, 5 → `5 s`. */
export function formatCountdown(seconds: number): string {
  const total = Math.max(1, Math.ceil(seconds));
  if (total < 60) return `${String(total)} s`;
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  const pad = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${String(hours)}:${pad(minutes)}:${pad(total % 60)}` : `${String(minutes)}:${pad(total % 60)}`;
}

/** Quantities and values have at most six decimals, which the sum of floating-point numbers may exceed. */
export const roundSum = (sum: number): number => Number(sum.toFixed(6));
export const subtract = (a: number, b: number): number => roundSum(a - b);
