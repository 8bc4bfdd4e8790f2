/** The table of the audit trail. */
import type { AuditRow } from '../state/model.ts';
import { type Table, textField, timeColumn, timeFields } from './table.ts';

const getTime = ({ createdAt }: AuditRow): string => createdAt;

export const audit: Table<AuditRow> = {
  title: 'Audit',
  short: 'Audit',
  isFollowable: true,
  columns: [
    timeColumn(getTime),
    { title: 'ACTION', width: 24, rank: 1, text: ({ action }) => action },
    { title: 'ACTOR', width: 6, rank: 3, text: ({ actorType }) => actorType },
    { title: 'WHO', width: 12, rank: 4, text: (row, { getActorName }) => getActorName(row) },
    {
      title: 'RESOURCE',
      width: 24,
      rank: 2,
      text: ({ resourceType, resourceId, recordName }) => `${resourceType} ${recordName ?? resourceId}`,
    },
    { title: 'FROM', width: 9, rank: 5, text: ({ ipAddress }) => ipAddress ?? '' },
  ],
  search: (row, { getActorName }) =>
    [
      row.action,
      row.actorType,
      getActorName(row),
      row.actorId,
      row.resourceType,
      row.resourceId,
      row.recordName ?? '',
      row.ipAddress ?? '',
    ].join(' '),
  queryFields: ({ getActorName }) => ({
    action: textField(({ action }) => action),
    actor: textField((row) => [row.actorType, getActorName(row), row.actorId]),
    resource: textField(({ resourceType, resourceId, recordName }) => [resourceType, resourceId, recordName ?? '']),
    ...timeFields(getTime),
  }),
  emptyText: 'No changes yet.',
};
