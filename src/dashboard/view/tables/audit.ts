/** The table of the audit trail. */
import type { AuditRow } from '../../state/model.ts';
import { formatTimeOrDate } from '../format.ts';
import { type Table, timeFields } from '../table-types.ts';

export const audit: Table<AuditRow> = {
  title: 'Audit',
  short: 'Audit',
  isFollowable: true,
  columns: [
    {
      title: 'TIME',
      width: 8,
      rank: 1,
      order: ({ createdAt }) => createdAt,
      text: ({ createdAt }, { serviceNow }) => formatTimeOrDate(createdAt, serviceNow),
    },
    { title: 'ACTION', width: 18, rank: 1, text: ({ action }) => action },
    { title: 'ACTOR', width: 6, rank: 2, text: ({ actorType }) => actorType },
    { title: 'WHO', width: 12, rank: 4, text: (row, { getActorName }) => getActorName(row) },
    { title: 'RESOURCE', width: 22, rank: 3, text: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
    { title: 'FROM', width: 9, rank: 5, text: ({ ipAddress }) => ipAddress ?? '' },
  ],
  search: ({ action, actorType, actorId, resourceType, resourceId, ipAddress }, { getActorName }) =>
    [action, actorType, getActorName({ actorType, actorId }), actorId, resourceType, resourceId, ipAddress ?? ''].join(' '),
  queryFields: ({ getActorName }) => ({
    action: { kind: 'text', get: ({ action }) => action },
    actor: { kind: 'text', get: (row) => [row.actorType, getActorName(row), row.actorId] },
    resource: { kind: 'text', get: ({ resourceType, resourceId }) => [resourceType, resourceId] },
    ...timeFields(({ createdAt }: AuditRow) => createdAt),
  }),
  emptyText: 'No changes yet.',
};
