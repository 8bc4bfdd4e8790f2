/** Times in logs, to the second, in the time zone of the user. */

const padTwo = (number: number): string => String(number).padStart(2, '0');

/** `2026-11-25 14:07:31` */
export const formatLocalSecond = (date: Date): string =>
  `${String(date.getFullYear())}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(padTwo).join(':')}`;

/** The same, without the day if it is today. */
export function formatLogTime(timestamp: string): string {
  const [day = '', clock = ''] = formatLocalSecond(new Date(timestamp)).split(' ');
  return day === formatLocalSecond(new Date()).split(' ')[0] ? clock : `${day} ${clock}`;
}
