import { formatLocalSecond } from '../output/fields.ts';

/** `2026-11-25 14:07:31`, in the time zone of the user; without the day if it is today. */
export function formatLogTime(timestamp: string): string {
  const [day = '', clock = ''] = formatLocalSecond(new Date(timestamp)).split(' ');
  return day === formatLocalSecond(new Date()).split(' ')[0] ? clock : `${day} ${clock}`;
}
