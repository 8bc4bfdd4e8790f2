/** Flags of the commands of events, and their columns. */
import { listEvents } from '../../contract/resources/events.ts';
import { queryFlags } from '../input/operation-flags.ts';

const { cursor, wait, limit: _limit, ...FILTERS } = listEvents.query.properties;

export const EVENT_COLUMNS = ['sequence', 'occurredAt', 'event', 'data.changes', 'resourceId'];

export const filterFlags = queryFlags(FILTERS);
export const positionFlags = queryFlags({ cursor, wait });
