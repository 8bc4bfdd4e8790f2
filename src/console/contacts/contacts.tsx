/** Contacts: the list, and the details of one with its orders. */
import { Link } from 'wouter';
import { type Contact, createContact, deleteContact, getContact, listContacts, updateContact } from '../../contract/resources/contacts.ts';
import { listOrders } from '../../contract/resources/orders.ts';
import { toLabel, useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import type { Column } from '../ui/data-table.tsx';
import { Facts, Status } from '../ui/elements.tsx';
import { RecordListView } from '../ui/record-list-view.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { useSubPath } from '../ui/selection.ts';
import { TableSection } from '../ui/mini-table.tsx';

const COLUMNS: readonly Column<Contact>[] = [
  { title: 'Name', width: 'minmax(8rem, 2fr)', sort: 'name', value: ({ name }) => name },
  { title: 'Company', width: 'minmax(8rem, 2fr)', sort: 'company', value: ({ company }) => company },
  { title: 'Type', width: '6rem', as: 'label', value: ({ contactType }) => contactType },
  { title: 'E-mail', width: 'minmax(9rem, 2fr)', rank: 42, value: ({ email }) => email },
  { title: 'Phone', width: 'minmax(7rem, 1fr)', rank: 56, value: ({ phone }) => phone },
  { title: 'Country', width: '4.5rem', rank: 48, value: ({ country }) => country },
  { title: 'Group', width: 'minmax(5rem, 1fr)', rank: 66, value: ({ contactGroup }) => contactGroup },
];

const FIELDS = [
  'name',
  'company',
  'contactType',
  'email',
  'phone',
  'country',
  'contactGroup',
  'externalId',
  'isPrimaryContact',
  'isActive',
] as const;

export default function Contacts() {
  const [id] = useSubPath();
  return (
    <RecordListView<Contact>
      title="Contacts"
      path="/contacts"
      id={id}
      op={listContacts}
      filterNames={['contact_types', 'is_active']}
      columns={COLUMNS}
      empty="No contacts yet"
      create={{ title: 'New contact', op: createContact, fields: FIELDS }}
      details={(open, onClose) => <ContactDetails id={open} onClose={onClose} />}
    />
  );
}

function ContactDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const parts = { params: { contact_id: id } };
  const { time } = useFormat();
  return (
    <RecordPanel
      label="Contact"
      read={useOperation(getContact, parts)}
      samples={[{ op: getContact, parts }]}
      getTitle={({ name }) => name}
      edit={{ op: updateContact, fields: FIELDS }}
      remove={{ op: deleteContact, note: 'A contact that orders refer to cannot be deleted.' }}
      onClose={onClose}
    >
      {(contact) => (
        <>
          <Facts
            facts={[
              ['Company', contact.company],
              ['Type', toLabel(contact.contactType)],
              ['E-mail', contact.email],
              ['Phone', contact.phone],
              ['Country', contact.country],
              ['Group', contact.contactGroup],
              ['Primary contact', contact.isPrimaryContact ? 'Yes' : undefined],
              ['State', contact.isActive ? undefined : <Status value="inactive" />],
              ['Changed', time(contact.updatedAt)],
            ]}
          />
          <ContactOrders id={id} />
        </>
      )}
    </RecordPanel>
  );
}

function ContactOrders({ id }: { readonly id: string }) {
  const { money } = useFormat();
  const { data } = useOperation(listOrders, { query: { module: 'all', contact_id: id, include: 'totals', page_size: 20 } });
  return (
    <TableSection
      title="Latest orders"
      rows={data?.data}
      empty="No orders"
      columns={[
        { title: 'Order', render: (order) => <Link href={`/orders/${order.id}`}>{order.orderNumber}</Link> },
        { title: 'Status', as: 'status', value: ({ status }) => status },
        { title: 'Total', isNumber: true, render: ({ total, currency }) => money(total, currency) },
        { title: 'Due', as: 'day', value: ({ dueDate }) => dueDate },
      ]}
    />
  );
}
