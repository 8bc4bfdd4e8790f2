/** A delivery on the screen: below what is known of it the request as it went out, then every attempt. */
import type { Infer } from '../contract/schema.ts';
import type { showDelivery } from '../contract/admin/webhooks.ts';
import { indentJson } from './formats.ts';
import type { View } from './printer.ts';
import type { Paint } from './style.ts';
import { pad, visible, widthOf } from './width.ts';

export type ShownDelivery = Infer<typeof showDelivery.result>['data'];

const INDENT = '  ';
const GAP = 2;

/** The request; a value that does not fit beside its name stands below it, whole, so that it can be copied. */
export function requestLines(request: NonNullable<ShownDelivery['request']>, paint: Paint, screen: number): string[] {
  const headers = Object.entries(request.headers);
  const width = Math.max(0, ...headers.map(([name]) => widthOf(name))) + GAP;
  return [
    paint('bold', visible(`${request.method} ${request.url}`)),
    ...(request.asSent ? [] : [paint('dim', `${INDENT}as the endpoint would get it now; nothing was sent yet, or it was changed since`)]),
    ...headers.flatMap(([name, value]) => {
      const text = visible(value);
      return INDENT.length + width + widthOf(text) <= screen
        ? [`${INDENT}${paint('dim', pad(name, width))}${text}`]
        : [INDENT + paint('dim', name), INDENT + INDENT + text];
    }),
    '',
    ...indentJson(request.body)
      .split('\n')
      .map((line) => line.replaceAll(/\p{Control}/gu, '\ufffd')),
  ];
}

const ATTEMPT = ['try', 'at', 'httpStatus', 'milliseconds', 'error'];
export const ATTEMPTS: View = { fields: ATTEMPT, columns: ATTEMPT, whole: ['at'] };

/** The attempts that are kept, numbered as they were made. Tries may be seconds apart. */
export function attemptRows({ attempts, history }: Pick<ShownDelivery, 'attempts' | 'history'>): readonly object[] {
  return history.map((attempt, at) => ({ ...attempt, try: attempts - history.length + at + 1, at: localSecond(new Date(attempt.at)) }));
}

const two = (number: number): string => String(number).padStart(2, '0');

const localSecond = (date: Date): string =>
  `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
